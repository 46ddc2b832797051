"""What goes into the functions of a derivative rule and what comes out of them, checked against the types of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.annotations.custom import Ruled
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.delayed import copy
from srcgrad.frontend.boundary.pytree import count_leaves, leaves_of
from srcgrad.frontend.boundary.structure import Leaf, Static, Structure, Tree
from srcgrad.frontend.control.merge import (
    JoinError,
    describe,
    dynamic,
    flatten,
    join,
    rebuild,
    settle,
    spelled,
    types_of,
)
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar, cast
from srcgrad.frontend.values import ArrayValue, FrontValue, TupleValue, is_number
from srcgrad.frontend.values import Static as Known
from srcgrad.ir.core import Operand, Value, constant
from srcgrad.ir.types import Array, Scalar

NOTHING = Static(None, None)


@dataclass(eq=False)
class RuledCall:
    """A function with a rule, for arguments of these structures, as callee ``name``."""

    custom: Ruled
    arguments: tuple[Structure, ...]
    name: str
    result: Structure | None = None
    free: list[Value] = field(default_factory=list)  # arrays from outside: further operands of each call
    complete: bool = False
    entered: bool = False  # called from its own rule, before what is free in that was known

    @property
    def counts(self) -> list[int]:
        """The number of operands of each argument."""
        return [count_leaves(s) for s in self.arguments]

    @property
    def starts(self) -> list[int]:
        """The position of the first operand of each argument."""
        return [sum(self.counts[:k]) for k in range(len(self.arguments))]

    @property
    def fixed(self) -> list[int]:
        """The arguments that carry no derivative."""
        return [k for k in range(len(self.arguments)) if k in self.custom.nondiff_argnums]

    @property
    def varied(self) -> list[int]:
        """The arguments that the rule is about."""
        return [k for k in range(len(self.arguments)) if k not in self.custom.nondiff_argnums]

    def floating(self, k: int) -> list[int]:
        """The positions of the operands of an argument that may carry a derivative."""
        leaves = enumerate(leaves_of(self.arguments[k]))
        return [self.starts[k] + j for j, leaf in leaves if leaf.type.dtype.differentiable]


def parameters_of(structures: Sequence[Structure]) -> list[Value]:
    return [Value(t) for s in structures for t in types_of(s)]


def rebuilt(lowering: Lowering, structures: Sequence[Structure], parameters: Sequence[Value]) -> list[FrontValue]:
    leaves = iter(parameters)
    return [rebuild(lowering, s, leaves) for s in structures]


def fresh(lowering: Lowering, value: FrontValue, seen: set[Value]) -> FrontValue:
    """The value with arrays that nobody else has a reference to."""
    return _replaced(lowering, settle(lowering, value), lambda array: _own(lowering, array, seen))


def lasting(lowering: Lowering, value: FrontValue, seen: set[Value]) -> FrontValue:
    """The value with arrays that are arguments or that nobody else has a reference to."""

    def kept(array: ArrayValue) -> ArrayValue:
        argument = lowering.builder.definition(array.ref) is None
        return array if argument else _own(lowering, array, seen)

    return _replaced(lowering, settle(lowering, value), kept)


def _own(lowering: Lowering, array: ArrayValue, seen: set[Value]) -> ArrayValue:
    made = lowering.builder.definition(array.ref)
    if made is None or made.primitive != "alloc" or array.ref in seen:
        array = copy(lowering.builder, array)
    seen.add(array.ref)
    return array


def _replaced(lowering: Lowering, value: FrontValue, change: Callable[[ArrayValue], ArrayValue]) -> FrontValue:
    if isinstance(value, ArrayValue):
        return change(value)
    if isinstance(value, TupleValue):
        items = tuple(_replaced(lowering, item, change) for item in value.items)
        return TupleValue(items, value.cls, value.keys, lowering.builder.ops)
    return value


def pair_of(lowering: Lowering, value: FrontValue, rule: str, what: str) -> tuple[FrontValue, FrontValue]:
    if not isinstance(value, TupleValue) or len(value.items) != 2 or value.keys:
        found = spelled(describe(settle(lowering, value)))
        lowering.refuse(None, f"the rule {rule} returns {found}", f"Return a pair: {what}.", ArgumentTypeError)
    return value.items[0], value.items[1]


def as_result(lowering: Lowering, here: RuledCall, out: FrontValue, rule: str) -> list[Operand]:
    """The operands of a result, which must be such as the function itself gives."""
    assert here.result is not None
    found = dynamic(describe(out))
    try:
        agreed = join(found, here.result) == here.result
    except JoinError:
        agreed = False
    if not agreed:
        message = f"the rule {rule} gives {spelled(found)} where {here.name}() gives {spelled(here.result)}"
        lowering.refuse(None, message, "Both must return the same.", ArgumentTypeError)
    return flatten(lowering, out, here.result)


def cotangent_of(s: Structure) -> Structure:
    """The structure of a cotangent or tangent: None for what is no float."""
    if isinstance(s, Tree):
        return replace(s, children=tuple(cotangent_of(c) for c in s.children))
    return s if isinstance(s, Leaf) and s.type.dtype.differentiable else NOTHING


def cotangents_of_arguments(lowering: Lowering, here: RuledCall, found: FrontValue) -> list[tuple[int, Operand | None]]:
    """What ``bwd`` returned, by the positions of the operands."""
    if not isinstance(found, TupleValue) or len(found.items) != len(here.varied):
        given = spelled(describe(found))
        message = f"the rule bwd of {here.name}() returns {given}, and there are {len(here.varied)} arguments"
        hint = "Return a tuple with the cotangent of each argument that is not among nondiff_argnums."
        lowering.refuse(None, message, hint, ArgumentTypeError)
    cts: list[tuple[int, Operand | None]] = []
    for k, value in zip(here.varied, found.items, strict=True):
        operands = matched(lowering, here, value, here.arguments[k], "bwd")
        cts += zip(here.floating(k), operands, strict=True)
    return cts


def matched(lowering: Lowering, here: RuledCall, value: FrontValue, s: Structure, rule: str) -> list[Operand | None]:
    """An operand for each floating leaf of the structure; None for what has no derivative."""
    leaves = [leaf for leaf in leaves_of(s) if leaf.type.dtype.differentiable]
    if isinstance(value, Known) and value.value is None:
        return [None] * len(leaves)
    match s:
        case Tree(children=children) if isinstance(value, TupleValue) and len(value.items) == len(children):
            pairs = zip(value.items, children, strict=True)
            return [x for v, c in pairs for x in matched(lowering, here, v, c, rule)]
        case Leaf() if not leaves:
            return []
        case Leaf(type=Scalar(dtype=dtype)) if is_number(value):
            return [cast(lowering.builder, as_scalar(value).operand, dtype)]  # type: ignore[arg-type]  # a number
        case Leaf(type=Array() as kind) if isinstance(value, ArrayValue) and value.rank == kind.rank:
            return [value.ref]
        case Static():
            return []
    message = f"the rule {rule} of {here.name}() gives {spelled(describe(value))} where {spelled(s)} is wanted"
    lowering.refuse(None, message, "Give it the shape and dtype of the value it belongs to.", ArgumentTypeError)


def tangents_of(
    lowering: Lowering, here: RuledCall, results: Sequence[Operand], found: Sequence[Operand | None]
) -> list[Operand]:
    """The tangents of the floating results, each of the shape and dtype of its result."""
    builder = lowering.builder
    floating = [r for r in results if r.type.dtype.differentiable]  # type: ignore[union-attr]  # no stacks here
    tangents: list[Operand] = []
    for result, dot in zip(floating, found, strict=True):
        if isinstance(result.type, Scalar):
            tangents.append(constant(0, result.type.dtype) if dot is None else dot)
            continue
        assert isinstance(result, Value) and isinstance(result.type, Array)
        shape = extents.shape(builder, result)
        if isinstance(dot, Value) and dot.type == result.type:
            for n, m in zip(extents.shape(builder, dot), shape, strict=True):
                message = f"the tangent from the rule of {here.name}() has an extent of {{0}}, its result {{1}}"
                extents.require_equal(builder, n, m, message, "Give it the shape of the result.")
            tangents.append(dot)
        elif dot is None:
            tangents.append(builder("alloc", *shape, dtype=result.type.dtype, fill="zeros"))
        else:
            message = f"the tangent from the rule of {here.name}() is {dot.type!r}, its result {result.type!r}"
            lowering.refuse(None, message, "Give it the shape and dtype of the result.", ArgumentTypeError)
    return tangents
