"""Derivatives of out-of-line callees: recursive functions, called by name.

A callee has a derivative of its own per pattern of active operands; it is named before it is built, so that a
recursive callee finds itself. In reverse mode the derivative of a call runs the callee again and reverses it:
``f_pullback(*operands, *shadows, *cotangents)`` adds to the shadows it is given and returns the adjoints of scalars.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace

from srcgrad.ir.core import Function
from srcgrad.ir.types import Type

# The positions of the active operands, each with the type of its twin (its own type for a scalar).
Pattern = tuple[tuple[int, Type], ...]


def free_name(base: str, taken: Container[str]) -> str:
    """A name for a new callee: an earlier derivative may have left one that is still called."""
    return next(
        name for name in itertools.chain((base,), (f"{base}{k}" for k in itertools.count(1))) if name not in taken
    )


@dataclass
class Callees:
    """The callees of a function that is being differentiated, and the derivatives made of them so far."""

    primals: dict[str, Function]
    suffix: str
    derive: Callable[[Callees, Function, Pattern], Function]
    names: dict[tuple[str, Pattern], str] = field(default_factory=dict)
    derived: dict[str, Function] = field(default_factory=dict)
    reversible: dict[str, str] = field(default_factory=dict)  # rule -> the callee that returns arrays and runs it
    rule: Callable[[Callees, Function], Function] | None = None  # makes such a rule
    spliced: set[str] = field(default_factory=set)  # callees whose bodies go in the place of their calls

    def derivative(self, callee: str, pattern: Pattern) -> str:
        """The name of the callee's derivative for a pattern of active operands, built on first use."""
        key = (callee, pattern)
        if key not in self.names:
            taken = {*self.primals, *self.names.values(), *self.reversible}
            self.names[key] = free_name(f"{callee}{self.suffix}", taken)
            primal = replace(self.primals[callee], callees=self.primals)
            self.derived[self.names[key]] = replace(self.derive(self, primal, pattern), callees={})
        return self.names[key]

    def backward(self, name: str) -> None:
        """Build the rule of a recursive callee that returns arrays, unless that is being done or done."""
        if name not in self.derived:
            assert self.rule is not None
            primal = self.primals[self.reversible[name]]
            self.derived[name] = primal  # in its place while it is built: it may call itself
            self.derived[name] = replace(self.rule(self, replace(primal, callees=self.primals)), callees={})

    @property
    def all(self) -> dict[str, Function]:
        return {**self.primals, **self.derived}
