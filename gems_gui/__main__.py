"""`python -m gems_gui` is `gems-gui`."""

import sys

from gems_gui.app import main

if __name__ == "__main__":  # the engine's worker process imports this again
    sys.exit(main())
