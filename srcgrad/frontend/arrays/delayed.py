"""Array expressions without memory: a shape and a recipe for the element at an index.

``np.sum(np.exp(x) * w)`` is one loop, with no temporary, because the product has no memory until something
needs it. ``materialized`` gives it memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import Shape, Strides, broadcast, known_as, moved
from srcgrad.frontend.numbers.parts import PARTS
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Part, ScalarValue, is_array, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import DType, Scalar


def as_delayed(builder: Builder, value: FrontValue) -> Delayed:
    """An array as an expression: its elements are loads."""
    if isinstance(value, Delayed):
        return value
    assert isinstance(value, ArrayValue)
    ref = value.ref

    def element(builder: Builder, indices: tuple[Operand, ...]) -> Operand:
        return builder("load", ref, *indices)

    return Delayed(extents.shape(builder, ref), value.dtype, element, (ref,), frozenset({ref}))


def shape_of(builder: Builder, value: FrontValue) -> Shape:
    """The extents of an array; () for a number."""
    if isinstance(value, Delayed):
        return value.shape
    return extents.shape(builder, value.ref) if isinstance(value, ArrayValue) else ()


def expression(builder: Builder, operands: Sequence[FrontValue], combine: Callable[..., Number]) -> FrontValue:
    """``combine(builder, *elements)`` at every place of the operands; a number where all have rank 0."""
    assert all(is_array(v) or is_number(v) for v in operands)
    shape, sources = aligned_sources(builder, operands)

    def element(builder: Builder, indices: tuple[Operand, ...]) -> Operand:
        return as_scalar(combine(builder, *(source(builder, indices) for source in sources))).operand

    if not shape:
        return ScalarValue(element(builder, ()))
    samples = [sample(v) for v in operands]
    return Delayed(shape, result_dtype(builder, samples, combine), element, *read_by(builder, operands))


# The element of one operand at an index of the result.
Source = Callable[[Builder, tuple[Operand, ...]], Number]


def aligned_sources(builder: Builder, operands: Sequence[FrontValue]) -> tuple[Shape, list[Source]]:
    """The broadcast shape, and each operand's elements at indices of it."""
    arrays = [v for v in operands if is_array(v)]
    shape, strides = broadcast(builder, [shape_of(builder, v) for v in arrays])
    by_array = iter(source_at(once_per_element(builder, v, s, shape), s) for v, s in zip(arrays, strides, strict=True))
    return shape, [next(by_array) if is_array(v) else constant_source(v) for v in operands]


def once_per_element(builder: Builder, value: FrontValue, strides: Strides, shape: Shape) -> Delayed:
    """An expression that broadcasting would evaluate several times gets memory."""
    axes = zip(reversed(strides), reversed(shape), strict=False)
    repeated = len(strides) < len(shape) or any(known_as(s, 0) and not known_as(n, 1) for s, n in axes)
    if isinstance(value, Delayed) and value.rank > 0 and repeated:
        value = materialized(builder, value)
    return as_delayed(builder, value)


def source_at(operand: Delayed, strides: Strides) -> Source:
    def at(builder: Builder, indices: tuple[Operand, ...]) -> Number:
        missing = max(len(strides) - len(indices), 0)  # leading axes of extent 1 that a store drops
        own = [*[index(0)] * missing, *indices[max(len(indices) - len(strides), 0) :]]
        own_place = (moved(builder, i, s) for i, s in zip(own, strides, strict=True))
        return ScalarValue(operand.element(builder, tuple(own_place)))

    return at


def constant_source(value: FrontValue) -> Source:
    return lambda builder, indices: value  # type: ignore[return-value]  # elementwise checks that it is a number


def read_by(builder: Builder, operands: Sequence[FrontValue]) -> tuple[tuple[Value, ...], frozenset[Value]]:
    """What an elementwise expression reads, and what of it is read only at the element's own index.

    An operand that is broadcast counts among the latter: stored into what it was read from, the result must
    have just its shape, so that then nothing was broadcast.
    """
    parts = [as_delayed(builder, v) for v in operands if is_array(v)]
    reads = tuple(dict.fromkeys(r for p in parts for r in p.reads))
    elsewhere = {r for p in parts for r in p.reads if r not in p.aligned}
    return reads, frozenset(reads) - elsewhere


def sample(value: FrontValue) -> Number:
    """A number that stands for any element of an operand, to find out what type comes of it."""
    if is_array(value):
        assert isinstance(value, ArrayValue | Delayed)
        return ScalarValue(Value(Scalar(value.dtype)))
    return value  # type: ignore[return-value]  # a number


def result_dtype(builder: Builder, samples: Sequence[Number], combine: Callable[..., Number]) -> DType:
    """The dtype of what ``combine`` gives: it is lowered once into a block that is thrown away."""
    builder.open()
    try:
        return as_scalar(combine(builder, *samples)).dtype
    finally:
        builder.close()


def materialized(builder: Builder, value: FrontValue, name: str = "") -> ArrayValue:
    """The array itself, or memory filled with the elements of an expression."""
    if isinstance(value, ArrayValue):
        return value
    assert isinstance(value, Delayed)
    ref = builder("alloc", *value.shape, name=name, dtype=value.dtype, fill="empty")
    builder.nest(value.shape, lambda at: builder.emit("store", ref, *at, value.element(builder, at)))
    original = value.view_of if value.part is None else value.part.array.ref
    if original is not None:
        builder.copies.append((ref, original))
        builder.frozen.append((ref, None))
    return ArrayValue(ref)


def copy(builder: Builder, value: FrontValue, name: str = "") -> ArrayValue:
    """Fresh memory with the elements of an array or an expression."""
    return materialized(builder, detached(builder, value), name)


def detached(builder: Builder, value: FrontValue) -> Delayed:
    """An array as an expression, of which NumPy gives no view."""
    return replace(as_delayed(builder, value), part=None, view_of=None)


def part(builder: Builder, value: FrontValue, name: str) -> FrontValue:
    """``value.real`` or ``value.imag``; of a complex array in memory, NumPy's would be a view."""
    result = expression(builder, (value,), PARTS[name])
    if not isinstance(value, ArrayValue | Delayed) or not isinstance(result, Delayed):
        return result
    if value.dtype.kind != "c":
        return value if name == "real" else result
    return replace(result, part=Part(value, name) if isinstance(value, ArrayValue) else None)
