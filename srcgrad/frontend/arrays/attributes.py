"""Attributes of arrays: ``.shape``, ``.size``, ``.ndim``, ``.dtype``, ``.T``, ``.real`` and ``.imag``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import expression, materialized, shape_of
from srcgrad.frontend.calls.signatures import bound
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import PARTS, as_scalar
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import Arguments, Keywords, array_attribute, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, constant, index


def python_int(n: Operand) -> FrontValue:
    """An extent as a Python number: known now, or weak."""
    return Static(n.value) if isinstance(n, Const) else ScalarValue(n, weak=True)


def size_of(builder: Builder, value: FrontValue) -> Operand:
    """How many elements an array has."""
    return product(builder, shape_of(builder, value))


def product(builder: Builder, extents: Sequence[Operand]) -> Operand:
    """How many elements a shape has."""
    total: Operand = index(1)
    for n in extents:
        total = index_op(builder, "mul", total, n)
    return total


@array_attribute("shape")
def _shape(lowering: Lowering, value: FrontValue) -> FrontValue:
    return TupleValue(tuple(python_int(n) for n in shape_of(lowering.builder, value)), tuple)


@array_attribute("size")
def _size(lowering: Lowering, value: FrontValue) -> FrontValue:
    return python_int(size_of(lowering.builder, value))


@array_attribute("ndim")
def _ndim(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    return Static(value.rank)


@array_attribute("dtype")
def _dtype(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    return Static(value.dtype.numpy)


@array_attribute("itemsize")
def _itemsize(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    return Static(value.dtype.numpy.itemsize)


@array_attribute("T")
def _transposed(lowering: Lowering, value: FrontValue) -> FrontValue:
    return reversed_axes(lowering.builder, value)


@array_attribute("mT")
def _last_two_swapped(lowering: Lowering, value: FrontValue) -> FrontValue:
    array = materialized(lowering.builder, value)
    if array.rank < 2:
        lowering.refuse(None, "the matrix transpose of a vector", "Use x[:, None] for a column.", ArgumentTypeError)
    *others, rows, columns = range(array.rank)
    return ArrayValue(lowering.builder("transpose", array.ref, permutation=(*others, columns, rows)))


def reversed_axes(builder: Builder, value: FrontValue) -> FrontValue:
    array = materialized(builder, value)
    if array.rank < 2:
        return array
    return ArrayValue(builder("transpose", array.ref, permutation=tuple(reversed(range(array.rank)))))


@array_attribute("real")
def _real(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    if value.dtype.kind == "c":
        lowering.refuse(None, "the real part of complex numbers", PARTS)
    return value


@array_attribute("imag")
def _imag(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    if value.dtype.kind == "c":
        lowering.refuse(None, "the imaginary part of complex numbers", PARTS)
    dtype = value.dtype
    return expression(lowering.builder, (value,), lambda b, x: ScalarValue(constant(0, dtype)))


@function(np.real)
def _np_real(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "real", arguments, keywords, "val")
    return a if is_number(a) and not _is_complex(a) else _real(lowering, as_array(lowering.builder, a))


@function(np.conj)
def _np_conj(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Of real numbers: themselves."""
    (a,) = bound(lowering, "conj", arguments, keywords, "x")
    value = a if is_number(a) else as_array(lowering.builder, a)
    if _is_complex(value):
        lowering.refuse(None, "the conjugate of complex numbers", PARTS)
    return value


def _is_complex(value: FrontValue) -> bool:
    if isinstance(value, ArrayValue | Delayed):
        return value.dtype.kind == "c"
    assert isinstance(value, ScalarValue | Static)
    return as_scalar(value).dtype.kind == "c"
