"""Control flow: loops, branches, calls and checks."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.core import Block
from srcgrad.ir.types import INDEX, TRUTH, Scalar, Type
from srcgrad.primitives.table import Attributes, Effect, Operands, Primitive, register


def _types(operands: Operands) -> tuple[Type, ...]:
    return tuple(x.type for x in operands)


def _for(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """``for(trips, *initial)``: the block takes the counter and what is carried, and yields what is carried."""
    (body,) = blocks
    carried = _types(operands[1:])
    assert operands[0].type == INDEX and _types(body.parameters) == (INDEX, *carried)
    assert _types(body.yields) == carried, f"carries {carried}, yields {_types(body.yields)}"
    return carried


def _while(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """``while(*initial)``: the first block tests what is carried, the second is the body."""
    test, body = blocks
    carried = _types(operands)
    assert _types(test.parameters) == carried and _types(test.yields) == (TRUTH,)
    assert _types(body.parameters) == carried
    assert _types(body.yields) == carried, f"carries {carried}, yields {_types(body.yields)}"
    return carried


def _if(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    then, otherwise = blocks
    assert _types(operands) == (TRUTH,) and not then.parameters and not otherwise.parameters
    types = _types(then.yields)
    assert types == _types(otherwise.yields), f"yields {types} or {_types(otherwise.yields)}"
    return types


def _call(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """``callee`` is a key of the function's callees; ``types`` the types of its results."""
    types = attributes["types"]
    assert isinstance(types, tuple) and isinstance(attributes["callee"], str)
    return types  # type: ignore[return-value]  # a tuple of Type


def _link(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    """``link(*outs, *ins, *residuals)``: the scalars among ``outs`` come out as results."""
    outs = attributes["outs"]
    assert isinstance(outs, int) and isinstance(attributes["ins"], int) and isinstance(attributes["rule"], str)
    return tuple(x.type for x in operands[:outs] if isinstance(x.type, Scalar))


def _check_index(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    assert _types(operands) == (INDEX, INDEX)
    return (INDEX,)


def _check(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    assert operands[0].type == TRUTH
    assert isinstance(attributes["exception"], str) and isinstance(attributes["message"], str)
    return ()


for _row in (
    Primitive("for", Effect.CONTROL, _for),
    Primitive("while", Effect.CONTROL, _while),
    Primitive("if", Effect.CONTROL, _if),
    Primitive("call", Effect.CALL, _call),
    Primitive("link", Effect.PURE, _link),
    Primitive("check_index", Effect.CHECK, _check_index),
    Primitive("check", Effect.GUARD, _check),
):
    register(_row)
