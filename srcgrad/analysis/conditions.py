"""Conditions on integers: what follows from them, whether they are known to hold, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from srcgrad.analysis.affine import Affine
from srcgrad.analysis.inequalities import OPPOSITE, comparison
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


def proved(
    condition: Operand, holds: bool, definitions: Definitions, affine: AsForm, proves: Callable[[Affine], bool]
) -> bool:
    """Whether a condition certainly holds, or certainly does not, by what ``proves`` says of affine forms."""
    if isinstance(condition, Const):
        return bool(condition.value) == holds
    op = definitions.get(condition)
    if op is None:
        return False
    if op.primitive == "not_":
        return proved(op.operands[0], not holds, definitions, affine, proves)
    if op.primitive in ("and_", "or_"):
        every = all if op.primitive == ("and_" if holds else "or_") else any
        return every(proved(x, holds, definitions, affine, proves) for x in op.operands)
    name = op.primitive if holds else OPPOSITE.get(op.primitive)
    if name not in OPPOSITE or op.operands[0].type != INDEX:
        return False
    gap = affine(op.operands[1]) - affine(op.operands[0])
    if name == "ne":
        return proves(gap - 1) or proves(gap * -1 - 1)
    return all(proves(form) for form in comparison(name, gap))


def alternatives(condition: Operand, definitions: Definitions) -> list[Operand]:
    """Conditions one of which holds if this one does."""
    op = definitions.get(condition) if isinstance(condition, Value) else None
    if op is None or op.primitive != "or_":
        return [condition]
    return [x for side in op.operands for x in alternatives(side, definitions)]
