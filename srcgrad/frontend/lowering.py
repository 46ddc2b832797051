"""The state of lowering one function: the builder, the variables, the place in the source, the captures."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from srcgrad.errors import Error, UnsupportedError, UnsupportedSyntaxError
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.boundary.structure import Structure
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.registry import EXPRESSIONS, STATEMENTS
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending, Scope
from srcgrad.frontend.values import ArrayValue, FrontValue, GrowingList, MaybeNone, ScalarValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Function, Location, Op, Value, truth

if TYPE_CHECKING:
    from srcgrad.frontend.calls.copies import Copies
    from srcgrad.frontend.calls.recursion import Activation
    from srcgrad.frontend.calls.rule_values import RuledCall
    from srcgrad.frontend.control.slots import Slot
    from srcgrad.frontend.nodes.raised_again import Raised

Variable = tuple[Scope, str]
PACKAGE = Path(__file__).parent.parent
OWN_SOURCES = (str(PACKAGE / "library"), str(PACKAGE / "primitives"))


class UnresolvedError(Exception):
    """A recursive call whose result is not known yet; the path that needs it is put aside."""


def place_of(scope: Scope, name: str) -> tuple[str, str, str]:
    """What tells a variable from others in every attempt to lower a function."""
    return scope.file, scope.function_name, name


class LowerAgainError(UnsupportedError):
    """What is found only while lowering and has to be known from the start; ``note`` tells the next attempt."""

    note: Callable[[Lowering], None]


class Lowering:
    """What the handlers of the front end share.

    Attributes
    ----------
    builder
        Where ops go; ``builder.location`` is the expression being lowered.
    scope
        The variables of the function being lowered.
    scopes
        Those of the functions that lead here, outermost first.
    hidden, captured
        Arrays and compile-time values found outside; see ``boundary.places``.
    callees
        Functions kept out of line because they call themselves.
    files
        The source files of all functions that are being lowered.
    path
        The calls and unrolled iterations that lead here; identifies a node's activation.
    dead
        The block being lowered has ended in an exception.
    sharing
        Scopes with variables to which functions inside them assign.
    name_of_whole
        The function being lowered as a whole; no callee may have its name.
    active, recursive
        Functions being lowered, and those already made callees; see ``recursion``.
    copies
        How much of the program is copies of each function.
    ruled
        The functions with derivative rules that have been made callees, by the types of their arguments; see ``ruled``.
    growing, list_names
        The lists that grow at run time, with the type of their items, and the variables that hold them.
    keyed
        The dicts that take keys known at run time only, by where they are made.
    outgrown, gone_through
        The loops over lists that their bodies make longer or shorter, and those over lists that are being lowered.
    visited
        The loops' bodies, by their ops, in which an item of a list has been taken.
    guesses, doubtful
        How often an item was read of a list of which none is known yet, and the first error that came of it: it stands
        unless lowering begins again because an item has become known.
    overwritten
        Those of them that hold arrays in places where others were before.
    caught, tries
        The exceptions that handlers around would catch; for each `try` around the depth of its block, and those that
        its handlers do more with than raise them again.
    passing
        The exceptions that variables may stand for; see ``nodes.raised_again``.
    changes
        How often a container was given other items.
    draws, order
        Whether random numbers are drawn, and the memory that keeps them in order; see ``calls.order``.
    held
        For containers changed inside a branch or loop: which of their places are variables, by ``origin`` and key.
    pending
        The variables of loops being lowered that have no value at first, by loop and name.
    exact
        Array arguments of which it is known that no extent is 1 but those of which their type says so.
    filled
        The variables that have an array on some paths only and are read nevertheless: an empty one stands in for it,
        and a flag beside it is checked where it is read.
    remembered
        The types with which a loop ended when it was last lowered, by ``carried.LoopVariables.key``.
    """

    def __init__(self, builder: Builder, scope: Scope) -> None:
        self.builder = builder
        self.scope = scope
        self.scopes = [scope]
        self.hidden: list[tuple[Capture, Value]] = []
        self.captured: dict[tuple[int, object], tuple[Capture, object]] = {}
        self.callees: dict[str, Function] = {}
        self.files: set[str] = {scope.file}
        self.path: tuple[object, ...] = ()
        self.dead = False
        self.sharing: list[Scope] = []
        self.name_of_whole = scope.function_name
        self.active: list[Activation] = []
        self.recursive: list[Activation] = []
        self.copies: list[Copies] = []
        self.ruled: list[RuledCall] = []
        self.growing: dict[object, Structure] = {}
        self.overwritten: set[object] = set()
        self.guesses = 0
        self.doubtful: Error | None = None
        self.outgrown: set[object] = set()
        self.gone_through: list[tuple[object, GrowingList]] = []
        self.visited: list[tuple[object, GrowingList]] = []
        self.caught: tuple[type, ...] = ()
        self.tries: list[tuple[int, tuple[type, ...]]] = []
        self.passing: dict[Variable, tuple[Raised, ...]] = {}
        self.changes = 0
        self.draws = False
        self.order: ArrayValue | None = None
        self.held: set[tuple[object, object]] = set()
        self.keyed: set[object] = set()
        self.list_names: dict[object, str] = {}
        self.pending: dict[object, Pending] = {}
        self.exact: frozenset[Value] = frozenset()
        self.filled: set[tuple[str, str, str]] = set()
        self.remembered: dict[object, dict[str, Slot]] = {}

    def is_filled(self, variable: Variable) -> bool:
        """Whether an empty array stands in for a value that the variable may not have."""
        return place_of(*variable) in self.filled

    # -- walking the source ---------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> FrontValue:
        """Lower an expression whose value is needed: where it may be None, that is an error at run time."""
        value = self.evaluate_any(node)
        with self.at(node):
            return self.given(value)

    def given(self, value: FrontValue) -> FrontValue:
        """The value of what may be None, checked not to be."""
        if not isinstance(value, MaybeNone):
            return value
        what = repr(value.name) if value.name else "a value"
        message = f"{what} is None where a value is needed"
        self.builder.emit("check", value.given, exception="TypeError", message=message)
        return value.some

    def evaluate_any(self, node: ast.expr) -> FrontValue:
        """Lower an expression whose value may be None."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            self.refuse(node, f"{type(node).__name__} is not in the language", error=UnsupportedSyntaxError)
        with self.at(node):
            return handler(self, node)

    def execute(self, statements: Sequence[ast.stmt]) -> None:
        """Lower statements in order."""
        for node in statements:
            if self.dead:
                return
            handler = STATEMENTS.get(type(node))
            if handler is None:
                self.refuse(node, f"{type(node).__name__} is not in the language", error=UnsupportedSyntaxError)
            guesses = self.guesses
            try:
                with self.at(node):
                    handler(self, node)
            except LowerAgainError:
                raise
            except Error as error:
                if self.may_end_in(error):
                    self.end_in(error)
                    return
                if self.guesses == guesses and self.doubtful is None:
                    raise
                self.doubtful = self.doubtful or error

    def may_end_in(self, error: Error) -> bool:
        """Whether an error is an exception at run time, if the block being lowered is reached: it may never be.

        One of a number that is needed where there is None, or one that a handler outside of the block would catch.
        """
        if error.of_none and self.builder.depth > 1:
            return True
        raised = error.raised
        catching = [depth for depth, classes in self.tries if raised is not None and issubclass(raised, classes)]
        return bool(catching) and self.builder.depth > catching[-1]

    def end_in(self, error: Error) -> None:
        """The block ends in an exception."""
        exception = (error.raised or TypeError).__name__
        self.builder.emit("check", truth(False), exception=exception, message=error.message)
        self.dead = True

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """Ops made inside carry the location of ``node`` (nodes made by ``normalize`` may have none)."""
        before = self.builder.location
        self.builder.location = self.location(node) or before
        try:
            yield
        finally:
            self.builder.location = before

    @contextmanager
    def within(self, scope: Scope, *step: object) -> Iterator[None]:
        """Lower in another function's variables; ``step`` says how we got there."""
        self.files.add(scope.file)
        before = self.scope, self.path
        self.scope, self.path = scope, (*self.path, *step)
        self.scopes.append(scope)
        try:
            yield
        finally:
            self.scope, self.path = before
            self.scopes.pop()

    def location(self, node: ast.AST) -> Location | None:
        """Where the node stands in the user's source; the language's own functions have the place of their caller."""
        line = getattr(node, "lineno", None)
        if line is None or self.scope.file.startswith(OWN_SOURCES):
            return None
        end_line, end_column = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", 0)
        return Location(self.scope.file, line, node.col_offset, end_line, end_column)  # type: ignore[attr-defined]  # has a line

    # -- refusing ---------------------------------------------------------------------------------------

    def refuse(
        self, node: ast.AST | None, message: str, hint: str = "", error: type[Error] = UnsupportedError
    ) -> NoReturn:
        """Raise ``error`` at ``node``, or at the expression being lowered."""
        raise self.error(node, message, hint, error)

    def error(self, node: ast.AST | None, message: str, hint: str = "", error: type[Error] = UnsupportedError) -> Error:
        """The error of ``refuse``, for a caller to raise."""
        location = self.location(node) if node is not None else None
        return refusal(location or self.builder.location, message, hint, error)

    # -- blocks and variables -----------------------------------------------------------------------------

    @contextmanager
    def block(self, ops: list[Op] | None = None, parameters: Sequence[Value] = ()) -> Iterator[list[Op]]:
        """Lower into a block of its own, or go on with the ops of one; the caller makes an op of it."""
        depth = self.builder.depth
        self.builder.open(parameters)
        current = self.builder.ops
        current.extend(ops or ())
        try:
            yield current
        except Error as error:
            error.in_a_block = True
            raise
        finally:
            while self.builder.depth > depth:
                self.builder.close()
        if ops is not None:
            ops[:] = current

    def share(self, scope: Scope, name: str) -> None:
        """A function inside ``scope`` assigns to its variable ``name``."""
        scope.shared.add(name)
        if scope not in self.sharing:
            self.sharing.append(scope)

    def variable_of_its_own(self, name: str) -> str:
        """A variable of the compiler's in this scope, shared with the functions inside, that holds nothing yet."""
        names = (name if k == 0 else f"{name}_{k}" for k in itertools.count())
        free = next(n for n in names if isinstance(self.scope.names.get(n), None | Flagged | Missing | Pending))
        self.scope.local_names |= {free}
        self.share(self.scope, free)
        return free

    def changeable(self) -> list[Scope]:
        """The scopes whose variables may change here: this function's, and those shared with functions inside."""
        own = [self.scope]
        while own[-1].of_comprehension and own[-1].parent is not None:
            own.append(own[-1].parent)
        return [*own, *(s for s in self.sharing if s not in own)]

    def variables(self) -> dict[Variable, Binding]:
        """What every variable that may change here is bound to."""
        return {(scope, name): value for scope in self.changeable() for name, value in scope.names.items()}

    def live_after(self, node: ast.stmt) -> frozenset[str]:
        """The function's variables that may be read behind an `if` or a loop."""
        return self.scope.live.after[node] if self.scope.live else frozenset(self.scope.local_names)

    def live_head(self, node: ast.stmt) -> frozenset[str]:
        """The function's variables that an iteration of a loop may read before it sets them."""
        return self.scope.live.head[node] if self.scope.live else frozenset(self.scope.local_names)

    def rebind(self, variables: dict[Variable, Binding]) -> None:
        """Go back to what ``variables`` gave."""
        for scope in self.changeable():
            scope.names = {name: value for (s, name), value in variables.items() if s is scope}

    @contextmanager
    def changing_nothing(self) -> Iterator[None]:
        """Inside, a function is lowered in a loop that carries nothing: it cannot change a variable of its caller's.

        Loops in that function carry them all the same, and bind them to results that have no place outside.
        """
        before = self.variables()
        yield
        self.rebind(before)

    @contextmanager
    def seeing(self, variables: dict[Variable, Binding]) -> Iterator[None]:
        """Inside, these scopes are as ``variables`` says, and with them what is in the cells of containers."""
        now = {scope: scope.names for scope, _ in variables}
        for scope in now:
            scope.names = {name: value for (s, name), value in variables.items() if s is scope}
        try:
            yield
        finally:
            for scope, names in now.items():
                scope.names = names

    @contextmanager
    def going_through(self, key: object, whole: GrowingList | None) -> Iterator[None]:
        """Inside is the body of a loop over a list."""
        if whole is None or key in self.outgrown:
            yield
            return
        self.gone_through.append((key, whole))
        try:
            yield
        finally:
            self.gone_through.pop()

    # -- names ------------------------------------------------------------------------------------------

    def name(self, value: FrontValue, name: str) -> FrontValue:
        """Give the user's name to a value that an op has made and that has none."""
        if isinstance(value, ScalarValue):
            operand = value.operand
        elif isinstance(value, ArrayValue):
            operand = value.ref
        else:
            return value
        if isinstance(operand, Value) and not operand.name and self.builder.definition(operand) is not None:
            object.__setattr__(operand, "name", name)  # a name is no part of what a value is, and it has none yet
        return value
