"""Fresh arrays, as ``np.empty`` and ``np.zeros`` make them, which cost next to nothing to compile.

Numba's own (0.68.1) are overloads in three layers: the first array of a rank takes it a tenth of a second, and each
further one is linked and inlined again. Who asks for too much, or for a negative extent, gets MemoryError.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def empty(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """``np.empty(shape, dtype)``."""
    return _allocation(shape, dtype, cleared=False)


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def zeros(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """``np.zeros(shape, dtype)``."""
    return _allocation(shape, dtype, cleared=True)


def _allocation(shape: Any, dtype: Any, *, cleared: bool) -> Any:
    kinds = tuple(shape.types) if isinstance(shape, types.BaseTuple) else (shape,)
    result = types.Array(dtype.dtype, len(kinds), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = cgutils.unpack_tuple(builder, arguments[0]) if isinstance(shape, types.BaseTuple) else arguments[:1]
        extents = [context.cast(builder, n, kind, types.intp) for n, kind in zip(given, kinds, strict=True)]
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(result.dtype)))
        strides, size = _layout(builder, itemsize, extents)
        owner = context.nrt.meminfo_alloc_aligned(builder, size, context.get_preferred_array_alignment(result.dtype))
        first = context.nrt.meminfo_data(builder, owner)
        if cleared:
            cgutils.memset(builder, first, size, 0)
        pointer = builder.bitcast(first, context.get_data_type(result.dtype).as_pointer())
        array = make_array(result)(context, builder)
        populate_array(array, data=pointer, shape=extents, strides=strides, itemsize=itemsize, meminfo=owner)
        return array._getvalue()

    return result(shape, dtype), build


def _layout(builder: Any, itemsize: Any, extents: list[Any]) -> tuple[list[Any], Any]:
    """The strides, and the number of bytes: more than there can be where an extent is negative, or all are too many."""
    strides: list[Any] = []
    size, fails = itemsize, ir.Constant(ir.IntType(1), 0)
    for extent in reversed(extents):
        strides.insert(0, size)
        product = builder.smul_with_overflow(size, extent)
        size = builder.extract_value(product, 0)
        negative = builder.icmp_signed("<", extent, ir.Constant(extent.type, 0))
        fails = builder.or_(fails, builder.or_(negative, builder.extract_value(product, 1)))
    return strides, builder.select(fails, ir.Constant(size.type, 2**63 - 1), size)
