"""`python -m gems_gui` is `gems-gui`."""

import sys

from gems_gui.app import main

sys.exit(main())
