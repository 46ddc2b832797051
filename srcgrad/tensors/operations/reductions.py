"""Sums, means, extremes and what is built of them, over all elements or along axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.forms import form
from srcgrad.tensors.formulas import reductions as formulas
from srcgrad.tensors.graph import Node, given, record
from srcgrad.tensors.operations.operands import apply, as_tensor, axes_of, axis_of, cast, floating
from srcgrad.tensors.operations.pointwise import maximum, minimum
from srcgrad.tensors.operations.registry import operation
from srcgrad.tensors.tensor import Tensor, wrap

SPOKEN = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}
Dim = int | tuple[int, ...] | list[int] | None


class Found(NamedTuple):
    """Values along an axis and where they were found."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        return f"srcgrad.return_types.{type(self).__name__}(\nvalues={self.values!r},\nindices={self.indices!r})"


# A type for each function, so that what is printed has its name.
KINDS: list[type[Found]] = [type(name, (Found,), {}) for name in ("max", "min", "sort", "topk", "median")]
MAX, MIN, SORT, TOPK, MEDIAN = KINDS


def _axis(node: Node, dim: Dim) -> str:
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return "None"
    axes = axes_of(dim, len(node.shape))
    return str(axes[0]) if len(axes) == 1 else str(axes)


def _reduce(
    name: str, function: str, node: Node, dim: Dim, keepdim: bool, keeps: bool = True, discrete: bool = False
) -> Tensor:
    """A NumPy reduction; a tensor without axes is left as it is by an axis."""
    axis = _axis(node, dim)
    along = "" if axis == "None" or not node.shape else f", axis={axis}"
    kept = ", keepdims=True" if keepdim and node.shape else ""
    text = f"{function}({{0}}{along}{kept})"
    return wrap(record(form(name, text, keeps=keeps, discrete=discrete), node))


@operation("sum")
def sum_(input: object, dim: Dim = None, keepdim: bool = False, *, dtype: object = None) -> Tensor:
    """The sum of all elements, or along axes."""
    node = as_tensor(input).node
    node = cast(node, dtypes.numpy_dtype(dtype)) if dtype is not None else node
    if node.dtype.kind in "bu" or (node.dtype.itemsize < 8 and node.dtype.kind == "i"):
        node = cast(node, np.dtype(np.int64))
    return _reduce("Sum", "np.sum", node, dim, keepdim, keeps=False)


@operation("mean")
def mean(input: object, dim: Dim = None, keepdim: bool = False, *, dtype: object = None) -> Tensor:
    """The mean of all elements, or along axes."""
    node = as_tensor(input).node
    node = cast(node, dtypes.numpy_dtype(dtype)) if dtype is not None else node
    if node.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{SPOKEN.get(node.dtype.name, node.dtype.name)}"
        )
    return _reduce("Mean", "np.mean", node, dim, keepdim, keeps=False)


@operation("nansum")
def nansum(input: object, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """The sum without what is NaN."""
    return _reduce("Nansum", "np.nansum", floating(input), dim, keepdim)


@operation("prod")
def prod(input: object, dim: int | None = None, keepdim: bool = False) -> Tensor:
    node = as_tensor(input).node
    if node.dtype.kind in "bu" or (node.dtype.itemsize < 8 and node.dtype.kind == "i"):
        node = cast(node, np.dtype(np.int64))
    return _reduce("Prod", "np.prod", node, dim, keepdim)


@operation("amax")
def amax(input: object, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """The largest elements; those that tie share the derivative."""
    return _reduce("Amax", "np.max", as_tensor(input).node, dim, keepdim)


@operation("amin")
def amin(input: object, dim: Dim = None, keepdim: bool = False) -> Tensor:
    return _reduce("Amin", "np.min", as_tensor(input).node, dim, keepdim)


@operation("argmax")
def argmax(input: object, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _reduce("Argmax", "np.argmax", as_tensor(input).node, dim, keepdim, discrete=True)


@operation("argmin")
def argmin(input: object, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _reduce("Argmin", "np.argmin", as_tensor(input).node, dim, keepdim, discrete=True)


@operation("max")
def max_(input: Tensor, dim: object = None, keepdim: bool = False) -> Any:
    """The largest element; along an axis also where it is; of two tensors the larger elements."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return amax(input)
    assert isinstance(dim, int)
    return _with_positions(MAX, input, argmax(input, dim, keepdim=True), dim, keepdim)


@operation("min")
def min_(input: Tensor, dim: object = None, keepdim: bool = False) -> Any:
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return amin(input)
    assert isinstance(dim, int)
    return _with_positions(MIN, input, argmin(input, dim, keepdim=True), dim, keepdim)


def _with_positions(kind: type[Found], input: Tensor, positions: Tensor, dim: int, keepdim: bool) -> Found:
    """The elements at positions along an axis: the derivative goes to those alone."""
    from srcgrad.tensors.operations.indexing import gather
    from srcgrad.tensors.operations.shapes import squeeze

    values = gather(input, dim, positions)
    if keepdim:
        return kind(values, positions)
    return kind(squeeze(values, dim), squeeze(positions, dim))


@operation("any")
def any_(input: object, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _reduce("Any", "np.any", as_tensor(input).node, dim, keepdim, discrete=True)


@operation("all")
def all_(input: object, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _reduce("All", "np.all", as_tensor(input).node, dim, keepdim, discrete=True)


@operation("count_nonzero")
def count_nonzero(input: object, dim: Dim = None) -> Tensor:
    return _reduce("CountNonzero", "np.count_nonzero", as_tensor(input).node, dim, False, discrete=True)


@operation("var")
def var(
    input: object,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The variance; by default over ``n - 1``."""
    node, how = _spread(input, dim, unbiased, keepdim, correction)
    return apply("Var", f"np.var({{0}}, {how})", node)


@operation("std")
def std(
    input: object,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """The standard deviation; by default over ``n - 1``."""
    node, how = _spread(input, dim, unbiased, keepdim, correction)
    return apply("Std", f"{{f0}}({{0}}, {how})", node, functions=(formulas.std,))


def _spread(input: object, dim: Any, unbiased: bool, keepdim: bool, correction: float | None) -> tuple[Node, str]:
    """The operand and the other arguments, as text."""
    node = as_tensor(input).node
    if isinstance(dim, bool):  # var(input, unbiased)
        dim, unbiased = None, dim
    ddof = int(unbiased) if correction is None else correction
    return node, f"axis={_axis(node, dim)}, ddof={ddof}, keepdims={keepdim}"


@operation("norm", method=True)
def norm(input: object, p: float | str = 2, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """The p-norm of all elements, or along axes; its derivative at 0 is 0."""
    node = floating(input)
    order = 2.0 if p == "fro" else float(p)
    axis = _axis(node, dim)
    return apply(
        "LinalgVectorNorm", f"{{f0}}({{0}}, {_spelled(order)}, {axis}, {keepdim})", node, functions=(formulas.norm,)
    )


def _spelled(number: float) -> str:
    """A float as text that is an expression."""
    if np.isinf(number):
        return "np.inf" if number > 0 else "-np.inf"
    return repr(number)


@operation("logsumexp")
def logsumexp(input: object, dim: Dim, keepdim: bool = False) -> Tensor:
    node = floating(input)
    return apply("Logsumexp", f"{{f0}}({{0}}, {_axis(node, dim)}, {keepdim})", node, functions=(formulas.logsumexp,))


@operation("softmax")
def softmax(input: object, dim: int, dtype: object = None) -> Tensor:
    node = floating(input) if dtype is None else cast(as_tensor(input).node, dtypes.numpy_dtype(dtype))
    return apply("Softmax", f"{{f0}}({{0}}, {_axis(node, dim)})", node, functions=(formulas.softmax,))


@operation("log_softmax")
def log_softmax(input: object, dim: int, dtype: object = None) -> Tensor:
    node = floating(input) if dtype is None else cast(as_tensor(input).node, dtypes.numpy_dtype(dtype))
    return apply("LogSoftmax", f"{{f0}}({{0}}, {_axis(node, dim)})", node, functions=(formulas.log_softmax,))


@operation("cumsum")
def cumsum(input: object, dim: int) -> Tensor:
    node = as_tensor(input).node
    return apply("Cumsum", f"np.cumsum({{0}}, axis={axis_of(dim, len(node.shape))})", node, keeps=False)


@operation("cumprod")
def cumprod(input: object, dim: int) -> Tensor:
    node = as_tensor(input).node
    return apply("Cumprod", f"np.cumprod({{0}}, axis={axis_of(dim, len(node.shape))})", node)


@operation("argsort")
def argsort(input: object, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    node = as_tensor(input).node
    axis = axis_of(dim, len(node.shape))
    values = as_tensor(input).array()
    if descending:  # stable, so that of equal elements the first comes first
        flipped = np.flip(values, axis)
        order = values.shape[axis] - 1 - np.argsort(flipped, axis=axis, kind="stable")
        return wrap(given(np.flip(order, axis)))
    return wrap(given(np.argsort(values, axis=axis, kind="stable")))


@operation("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Found:
    """Sorted values, and where they were."""
    from srcgrad.tensors.operations.indexing import gather

    order = argsort(input, dim, descending)
    return SORT(gather(input, dim, order), order)


@operation("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Found:
    """The ``k`` largest (or smallest) elements along an axis, and where they are."""
    from srcgrad.tensors.operations.indexing import gather
    from srcgrad.tensors.operations.shapes import narrow

    order = narrow(argsort(input, dim, largest), dim, 0, k)
    return TOPK(gather(input, dim, order), order)


@operation("median")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, of two the lower; along an axis also where it is."""
    from srcgrad.tensors.operations.shapes import flatten, narrow, squeeze

    if dim is None:
        flat = flatten(input)
        return squeeze(median(flat, 0, keepdim=True).values)
    middle = narrow(argsort(input, dim), dim, (input.shape[dim] - 1) // 2, 1)
    return _with_positions(MEDIAN, input, middle, dim, keepdim)


@operation("unique")
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements, sorted; without derivatives."""
    more: Any = {"return_inverse": return_inverse, "return_counts": return_counts}
    found = np.unique(input.detach().array(), **more)
    return tuple(wrap(given(part)) for part in found) if isinstance(found, tuple) else wrap(given(found))


@operation("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs; without derivatives."""
    weighted = None if weights is None else weights.detach().array()
    return wrap(given(np.bincount(input.array(), weighted, minlength)))
