"""Products of matrices that may be taken to be small: a program that finds them to be large is started again.

They are marked. Optimisation may make loops of those, with a check in front.
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.ir.core import Function, Op, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.primitives.routines import ROUTINES


def may_be_loops(function: Function) -> Function:
    """The function with a mark on its products of matrices."""
    return _marked(function, small=True)


def always_calls(function: Function) -> Function:
    """The function without these marks."""
    return _marked(function, small=False)


def _marked(function: Function, small: bool) -> Function:
    def visit(op: Op) -> Replacement | None:
        if not _is_product(op) or op.attributes.get("small", False) == small:
            return None
        others = {key: value for key, value in op.attributes.items() if key != "small"}
        return [replace(op, attributes={**others, "small": True} if small else others)], {}

    return rewrite(function, visit) if any(map(_is_product, walk(function.body))) else function


def _is_product(op: Op) -> bool:
    return op.primitive == "call" and op.text("callee") in ROUTINES and ROUTINES[op.text("callee")].product
