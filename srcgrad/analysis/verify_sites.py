"""Does every array value point to memory that the analysis knows?

A reference without a site would look as if nobody could see what is stored through it, and dead-code removal would
delete stores into mutated arguments. This check runs after every step in tests.
"""

from __future__ import annotations

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Function, defined
from srcgrad.ir.types import Array
from srcgrad.ir.verify import InvalidProgramError


def verify_sites(function: Function) -> None:
    """Raise InvalidProgramError unless every array value of a function and its callees has a site."""
    for current in (function, *function.callees.values()):
        sites = Sites(current)
        for value in defined(current.body):
            if isinstance(value.type, Array) and not sites.of(value):
                raise InvalidProgramError(f"{current.name}: {value!r} points to no known memory")
