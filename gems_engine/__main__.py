"""`python -m gems_engine` is `gems`."""

import sys

from gems_engine.cli import main

sys.exit(main())
