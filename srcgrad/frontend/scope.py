"""Where a name is found: the function's own variables, those around it, its closure, the module, builtins.

Values outside the lowered functions are captures: numbers, strings and functions become compile-time
constants (recorded, so that a changed one gives a new specialisation), arrays become hidden arguments.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CellType, FunctionType

from srcgrad.errors import Error
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.syntax.live_variables import LiveVariables
from srcgrad.frontend.syntax.single_use import Uses
from srcgrad.frontend.values import FrontValue
from srcgrad.ir.core import Operand


@dataclass(frozen=True, eq=False)
class Flagged:
    """A variable that has a value only where ``bound`` is true; ``value`` is a filler elsewhere.

    ``none``: there the variable is None, and not unbound.
    """

    value: FrontValue
    bound: Operand
    none: bool = False


@dataclass(frozen=True, eq=False)
class Missing:
    """A variable that cannot be read here, and why: it has a value on some paths only."""

    reason: str
    hint: str


@dataclass(eq=False)
class Pending:
    """A variable that only the loop being lowered gives a value: its type is not known before the end of the body.

    A path that reads it is put aside, and lowered again when the type is known; ``error`` is what to raise if
    it never is.
    """

    error: Error | None = None


Binding = FrontValue | Flagged | Missing | Pending


@dataclass(eq=False)
class Scope:
    """The variables of one activation of a function.

    ``local_names`` are those the function assigns to, as Python decides it; ``parent`` is the scope of the
    function around it when that is being lowered too.
    """

    file: str
    function_name: str
    module: Mapping[str, object]
    cells: Mapping[str, CellType]
    parent: Scope | None = None
    local_names: frozenset[str] = frozenset()
    global_names: frozenset[str] = frozenset()
    of_comprehension: bool = False  # `:=` inside binds a variable of the scope around it
    made_names: frozenset[str] = frozenset()  # that only the normalised function has
    names: dict[str, Binding] = field(default_factory=dict)
    # variables of this scope to which a function inside assigns (nonlocal)
    shared: set[str] = field(default_factory=set)
    live: LiveVariables | None = None  # of a function with statements
    single_uses: Uses = field(default_factory=dict)
    consume: Callable[[FrontValue], None] | None = None  # of a generator: what becomes of what it yields
    home: object = None  # the ops of the block in which the activation began
    returns_early: bool = False  # somewhere before its end; what that `return` reads is evaluated later

    def owner(self, name: str) -> Scope | None:
        """The scope, this or one around it, whose variable ``name`` is; None when it is not a variable."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.local_names:
                return scope
            if name in scope.global_names:
                return None
            scope = scope.parent
        return None

    def capture(self, name: str) -> Capture | None:
        """The place outside the lowered functions where ``name`` is found."""
        scope: Scope | None = self
        while scope is not None and name not in self.global_names:
            if name in scope.cells:
                return Capture(name, scope.cells[name], name)
            scope = scope.parent
        if name in self.module:
            return Capture(name, self.module, name)
        if hasattr(builtins, name):
            return Capture(name, builtins, name)
        return None


def outermost(function: FunctionType, file: str) -> Scope:
    """A scope for a function of the running program: its globals and closure cells, no variable yet."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return Scope(file, function.__name__, function.__globals__, cells)
