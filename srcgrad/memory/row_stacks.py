"""Stacks of rows, whose memory grows where it is held: no variable changes that a loop would count references of.

With ``kept = grow(kept)`` in a loop Numba (0.68.1) counts up and down in every iteration, by atomic operations that
take as long as a row does. Here the array that a variable holds stays the same, and the memory behind it is another.
Its own pointer is of no use therefore: rows are found through `pushed_row` and `popped_row` alone.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from srcgrad.memory.scratch import unowned

HEADER = 64  # bytes in front of the rows, the first of which say how many elements there is room for


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def row_stack(typing_context: Any, count: Any, dtype: Any) -> Any:
    """A stack with room for ``count`` elements at first."""
    result = types.Array(dtype.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        room = context.cast(builder, arguments[0], signature.args[0], types.intp)
        owner = context.nrt.meminfo_new_varsize(builder, _bytes(context, builder, result, room))
        _write_room(context, builder, owner, room)
        array = make_array(result)(context, builder)
        array.meminfo = owner
        array.parent = cgutils.get_null_value(array.parent.type)
        array.data = cgutils.get_null_value(array.data.type)
        array.itemsize = _size(context, result)
        array.nitems = room
        array.shape = cgutils.pack_array(builder, [room])
        array.strides = cgutils.pack_array(builder, [_size(context, result)])
        return array._getvalue()

    return result(count, dtype), build


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def pushed_row(typing_context: Any, stack: Any, top: Any, width: Any) -> Any:
    """The row of ``width`` elements from ``top`` on, for which room is made; ``width`` divides the first room."""
    result = types.Array(stack.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        owner = make_array(stack)(context, builder, arguments[0]).meminfo
        top = context.cast(builder, arguments[1], signature.args[1], types.intp)
        room = builder.load(_room(context, builder, owner))
        with builder.if_then(builder.icmp_signed("==", top, room), likely=False):
            more = builder.add(room, room)
            context.nrt.meminfo_varsize_realloc(builder, owner, _bytes(context, builder, stack, more))
            _write_room(context, builder, owner, more)
        return _row(context, builder, result, owner, top, arguments[2], signature.args[2])

    return result(stack, top, width), build


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def popped_row(typing_context: Any, stack: Any, top: Any, width: Any) -> Any:
    """The row of ``width`` elements from ``top`` on; the next push may take its memory away."""
    result = types.Array(stack.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        owner = make_array(stack)(context, builder, arguments[0]).meminfo
        top = context.cast(builder, arguments[1], signature.args[1], types.intp)
        return _row(context, builder, result, owner, top, arguments[2], signature.args[2])

    return result(stack, top, width), build


def _row(context: Any, builder: Any, kind: Any, owner: Any, top: Any, width: Any, width_type: Any) -> Any:
    """An array that does not own its memory.

    What comes out of a line of assembly, here an empty one, LLVM takes to point anywhere but to a buffer.
    """
    first = builder.gep(context.nrt.meminfo_data(builder, owner), [context.get_constant(types.intp, HEADER)])
    pointer = builder.bitcast(first, context.get_data_type(kind.dtype).as_pointer())
    asm = ir.FunctionType(pointer.type, [pointer.type])
    data = builder.asm(asm, "", "=r,0", [pointer], False)
    return unowned(
        context,
        builder,
        kind,
        builder.gep(data, [top]),
        [context.cast(builder, width, width_type, types.intp)],
    )


def _size(context: Any, kind: Any) -> Any:
    return context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))


def _bytes(context: Any, builder: Any, kind: Any, room: Any) -> Any:
    return builder.add(builder.mul(room, _size(context, kind)), context.get_constant(types.intp, HEADER))


def _room(context: Any, builder: Any, owner: Any) -> Any:
    return builder.bitcast(context.nrt.meminfo_data(builder, owner), cgutils.intp_t.as_pointer())


def _write_room(context: Any, builder: Any, owner: Any, room: Any) -> None:
    builder.store(room, _room(context, builder, owner))
