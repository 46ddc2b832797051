"""Why a loop is left as it is: what forbids it, in the user's words, and where that is."""

from __future__ import annotations

from typing import NamedTuple

from srcgrad.ir.core import Location, Op


class Refusal(NamedTuple):
    reason: str
    location: Location | None


def refused(reason: str, op: Op) -> Refusal:
    return Refusal(reason, op.location)
