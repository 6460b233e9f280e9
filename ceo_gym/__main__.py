"""``python -m ceo_gym`` is the command ``ceo-gym``."""

import sys

from ceo_gym.cli import main

sys.exit(main())
