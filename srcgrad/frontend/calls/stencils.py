"""Functions made by ``numba.stencil``: a kernel whose indices count from the place of the result's element.

Where the kernel would reach outside an array the result is ``cval``, 0 by default, as in Numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numba.stencils.stencil import StencilFunc

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays.delayed import materialized, shape_of
from srcgrad.frontend.arrays.extents import clamped_at_zero
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import number
from srcgrad.frontend.numbers.promotion import as_scalar, converted
from srcgrad.frontend.registry import Arguments, Keywords, call_object
from srcgrad.frontend.values import ArrayValue, FrontValue, Neighbourhood, Static, is_array
from srcgrad.ir.core import Operand, constant, index
from srcgrad.ir.types import DType

Reach = Sequence[tuple[int, int]]  # for each axis the least and the greatest offset


@dataclass(frozen=True)
class Kernel:
    """A stencil with its arguments; ``relative`` are the arrays whose indices count from the place of the element."""

    stencil: StencilFunc
    arguments: tuple[FrontValue, ...]
    relative: frozenset[int]

    def at(self, lowering: Lowering, place: tuple[Operand, ...], offsets: list[tuple[FrontValue, ...]]) -> FrontValue:
        """The element of the result at ``place``; what the kernel adds to it is noted in ``offsets``."""
        arguments = [
            Neighbourhood(a, place, offsets) if k in self.relative and isinstance(a, ArrayValue) else a
            for k, a in enumerate(self.arguments)
        ]
        return call_python(lowering, self.stencil.kernel_ir.func_id.func, arguments, {})


@call_object(StencilFunc)
def _stencil(lowering: Lowering, stencil: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    assert isinstance(stencil, StencilFunc)
    name, options = stencil.kernel_ir.func_id.func_name, stencil.options
    if not arguments or not is_array(arguments[0]) or set(keywords) - {"out"}:
        hint = "A stencil takes an array first, and out=."
        lowering.refuse(None, f"the stencil {name}() is called otherwise", hint, ArgumentTypeError)
    kernel = _kernel(lowering, stencil, arguments)
    first = kernel.arguments[0]
    assert isinstance(first, ArrayValue)
    builder, shape = lowering.builder, shape_of(lowering.builder, first)
    reach, dtype = _explored(lowering, kernel, first.rank)
    out = keywords.get("out")
    if out is None:
        fill = "empty" if options.get("cval") else "zeros"
        out = ArrayValue(builder("alloc", *shape, dtype=dtype, fill=fill))
    if not isinstance(out, ArrayValue):
        lowering.refuse(None, "out= is not an array", "Give it an array of the result's shape.", ArgumentTypeError)
    if options.get("cval"):
        border = constant(options["cval"], out.dtype)
        builder.nest(shape, lambda at: builder.emit("store", out.ref, *at, border))
    inner = [_inside(lowering, n, low, high) for n, (low, high) in zip(shape, reach, strict=True)]

    def element(at: tuple[Operand, ...]) -> None:
        place = tuple(builder("add", i, index(max(0, -low))) for i, (low, _) in zip(at, reach, strict=True))
        with lowering.changing_nothing():
            value = number(lowering, kernel.at(lowering, place, []))
        builder.emit("store", out.ref, *place, converted(builder, value, out.dtype))

    builder.nest(inner, element)
    return out


def _kernel(lowering: Lowering, stencil: StencilFunc, arguments: Arguments) -> Kernel:
    names = stencil.kernel_ir.func_id.arg_names
    absolute = stencil.options.get("standard_indexing", ())
    held = tuple(materialized(lowering.builder, a) if is_array(a) else a for a in arguments)
    return Kernel(stencil, held, frozenset(k for k, n in enumerate(names) if n not in absolute))


def _inside(lowering: Lowering, n: Operand, low: int, high: int) -> Operand:
    """How many places of an axis the kernel does not leave."""
    border = max(0, -low) + max(0, high)
    return clamped_at_zero(lowering.builder, lowering.builder("sub", n, index(border))) if border else n


def _explored(lowering: Lowering, kernel: Kernel, rank: int) -> tuple[Reach, DType]:
    """How far the kernel reaches, and the dtype of its result: it is lowered once into a block that is thrown away."""
    offsets: list[tuple[FrontValue, ...]] = []
    with lowering.block(), lowering.changing_nothing():
        result = number(lowering, kernel.at(lowering, (index(0),) * rank, offsets))
    if kernel.stencil.neighborhood is not None:
        return [(int(low), int(high)) for low, high in kernel.stencil.neighborhood], as_scalar(result).dtype
    columns = [[_known(lowering, offset[k]) for offset in offsets] for k in range(rank)]
    return [(min(column, default=0), max(column, default=0)) for column in columns], as_scalar(result).dtype


def _known(lowering: Lowering, offset: FrontValue) -> int:
    if isinstance(offset, Static) and isinstance(offset.value, int):
        return offset.value
    hint = "Give the stencil a neighborhood."
    lowering.refuse(None, "a stencil's index that is not known at compile time", hint, UnsupportedError)
