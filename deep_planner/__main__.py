"""``python -m deep_planner``."""

import sys

from deep_planner.cli import main

sys.exit(main())
