"""The table of primitives: for each name its effect and the types of its results.

Rows are added at import by the modules beside this one (``memory``, ``control``, ``scalar`` ...) and only
read afterwards. ``docs/ir.md`` says what each primitive means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Attribute, Block, Operand
from srcgrad.ir.types import Type


class Effect(Enum):
    """What an op does besides giving its results. It decides what may be removed, moved or repeated."""

    PURE = "pure"  # a function of its operands: may be removed, shared, moved, repeated
    CHECK = "check"  # pure, but may raise; removable only if it has results and none is used
    GUARD = "guard"  # exists only to raise: never removed
    ALLOCATE = "allocate"  # makes fresh memory
    VIEW = "view"  # a reference into the memory of its first operand
    READ = "read"  # a function of its operands and of the memory of its first operand
    WRITE = "write"  # changes the memory of its first operand
    STACK = "stack"  # changes a stack
    CONTROL = "control"  # holds blocks; its effect is theirs
    CALL = "call"  # a callee's effects: may read and write any array operand


Operands = Sequence[Operand]
Attributes = Mapping[str, Attribute]
InferRow = Callable[[Operands, Sequence[Block], Attributes], tuple[Type, ...]]


@dataclass(frozen=True, eq=False)
class Primitive:
    name: str
    effect: Effect
    infer: InferRow


TABLE: dict[str, Primitive] = {}


def register(row: Primitive) -> None:
    assert row.name not in TABLE, f"two rows for {row.name}"
    TABLE[row.name] = row


def infer(primitive: str, operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """The result types of an op; an assertion fails where the operands do not fit."""
    return TABLE[primitive].infer(operands, blocks, attributes)


def effect(primitive: str) -> Effect:
    return TABLE[primitive].effect


def new_builder() -> Builder:
    return Builder(infer)
