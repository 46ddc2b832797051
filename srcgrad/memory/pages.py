"""Large pages for large memory: the first touch of 100 MB costs the system 25,000 pages of 4 kB, or 50 of 2 MB.

What a reverse sweep keeps of a long loop is fresh in each call, and the system's work for it can take as long as the
loop. NumPy asks for large pages as well (its ``NUMPY_MADVISE_HUGEPAGE``), Numba 0.68.1 does not. Filling 160 MB took
17 ms where the memory was in use already, 65 where it was fresh, 26 in large pages.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LEAST = 4 << 20  # bytes, as NumPy has it: less comes from memory that is in use already
EDGE = 1 << 16  # no system has longer pages by default: what is asked for begins and ends at one
MADV_HUGEPAGE = 14  # of Linux


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def large_pages(typing_context: Any, array: Any) -> Any:
    """The array itself, a contiguous one that nobody has touched yet; Linux is asked to give it large pages.

    Where the system has none, or does not want to, nothing changes.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if sys.platform == "linux":
            whole = make_array(array)(context, builder, arguments[0])
            size = builder.mul(whole.nitems, whole.itemsize)
            with builder.if_then(builder.icmp_signed(">=", size, ir.Constant(size.type, LEAST)), likely=False):
                _advise(builder, builder.ptrtoint(whole.data, size.type), size)
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return array(array), build


def _advise(builder: Any, first: Any, size: Any) -> None:
    """``madvise`` for the whole pages among these bytes."""
    mask = ir.Constant(size.type, -EDGE)
    start = builder.and_(builder.add(first, ir.Constant(size.type, EDGE - 1)), mask)
    end = builder.and_(builder.add(first, size), mask)
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(number, [pointer, size.type, number])
    madvise = cgutils.get_or_insert_function(builder.module, kind, "madvise")
    arguments = builder.inttoptr(start, pointer), builder.sub(end, start), ir.Constant(number, MADV_HUGEPAGE)
    builder.call(madvise, arguments)
