"""What a program is: structured SSA in six small immutable types.

::

    Function := name, Block, callees          the block's parameters are the function's
    Block    := parameters, ops, yields
    Op       := primitive, operands, results, blocks, attributes, location
    Operand  := Value | Const

A Value is compared by identity. It is defined once, as a parameter of a block or a result of an op, and
may be used by later ops of that block and inside their blocks. ``docs/ir.md`` says what each op means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from srcgrad.ir.types import BOOL, C128, F64, I64, DType, Scalar, Type

LOOPS = ("for", "while")  # the primitives that run a block again and again


@dataclass(frozen=True)
class Location:
    """A range of the user's source, lines from 1, columns from 0."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, eq=False)
class Value:
    type: Type
    name: str = ""  # the user's name for it, or "" for a temporary; not unique

    def __repr__(self) -> str:
        return f"%{self.name or 'tmp'}.{id(self) & 0xFFFF:x}"


@dataclass(frozen=True)
class Const:
    value: bool | int | float | complex
    dtype: DType

    @property
    def type(self) -> Scalar:
        return Scalar(self.dtype)

    def key(self) -> tuple[str, str]:
        """Equal for the same constant, NaN and the sign of zero included."""
        return (self.dtype.name, repr(self.value))


Operand = Value | Const
Attribute = bool | int | float | str | DType | tuple[object, ...] | None
NO_ATTRIBUTES: Mapping[str, Attribute] = {}


@dataclass(frozen=True, eq=False)
class Op:
    primitive: str
    operands: tuple[Operand, ...]
    results: tuple[Value, ...] = ()
    blocks: tuple[Block, ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: NO_ATTRIBUTES)
    location: Location | None = None

    @property
    def result(self) -> Value:
        (value,) = self.results
        return value

    def text(self, key: str) -> str:
        value = self.attributes[key]
        assert isinstance(value, str)
        return value

    def integer(self, key: str) -> int:
        value = self.attributes[key]
        assert isinstance(value, int)
        return value


@dataclass(frozen=True, eq=False)
class Block:
    parameters: tuple[Value, ...]
    ops: tuple[Op, ...]
    yields: tuple[Operand, ...]


@dataclass(frozen=True)
class Rules:
    """How calls of a function are differentiated: by which other callees, by their keys.

    ``jvp(*operands, *tangents)`` gives ``(*results, *tangents)``; ``forward(*operands)`` gives ``(*results,
    *residuals)``, and ``backward(*residuals, *cotangents)`` the cotangents of the operands ``into``. Tangents are
    those of the operands ``wrt``, and there are tangents and cotangents of the floating results only.
    """

    wrt: tuple[int, ...]
    jvp: str = ""
    forward: str = ""
    backward: str = ""
    into: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Function:
    """A program. ``callees`` are the functions that ``call`` ops name, recursive ones among them.

    A function with ``rules`` only reads its array operands, and the arrays it gives are fresh memory.
    """

    name: str
    body: Block
    callees: Mapping[str, Function] = field(default_factory=dict)
    location: Location | None = None
    rules: Rules | None = None

    @property
    def parameters(self) -> tuple[Value, ...]:
        return self.body.parameters

    @property
    def results(self) -> tuple[Operand, ...]:
        return self.body.yields


def index(value: int) -> Const:
    return Const(value, I64)


def truth(value: bool) -> Const:
    return Const(value, BOOL)


def constant(value: bool | int | float | complex, dtype: DType | None = None) -> Const:
    """A constant of a Python scalar, of its natural type unless one is given."""
    if dtype is None:
        natural = {bool: BOOL, int: I64, float: F64, complex: C128}
        dtype = next(dtype for kind, dtype in natural.items() if isinstance(value, kind))  # a member of an IntEnum, too
    return Const({"b": bool, "f": float, "c": complex}.get(dtype.kind, int)(value), dtype)


def zero_like(operand: Operand) -> Const:
    """0 of the type of a scalar."""
    assert isinstance(operand.type, Scalar)
    return constant(0, operand.type.dtype)


def is_zero(operand: Operand) -> bool:
    """Whether an operand is the constant 0, of either sign."""
    return isinstance(operand, Const) and operand.value == 0


def is_integer(operand: Operand) -> bool:
    """Whether an operand is an integer; a truth value is none."""
    return isinstance(operand.type, Scalar) and operand.type.dtype.kind in "iu"


def same(a: Operand, b: Operand) -> bool:
    """Whether two operands are one value, or constants equal to the last bit."""
    return a is b or (isinstance(a, Const) and isinstance(b, Const) and a.key() == b.key())


def first_carried(op: Op) -> int:
    """Where what a loop carries begins, among its operands and the parameters of its blocks."""
    return 1 if op.primitive == "for" else 0  # behind the trip count and the counter


def walk(block: Block) -> Iterator[Op]:
    """Every op of a block and of the blocks inside, in program order, an op before its blocks."""
    return walk_ops(block.ops)


def walk_ops(ops: Iterable[Op]) -> Iterator[Op]:
    """These ops, each followed by those inside it."""
    for op in ops:
        yield op
        for inner in op.blocks:
            yield from walk_ops(inner.ops)


def definitions(block: Block) -> dict[Value, Op]:
    """The op that gives each value; parameters of blocks have none."""
    return {result: op for op in walk(block) for result in op.results}


def defined(block: Block) -> Iterator[Value]:
    """Every value defined in a block or inside it."""
    yield from block.parameters
    for op in block.ops:
        yield from op.results
        for inner in op.blocks:
            yield from defined(inner)


def used(block: Block) -> Iterator[Value]:
    """Every value used in a block or inside it, with repetitions."""
    for op in walk(block):
        yield from (x for x in op.operands if isinstance(x, Value))
        for inner in op.blocks:
            yield from (x for x in inner.yields if isinstance(x, Value))
    yield from (x for x in block.yields if isinstance(x, Value))


def captured(op: Op) -> list[Value]:
    """Values used inside an op's blocks but defined outside them, each once, in order of first use."""
    inside = {v for b in op.blocks for v in defined(b)}
    uses = (v for b in op.blocks for v in used(b))
    return list(dict.fromkeys(v for v in uses if v not in inside))
