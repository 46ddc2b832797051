"""Tensors as text, in PyTorch's form: four digits, whole numbers as ``1.``, ``requires_grad`` or ``grad_fn`` last.

>>> print(srcgrad.tensor([[1.0, 2.5], [3.0, 4.0]]))
tensor([[1.0000, 2.5000],
        [3.0000, 4.0000]])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.tensor import Tensor

LINE = 80
THRESHOLD = 1000  # elements shown in full
EDGE = 3  # elements at each end of an axis shown otherwise
HEAD = "tensor("


def text_of(tensor: Tensor) -> str:
    """The tensor as Python shows it."""
    array = tensor.array()
    body = _body(array)
    suffixes = []
    if array.size == 0 and array.ndim != 1:
        suffixes.append(f"size={tuple(array.shape)}")
    if array.dtype not in (dtypes.default_dtype(), np.dtype(np.int64), np.dtype(bool)) or (
        array.size == 0 and array.dtype != dtypes.default_dtype()
    ):
        suffixes.append(f"dtype={tensor.dtype!r}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    text = HEAD + body
    column = len(text) - text.rfind("\n") - 1
    for suffix in suffixes:
        if column + len(suffix) + 2 >= LINE:
            text += ",\n" + " " * len(HEAD) + suffix
            column = len(HEAD) + len(suffix)
        else:
            text += f", {suffix}"
            column += len(suffix) + 2
    return f"{'Parameter containing:' + chr(10) if _is_parameter(tensor) else ''}{text})"


def _is_parameter(tensor: Tensor) -> bool:
    return type(tensor).__name__ == "Parameter"


def _body(array: np.ndarray) -> str:
    if array.size == 0:
        return "[]"
    cut = array.size > THRESHOLD
    shown = _shown(array, cut)
    write = _writer(shown)
    finite = shown[np.isfinite(shown)] if shown.dtype.kind == "f" else shown
    width = max((len(write(v)) for v in finite.ravel()), default=0)
    return _nested(array, len(HEAD), cut, lambda v: write(v).rjust(width), width)


def _shown(array: np.ndarray, cut: bool) -> np.ndarray:
    """The elements that are printed, by which the format is chosen."""
    if not cut:
        return array
    for axis, n in enumerate(array.shape):
        if n > 2 * EDGE:
            ends = np.r_[0:EDGE, n - EDGE : n]
            array = np.take(array, ends, axis=axis)
    return array


def _writer(array: np.ndarray) -> Callable[[object], str]:
    """How a number is written beside the others."""
    if array.dtype.kind != "f":
        return str
    values = np.abs(array[np.isfinite(array) & (array != 0)]).astype(np.float64)
    if not values.size:
        return lambda v: f"{v:.0f}." if np.isfinite(v) else str(v)  # type: ignore[call-overload]  # a number
    whole = bool((values == np.ceil(values)).all())
    large, small = values.max(), values.min()
    if large / small > 1000 or large > 1e8 or (not whole and small < 1e-4):
        return lambda v: f"{v:.4e}"
    if whole:
        return lambda v: f"{v:.0f}." if np.isfinite(v) else f"{v:.0f}"  # type: ignore[call-overload]
    return lambda v: f"{v:.4f}"


def _nested(array: np.ndarray, indent: int, cut: bool, write: Callable[[object], str], width: int) -> str:
    if array.ndim == 0:
        return write(array[()]).strip()
    n = len(array)
    places: list[int | None] = [*range(n)]
    if cut and n > 2 * EDGE:
        places = [*range(EDGE), None, *range(n - EDGE, n)]
    if array.ndim == 1:
        words = [" ..." if k is None else write(array[k]) for k in places]
        per_line = max(1, (LINE - indent) // (width + 2))
        rows = [", ".join(words[k : k + per_line]) for k in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"
    blocks = ["..." if k is None else _nested(array[k], indent + 1, cut, write, width) for k in places]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"
