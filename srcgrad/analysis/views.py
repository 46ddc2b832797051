"""From the indices of an element of a view to those of the same element in what the view looks into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from srcgrad.ir.core import Op, Operand
from srcgrad.primitives.memory import slice_parts

T = TypeVar("T")


def behind(
    view: Op, indices: Sequence[T], given: Callable[[Operand], T], along: Callable[[Operand, Operand, T], T]
) -> list[T]:
    """The indices into the source of any view but a ``reshape``, in whatever form one computes with.

    ``given(i)`` is an index that a ``slice`` fixes, ``along(start, step, j)`` the one at ``start + j * step``.
    """
    match view.primitive:
        case "relax":
            return list(indices)
        case "transpose":
            permutation = view.attributes["permutation"]
            assert isinstance(permutation, tuple)
            return [indices[permutation.index(axis)] for axis in range(len(permutation))]
        case "expand":
            added = view.attributes["axes"]
            assert isinstance(added, tuple)
            return [i for k, i in enumerate(indices) if k not in added]
    assert view.primitive == "slice"
    inner, result = iter(indices), list[T]()
    for letter, operands in slice_parts(view.text("axes"), view.operands[1:]):
        match letter, operands:
            case "i", (fixed,):
                result.append(given(fixed))
            case "s", (start, _, step):
                result.append(along(start, step, next(inner)))
            case _:
                result.append(next(inner))
    return result
