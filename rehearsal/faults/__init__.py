"""Faults on purpose: what goes wrong with AWS on an ordinary day, by name, for a rehearsal to meet.

``parse`` reads ``NAME[@WHERE]``, ``FAULTS`` is the table of the names, ``check`` says whether a fault would meet
anything in some templates, and ``rehearsal.faults.injection.Faults`` does what the names say.
"""

from rehearsal.faults.names import check
from rehearsal.faults.table import FAULTS, Fault, FaultError, Kind, Place, parse, table

__all__ = ["FAULTS", "Fault", "FaultError", "Kind", "Place", "check", "parse", "table"]
