"""Functions of numbers, written in the language itself, applied to every element of arrays.

::

    @elementwise(np.fmax)
    def larger_number(a, b):
        return b if a != a else a if b != b else np.maximum(a, b)

The body stands where the element is wanted, so that an array expression stays one loop without a temporary.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TypeVar

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import expression, materialized, sample
from srcgrad.frontend.calls.inline import body_of
from srcgrad.frontend.calls.signatures import bound
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import Number, as_scalar, cast, converted, promoted
from srcgrad.frontend.numbers.scalars import floating_for
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, TupleValue, is_array, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.types import BOOL, DType

T = TypeVar("T")


def elementwise(*functions: object, integers: bool = False) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let ``kernel(a, b, ..., *, option=...)``, of numbers of one dtype, stand for functions of arrays.

    Integers become floats first, unless the kernel is for ``integers``, too. Options are numbers, or known at compile
    time. A kernel that returns a tuple gives a tuple of arrays. With no function named, library code calls the kernel
    itself with arrays.
    """

    def add(kernel: Callable[..., T]) -> Callable[..., T]:
        assert isinstance(kernel, FunctionType)
        for f in dict.fromkeys(functions or (kernel,)):
            FUNCTIONS[f] = lambda lowering, arguments, keywords: _apply(lowering, kernel, integers, arguments, keywords)
        return kernel

    return add


def _apply(
    lowering: Lowering, kernel: FunctionType, integers: bool, arguments: Arguments, keywords: Keywords
) -> FrontValue:
    parameters = inspect.signature(kernel).parameters.values()
    required = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    options = {p.name: Static(p.default) for p in parameters if p.kind is p.KEYWORD_ONLY}
    values = bound(lowering, kernel.__name__, arguments, keywords, *required, **options)
    builder = lowering.builder
    operands = [v if is_number(v) else as_array(builder, v) for v in values[: len(required)]]
    given = dict(zip(options, values[len(required) :], strict=True))
    for name, value in given.items():
        if not isinstance(value, ScalarValue | Static):
            lowering.refuse(None, f"{name}= takes a number here", "Call the function in a loop.", ArgumentTypeError)

    applied = _Kernel(kernel, integers, given)
    parts = applied.parts(builder, [sample(v) for v in operands])
    if parts is None:
        return expression(builder, operands, applied.number)
    operands = [materialized(builder, v) if is_array(v) else v for v in operands]
    return TupleValue(
        tuple(expression(builder, operands, partial(applied.part, k)) for k in range(parts)),
    )


@dataclass(frozen=True)
class _Kernel:
    """A kernel with its options, applied to one number of each operand."""

    kernel: FunctionType
    integers: bool
    options: Mapping[str, FrontValue]

    def value(self, builder: Builder, *numbers: Number) -> tuple[FrontValue, DType]:
        dtype, _ = promoted(numbers)
        if not self.integers or dtype == BOOL:
            dtype = floating_for(dtype)
        strong = [ScalarValue(converted(builder, x, dtype)) for x in numbers]
        return body_of(builder, self.kernel, strong, self.options), dtype

    def number(self, builder: Builder, *numbers: Number) -> Number:
        return _of_dtype(builder, *self.value(builder, *numbers))

    def part(self, k: int, builder: Builder, *numbers: Number) -> Number:
        value, dtype = self.value(builder, *numbers)
        assert isinstance(value, TupleValue)
        return _of_dtype(builder, value.items[k], dtype)

    def parts(self, builder: Builder, samples: Sequence[Number]) -> int | None:
        """How many results the kernel has, if it returns a tuple: it is lowered once and thrown away."""
        builder.open()
        try:
            value, _ = self.value(builder, *samples)
            return len(value.items) if isinstance(value, TupleValue) else None
        finally:
            builder.close()


def _of_dtype(builder: Builder, value: FrontValue, dtype: DType) -> Number:
    assert isinstance(value, ScalarValue | Static)
    number = as_scalar(value)
    return ScalarValue(number.operand if number.dtype == BOOL else cast(builder, number.operand, dtype))
