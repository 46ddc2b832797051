"""Complex arrays taken apart: ``z.real`` and ``z.imag``, read and written, ``np.conj``, ``np.angle``.

NumPy's ``z.real`` is a view. Here it is an expression that knows what it is a part of: read at once it costs nothing,
and written to it writes into ``z``. Kept in memory of its own it would be a copy, so that then neither it nor ``z``
may be written to any more (``stores.keep_apart``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from srcgrad.frontend.arrays import indexing
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import expression, part
from srcgrad.frontend.arrays.keys import Key
from srcgrad.frontend.arrays.stores import as_number, check_castable, check_same_kind
from srcgrad.frontend.calls.signatures import bound, static_bool
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import parts, scalars
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.registry import Arguments, Keywords, array_attribute, array_method, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Part, Static, is_array, is_number
from srcgrad.ir.build import Builder

Combine = Callable[[Builder, Number, Number], Number]


def write(builder: Builder, whole: Part, key: Key, value: FrontValue) -> None:
    """``z.real[key] = value``."""

    def combine(builder: Builder, z: Number, new: Number) -> Number:
        check_castable(builder, as_scalar(new).dtype, whole.array.dtype.real)
        return parts.with_part(builder, as_scalar(z), whole.name, new)

    _rewrite(builder, whole, key, value, combine)


def augment(builder: Builder, whole: Part, key: Key, value: FrontValue, operate: Combine) -> None:
    """``z.real[key] op= value``."""

    def combine(builder: Builder, z: Number, change: Number) -> Number:
        new = operate(builder, parts.PARTS[whole.name](builder, z), change)
        check_same_kind(builder, as_scalar(new).dtype, whole.array.dtype.real)
        return parts.with_part(builder, as_scalar(z), whole.name, new)

    _rewrite(builder, whole, key, value, combine)


def _rewrite(builder: Builder, whole: Part, key: Key, value: FrontValue, combine: Combine) -> None:
    """``z[key] = combine(z[key], value)``."""
    old = indexing.read(builder, whole.array, key)
    if is_number(old):
        value = as_number(builder, value)
    indexing.write(builder, whole.array, key, expression(builder, (old, value), combine))


@array_attribute("real")
def _real(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    return part(lowering.builder, value, "real")


@array_attribute("imag")
def _imag(lowering: Lowering, value: FrontValue) -> FrontValue:
    assert isinstance(value, ArrayValue | Delayed)
    return part(lowering.builder, value, "imag")


@array_method("conj", "conjugate")
def _conjugated(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Of a real array itself, and not a copy as ``np.conj`` gives it."""
    (z,) = bound(lowering, "conj", arguments, keywords, "z")
    return expression(lowering.builder, (z,), parts.conjugate) if _is_complex(z) or is_number(z) else z


def _of_numbers_and_arrays(name: str, of_number: parts.Part) -> Callable[..., FrontValue]:
    def apply(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        (a,) = bound(lowering, name, arguments, keywords, "val")
        if is_number(a):
            return of_number(lowering.builder, a)  # type: ignore[arg-type]  # a number
        array = as_array(lowering.builder, a)
        assert isinstance(array, ArrayValue | Delayed)
        return part(lowering.builder, array, name)

    return apply


function(np.real)(_of_numbers_and_arrays("real", parts.real))
function(np.imag)(_of_numbers_and_arrays("imag", parts.imag))


@function(np.angle)
def _angle(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    z, deg = bound(lowering, "angle", arguments, keywords, "z", deg=Static(False))
    in_degrees = static_bool(lowering, deg, "deg")

    def angle(builder: Builder, z: Number) -> Number:
        radians = parts.angle(builder, z)
        return scalars.apply(builder, "rad2deg", [radians]) if in_degrees else radians

    return expression(lowering.builder, (z if is_number(z) else as_array(lowering.builder, z),), angle)


def _is_complex(value: FrontValue) -> bool:
    if isinstance(value, ArrayValue | Delayed):
        return value.dtype.kind == "c"
    return is_number(value) and parts.is_complex(value)  # type: ignore[arg-type]  # a number


@function(np.iscomplexobj)
def _iscomplexobj(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (x,) = bound(lowering, "iscomplexobj", arguments, keywords, "x")
    return Static(_is_complex(x if is_array(x) or is_number(x) else as_array(lowering.builder, x)))


@function(np.isrealobj)
def _isrealobj(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (x,) = bound(lowering, "isrealobj", arguments, keywords, "x")
    return Static(not _is_complex(x if is_array(x) or is_number(x) else as_array(lowering.builder, x)))
