"""``python -m trnstack.cli`` is the ``trnstack`` command."""

import sys

from trnstack.cli import main

sys.exit(main())
