"""Functions made by ``numba.guvectorize``: they take sub-arrays and write to their last parameters.

The signature ``(n),(n)->()`` names the axes that the function itself sees. One axis in front of them is a loop; an
axis-less result is written through a vector of one element.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numba
from numba.np.numpy_support import as_dtype
from numba.np.ufunc.gufunc import GUFunc

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.arrays import indexing
from srcgrad.frontend.arrays.delayed import materialized, shape_of
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import Arguments, Keywords, call_object
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, SliceValue, Static, TupleValue, is_array
from srcgrad.ir.core import Operand, index
from srcgrad.ir.types import F64, DType, dtype_of

Axes = list[str]
NOTHING = Static(None)


@call_object(GUFunc)
def _generalised(lowering: Lowering, ufunc: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    assert isinstance(ufunc, GUFunc)
    taken, written = (_axes(side) for side in ufunc.signature.split("->"))
    layout = [*taken, *written]
    operands = [materialized(lowering.builder, a) if is_array(a) else a for a in arguments]
    looped = [_rank(a) - len(axes) for a, axes in zip(operands, layout, strict=False)]
    if keywords or len(operands) not in (len(taken), len(layout)) or not set(looped) <= {0, 1}:
        message = f"{ufunc.__name__}() with keywords, or with more than one axis in front of those of its signature"
        lowering.refuse(None, message, "Call it in a loop.", UnsupportedError)
    length = _length(lowering, [a for a, k in zip(operands, looped, strict=True) if k])
    extents = _extents(lowering, operands, layout, looped)
    for k, axes in enumerate(layout[len(operands) :], len(operands)):
        shape = [*([] if length is None and axes else [length or index(1)]), *(extents[name] for name in axes)]
        operands.append(ArrayValue(lowering.builder("alloc", *shape, dtype=_dtype(ufunc, operands, k), fill="empty")))
        looped.append(1 if length is not None or not axes else 0)
    results = operands[len(taken) :]

    def once(at: Operand) -> None:
        parts = [_part(lowering, a, at) if k else a for a, k in zip(operands, looped, strict=True)]
        for k, axes in enumerate(layout):
            if not axes and (k >= len(taken) or _takes_array(ufunc, k)):
                parts[k] = _vector_of_one(lowering, operands[k], at)
        with lowering.changing_nothing():
            call_python(lowering, ufunc.gufunc_builder.py_func, parts, {})

    lowering.builder.nest((length or index(1),), lambda at: once(at[0]))
    if length is None:
        results = [r if axes else _part(lowering, r, index(0)) for r, axes in zip(results, written, strict=True)]
    return results[0] if len(results) == 1 else TupleValue(tuple(results))


def _axes(side: str) -> list[Axes]:
    """``(n),(n,m)`` taken apart."""
    return [[name.strip() for name in part.split(",") if name.strip()] for part in re.findall(r"\(([^)]*)\)", side)]


def _rank(value: FrontValue) -> int:
    return value.rank if isinstance(value, ArrayValue) else 0


def _length(lowering: Lowering, looped: Sequence[FrontValue]) -> Operand | None:
    """The number of calls, one where no operand has an axis in front."""
    if not looped:
        return None
    first, *others = (shape_of(lowering.builder, a)[0] for a in looped)
    for other in others:
        same = lowering.builder("eq", first, other)
        lowering.builder.emit("check", same, exception="ValueError", message="operands of different lengths")
    return first


def _extents(
    lowering: Lowering, operands: Sequence[FrontValue], layout: Sequence[Axes], looped: Sequence[int]
) -> dict[str, Operand]:
    """The extent of each named axis."""
    found: dict[str, Operand] = {}
    for a, axes, k in zip(operands, layout, looped, strict=False):
        for name, n in zip(axes, shape_of(lowering.builder, a)[k:], strict=True):
            if name in found and found[name] is not n:
                same = lowering.builder("eq", found[name], n)
                message = f"operands differ in the extent {name}"
                lowering.builder.emit("check", same, exception="ValueError", message=message)
            found.setdefault(name, n)
    return found


def _declared(ufunc: GUFunc, k: int) -> object | None:
    """The type that the first signature gives its parameter ``k``; None where there is no signature."""
    declared = ufunc.gufunc_builder._sigs
    return declared[0].args[k] if declared else None


def _takes_array(ufunc: GUFunc, k: int) -> bool:
    return isinstance(_declared(ufunc, k), numba.types.Array)


def _dtype(ufunc: GUFunc, operands: Sequence[FrontValue], k: int) -> DType:
    """The dtype of a result that is allocated here."""
    declared = _declared(ufunc, k)
    if isinstance(declared, numba.types.Array):
        return dtype_of(as_dtype(declared.dtype)) or F64
    first = operands[0]
    return first.dtype if isinstance(first, ArrayValue) else F64


def _part(lowering: Lowering, a: FrontValue, at: Operand) -> FrontValue:
    """What is at ``at`` on the first axis."""
    assert isinstance(a, ArrayValue)
    return indexing.read(lowering.builder, a, (ScalarValue(at, weak=True),))


def _vector_of_one(lowering: Lowering, a: FrontValue, at: Operand) -> FrontValue:
    """The element at ``at`` as a vector."""
    if isinstance(a, ArrayValue):
        behind = ScalarValue(lowering.builder("add", at, index(1)), weak=True)
        return indexing.read(lowering.builder, a, (SliceValue(ScalarValue(at, weak=True), behind, NOTHING),))
    assert isinstance(a, ScalarValue | Static)
    number = as_scalar(a)
    memory = lowering.builder("alloc", index(1), dtype=number.dtype, fill="empty")
    lowering.builder.emit("store", memory, index(0), number.operand)
    return ArrayValue(memory)
