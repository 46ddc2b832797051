"""Attributes of arrays: ``.shape``, ``.size``, ``.ndim``, ``.dtype``, ``.T``, ``.real`` and ``.imag``."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.delayed import materialized, shape_of
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import array_attribute
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, index


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
    if is_number(value):
        return value
    array = materialized(builder, value)
    if array.rank < 2:
        return array
    return ArrayValue(builder("transpose", array.ref, permutation=tuple(reversed(range(array.rank)))))
