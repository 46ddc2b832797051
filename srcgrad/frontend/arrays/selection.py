"""``np.where``: of each element only the side taken is computed, so that nothing of the other reaches a derivative."""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import (
    Source,
    aligned_sources,
    expression,
    materialized,
    read_by,
    result_dtype,
    sample,
)
from srcgrad.frontend.arrays.gather import true_positions
from srcgrad.frontend.calls.signatures import bound
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import Number, as_scalar, cast, promoted
from srcgrad.frontend.numbers.scalars import truth
from srcgrad.frontend.registry import Arguments, Keywords, array_method, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, constant
from srcgrad.ir.types import BOOL, DType


@function(np.where)
def _where(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if len(arguments) == 1 and not keywords:
        return _nonzero(lowering, arguments, {})
    operands = bound(lowering, "where", arguments, keywords, "condition", "x", "y")
    operands = [v if is_number(v) else as_array(lowering.builder, v) for v in operands]
    return selected(lowering.builder, *operands)


def selected(builder: Builder, condition: FrontValue, x: FrontValue, y: FrontValue) -> FrontValue:
    """``x`` where the condition holds, else ``y``."""
    shape, (test, *sides) = aligned_sources(builder, (condition, x, y))
    dtype = result_dtype(builder, [sample(x), sample(y)], _common)
    computed = any(isinstance(v, Delayed) for v in (x, y))

    def element(builder: Builder, at: tuple[Operand, ...]) -> Operand:
        taken = as_scalar(truth(builder, test(builder, at))).operand
        first, second = (partial(_converted, builder, side, at, dtype) for side in sides)
        if not computed:
            return builder("select", taken, *first(), *second())
        (value,) = builder.if_(taken, first, second)
        return value

    if not shape:
        return ScalarValue(element(builder, ()))
    return Delayed(shape, dtype, element, *read_by(builder, (condition, x, y)))


def _common(builder: Builder, x: Number, y: Number) -> Number:
    dtype, _ = promoted((x, y))
    return ScalarValue(constant(0, dtype))


def _converted(builder: Builder, source: Source, at: tuple[Operand, ...], dtype: DType) -> tuple[Operand]:
    return (cast(builder, as_scalar(source(builder, at)).operand, dtype),)


@function(np.nonzero)
@array_method("nonzero")
def _nonzero(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "nonzero", arguments, keywords, "a")
    found = true_positions(lowering.builder, mask_of(lowering.builder, as_array(lowering.builder, a)))
    return TupleValue(tuple(found))


def mask_of(builder: Builder, value: FrontValue) -> ArrayValue:
    """Where an array is not zero, in memory."""
    assert isinstance(value, ArrayValue | Delayed)
    if value.dtype != BOOL:
        value = expression(builder, (value,), truth)
    return materialized(builder, value)
