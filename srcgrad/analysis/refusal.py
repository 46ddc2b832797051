"""Why a loop is left as it is: what forbids it, in the user's words, and where that is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from srcgrad.ir.core import Location, Op


class Refusal(NamedTuple):
    reason: str
    location: Location | None

    def __str__(self) -> str:
        if self.location is None:
            return self.reason
        return f"{self.reason} ({Path(self.location.file).name}:{self.location.line})"


def refused(reason: str, op: Op | None = None) -> Refusal:
    """``op`` is what forbids it, if that is not the loop itself."""
    return Refusal(reason, None if op is None else op.location)
