"""Conditions on integers: what follows from them, whether they are known to hold, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from srcgrad.analysis.affine import Affine
from srcgrad.analysis.inequalities import OPPOSITE, comparison, outcome
from srcgrad.ir.core import Const, Op, Operand, Value
from srcgrad.ir.types import INDEX

Definitions = Mapping[Value, Op]
AsForm = Callable[[Operand], Affine]


def implied(condition: Operand, holds: bool, definitions: Definitions, affine: AsForm) -> list[Affine]:
    """The affine forms that are not negative if a condition holds, or if it does not."""
    op = definitions.get(condition) if isinstance(condition, Value) else None
    if op is None:
        return []
    if op.primitive == "not_":
        return implied(op.operands[0], not holds, definitions, affine)
    if op.primitive == ("and_" if holds else "or_"):
        return [f for x in op.operands for f in implied(x, holds, definitions, affine)]
    name = op.primitive if holds else OPPOSITE.get(op.primitive)
    if name not in OPPOSITE or op.operands[0].type != INDEX:
        return []
    return comparison(name, affine(op.operands[1]) - affine(op.operands[0]))


def decided(
    condition: Operand, definitions: Definitions, affine: AsForm, proves: Callable[[Affine], bool]
) -> bool | None:
    """Whether a condition holds, by what ``proves`` says of affine forms; None if that is not known."""
    if isinstance(condition, Const):
        return bool(condition.value)
    op = definitions.get(condition)
    if op is None:
        return None
    if op.primitive == "not_":
        opposite = decided(op.operands[0], definitions, affine, proves)
        return None if opposite is None else not opposite
    if op.primitive in ("and_", "or_"):
        settling = op.primitive == "or_"
        sides = [decided(x, definitions, affine, proves) for x in op.operands]
        return settling if settling in sides else (None if None in sides else not settling)
    if op.primitive not in OPPOSITE or op.operands[0].type != INDEX:
        return None
    a, b = (affine(x) for x in op.operands)
    return outcome(op.primitive, b - a, proves)


def alternatives(condition: Operand, definitions: Definitions) -> list[Operand]:
    """Conditions one of which holds if this one does."""
    op = definitions.get(condition) if isinstance(condition, Value) else None
    if op is None or op.primitive != "or_":
        return [condition]
    return [x for side in op.operands for x in alternatives(side, definitions)]
