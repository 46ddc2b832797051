"""What a name or an expression stands for while a function is being lowered.

Only ScalarValue and ArrayValue exist at run time. All the rest is known at compile time: a container is its
items, a function is its source and environment, an array expression is a shape and a recipe for its elements.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from srcgrad.frontend.boundary.structure import Structure
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, Value
from srcgrad.ir.types import Array, DType, Scalar


@dataclass(frozen=True, eq=False)
class ScalarValue:
    """A number at run time. ``weak``: adapts to the other operand, as a Python scalar does under NEP 50.

    ``classes`` are those that Python may see, where there is more than one (see ``numbers.classes``).
    """

    operand: Operand
    weak: bool = False
    classes: frozenset[type] = frozenset()

    @property
    def dtype(self) -> DType:
        type_ = self.operand.type
        assert isinstance(type_, Scalar)
        return type_.dtype


@dataclass(frozen=True, eq=False)
class ArrayValue:
    """A reference to memory."""

    ref: Value

    @property
    def type(self) -> Array:
        assert isinstance(self.ref.type, Array)
        return self.ref.type

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def rank(self) -> int:
        return self.type.rank


@dataclass(frozen=True, eq=False)
class Delayed:
    """An array expression without memory yet.

    ``element(builder, indices)`` emits the element at these indices, one per axis of ``shape``, each in range;
    ``reads`` are the arrays it loads from, so that it can be given memory before one of them is written to;
    ``aligned`` are those of them of which an element reads no other element than its own.
    An extent that is ``Const(1)`` is known to be 1. ``part`` is there where NumPy gives a view instead,
    ``view_of`` is what such a view would look into where it cannot be written to.
    """

    shape: tuple[Operand, ...]
    dtype: DType
    element: Callable[[Builder, tuple[Operand, ...]], Operand]
    reads: tuple[Value, ...]
    aligned: frozenset[Value] = frozenset()
    part: Part | None = None
    view_of: Value | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def ones(self) -> frozenset[int]:
        return frozenset(k for k, n in enumerate(self.shape) if isinstance(n, Const) and n.value == 1)


@dataclass(frozen=True, eq=False)
class Part:
    """The ``real`` or ``imag`` parts of the elements of a complex array in memory."""

    array: ArrayValue
    name: str


@dataclass(frozen=True, eq=False)
class Cell:
    """A place of a container whose value depends on the path taken: a variable of its own, beside the user's."""

    scope: object  # a scope.Scope
    variable: str

    @property
    def value(self) -> FrontValue:
        found: FrontValue = self.scope.names[self.variable]  # type: ignore[attr-defined]  # a Scope
        return found

    def set(self, value: FrontValue) -> None:
        self.scope.names[self.variable] = value  # type: ignore[attr-defined]  # a Scope


class TupleValue:
    """A container whose length is known: a tuple, list, dict, named tuple, or an object with fields.

    ``keys`` are the field names or dict keys, () for plain sequences. Lists, dicts and objects can be changed in
    Python, so ``items`` may be rebound in place for them; ``home`` is the block in which one was made. A change from
    inside another block depends on the path taken: then the function is lowered again with that place as a `Cell`;
    ``origin`` says which container this is. Without an origin it is refused.
    """

    def __init__(
        self,
        items: tuple[FrontValue, ...],
        cls: type = tuple,
        keys: tuple[object, ...] = (),
        home: object = None,
        origin: object = None,
    ) -> None:
        self.places: tuple[FrontValue | Cell, ...] = items
        self.cls = cls
        self.keys = keys
        self.home = home
        self.origin = origin
        self.changed = False
        self.found: object = None  # of one that was found outside the function: the place

    @property
    def items(self) -> tuple[FrontValue, ...]:
        """What is in it now."""
        return tuple([place.value if isinstance(place, Cell) else place for place in self.places])

    @property
    def mutable(self) -> bool:
        return self.cls in (list, dict) or is_record(self.cls)


def is_record(cls: type) -> bool:
    """Whether objects of a class have fields that may be assigned to."""
    if issubclass(cls, tuple | list | dict) or cls is SinglePass:
        return False
    return not (dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen)  # type: ignore[attr-defined]  # a dataclass has it


@dataclass(frozen=True, eq=False)
class GrowingList:
    """A list whose length is known at run time only: of numbers, arrays, tuples of them, and lists; see ``growing``."""

    key: object  # where it was made
    scope: object  # a scope.Scope, and its variable that holds the list's memory and length
    variable: str
    item: Structure
    shared: list[bool] = dataclasses.field(default_factory=list)  # not empty once another name may hold it, too
    home: object = None  # the block in which it was made
    row: Row | None = None  # of a list in a list: where it is
    uses: ListUses = dataclasses.field(default_factory=lambda: ListUses())  # of a list of lists


@dataclass(frozen=True, eq=False)
class Row:
    """The place of a list in another: which item of it, and which column of the items holds its length."""

    whole: GrowingList
    at: Operand
    column: int


@dataclass
class ListUses:
    """What happens to a list and the lists in it, as far as two names for one of them would show it."""

    altered: bool = False  # the list was given other items
    changed: bool = False  # a list in it was
    shared: list[bool] = dataclasses.field(default_factory=list)  # not empty once a name holds one as it was
    held: bool = False  # a variable holds one by its place
    replaced: bool = False  # another is put in the place of one


class SinglePass:
    """The class of a TupleValue that Python can loop over only once: what ``zip`` and generators give."""


@dataclass(frozen=True, eq=False)
class Static:
    """A value known at compile time: a number, string, None, dtype, module, type, slice, Python function."""

    value: object


@dataclass(frozen=True, eq=False)
class SliceValue:
    """``start:stop:step`` in a subscript, or a call of ``slice``; each is a number or Static(None)."""

    start: FrontValue
    stop: FrontValue
    step: FrontValue


@dataclass(frozen=True, eq=False)
class Closure:
    """A function defined inside the function being lowered; ``scope`` is the environment it closes over."""

    node: ast.FunctionDef | ast.Lambda
    scope: object  # a frontend.scope.Scope
    defaults: Mapping[str, FrontValue]

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, eq=False)
class Bound:
    """A function with its first arguments given: a method of a value, or functools.partial."""

    function: FrontValue
    arguments: tuple[FrontValue, ...]
    keywords: Mapping[str, FrontValue]


@dataclass(frozen=True, eq=False)
class Message:
    """A text in which numbers of run time stand, as ``{0}``, ``{1}`` ...: for exceptions and prints."""

    text: str
    values: tuple[Operand, ...]


@dataclass(frozen=True, eq=False)
class Counted:
    """Something to loop over whose length is known at run time: a range, or zip and enumerate of arrays.

    ``item(k)`` emits the item of iteration ``k``, an i64 in range.
    """

    length: Operand
    item: Callable[[Operand], FrontValue]
    once: bool = False  # an iterator: Python can loop over it only once
    memory: Value | None = None  # of a list: where its items are
    origin: object = None  # of a list: where it was made
    weak: bool = True  # of a list of numbers: whether they are Python's
    budget: int | None = None  # of a loop with checkpoints: how many bytes it may keep


@dataclass(frozen=True, eq=False)
class Yielding:
    """A generator: ``run(consume)`` lowers its code, and calls ``consume`` with each item where it is yielded."""

    run: Callable[[Callable[[FrontValue], None]], None]


@dataclass(frozen=True, eq=False)
class OneOf:
    """One of several functions or strings, which one is known at run time: ``tag`` counts them from 0."""

    tag: Operand
    options: tuple[Static | Closure, ...]

    @property
    def of_strings(self) -> bool:
        """Whether there are strings (and None and members of enumerations) to choose from, and nothing to call."""
        return not any(isinstance(f, Closure) or callable(f.value) for f in self.options)


@dataclass(frozen=True, eq=False)
class MaybeNone:
    """A value where ``given`` is true, and None elsewhere; ``name`` is that of the user's variable that holds it."""

    some: FrontValue
    given: Operand
    name: str = ""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """An array in the kernel of a stencil: its indices count from ``place``, and are noted in ``offsets``."""

    array: ArrayValue
    place: tuple[Operand, ...]
    offsets: list[tuple[FrontValue, ...]]


FrontValue = (
    ScalarValue
    | ArrayValue
    | Delayed
    | TupleValue
    | Static
    | SliceValue
    | Closure
    | Bound
    | Counted
    | Message
    | GrowingList
    | Neighbourhood
    | Yielding
    | OneOf
    | MaybeNone
)


def is_number(value: FrontValue) -> bool:
    """A scalar, at run time or known now."""
    return isinstance(value, ScalarValue) or (
        isinstance(value, Static) and isinstance(value.value, bool | int | float | complex)
    )


def is_list(value: FrontValue) -> bool:
    """Whether it is a list whose length is known at run time only."""
    return isinstance(value, GrowingList) or (isinstance(value, Counted) and value.origin is not None)


def is_counted(value: FrontValue) -> bool:
    """Whether it is something to loop over whose length is known at run time only."""
    if isinstance(value, Counted):
        return not isinstance(value.length, Const)
    return isinstance(value, ArrayValue | Delayed | GrowingList)


def is_array(value: FrontValue) -> bool:
    return isinstance(value, ArrayValue | Delayed)
