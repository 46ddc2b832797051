"""Memory of loops over lanes in forms that LLVM can tell apart from other memory, which such loops would else compare.

A loop that LLVM vectorises begins with a comparison of all addresses that it cannot tell apart. A loop over 64 lanes is
over before these comparisons pay, and there are many in a body with a dozen buffers.
"""

from __future__ import annotations

from math import prod
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba's
def buffer(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """``np.empty(shape, dtype)`` for a literal shape, on the machine's stack: there until the function around ends."""
    return _on_stack(shape, dtype, cleared=False)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba's
def zeroed(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """``np.zeros(shape, dtype)``, as a buffer."""
    return _on_stack(shape, dtype, cleared=True)


def _on_stack(shape: Any, dtype: Any, *, cleared: bool) -> Any:
    extents = [n.literal_value for n in (shape.types if isinstance(shape, types.BaseTuple) else (shape,))]
    result = types.Array(dtype.dtype, len(extents), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_data_type(result.dtype)
        with builder.goto_entry_block():
            memory = builder.alloca(ir.ArrayType(element, prod(extents)))
            memory.align = 64
        first = builder.bitcast(memory, element.as_pointer())
        if cleared:
            size = prod(extents) * context.get_abi_sizeof(element)
            cgutils.memset(builder, first, context.get_constant(types.intp, size), 0)
        return unowned(context, builder, result, first, [context.get_constant(types.intp, n) for n in extents])

    return result(shape, dtype), build


def unowned(context: Any, builder: Any, kind: Any, first: Any, extents: list[Any]) -> Any:
    """An array that does not own its memory."""
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for n in reversed(extents[1:]):
        strides.insert(0, builder.mul(strides[0], n))
    array = make_array(kind)(context, builder)
    populate_array(array, data=first, shape=extents, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()
