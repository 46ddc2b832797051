"""Views and copies with other shapes: reshaping, permuting, joining, splitting, repeating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.attributes import Device
from srcgrad.tensors.forms import form
from srcgrad.tensors.graph import record
from srcgrad.tensors.operations.operands import apply, as_tensor, axes_of, axis_of, cast, shape_of
from srcgrad.tensors.operations.registry import operation
from srcgrad.tensors.tensor import Tensor, wrap
from srcgrad.tensors.views import View, indexing, permuting, reshaping


@operation("reshape", "view")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """A view with another shape; one extent may be -1. ``view(dtype)`` is not supported."""
    sizes = list(shape_of(shape))
    count = input.numel()
    if sizes.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in sizes:
        known = int(np.prod([n for n in sizes if n != -1], dtype=np.int64))
        if known == 0 or count % known:
            raise RuntimeError(f"shape '{sizes}' is invalid for input of size {count}")
        sizes[sizes.index(-1)] = count // known
    if int(np.prod(sizes, dtype=np.int64)) != count:
        raise RuntimeError(f"shape '{sizes}' is invalid for input of size {count}")
    return input.view_as_step(reshaping(tuple(sizes)))


@operation("view_as", "reshape_as", function=False)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    return reshape(input, other.shape)


@operation("flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape, rank = input.node.shape, input.ndim
    if not rank:
        return reshape(input, 1)
    first, last = axis_of(start_dim, rank), axis_of(end_dim, rank)
    merged = int(np.prod(shape[first : last + 1], dtype=np.int64))
    return reshape(input, *shape[:first], merged, *shape[last + 1 :])


@operation("ravel")
def ravel(input: Tensor) -> Tensor:
    return reshape(input, -1)


@operation("unflatten")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    axis = axis_of(dim, input.ndim)
    known = list(sizes)
    if -1 in known:
        rest = -int(np.prod(known, dtype=np.int64))
        known[known.index(-1)] = input.node.shape[axis] // rest
    return reshape(input, *input.node.shape[:axis], *known, *input.node.shape[axis + 1 :])


@operation("squeeze")
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without axes of extent 1: all, or those given."""
    shape = input.node.shape
    axes = range(len(shape)) if dim is None else axes_of(dim, len(shape))
    return input.view_as_step(reshaping(tuple(n for k, n in enumerate(shape) if n != 1 or k not in axes)))


@operation("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With an axis of extent 1 more."""
    shape = list(input.node.shape)
    shape.insert(axis_of(dim, len(shape) + 1), 1)
    return input.view_as_step(reshaping(tuple(shape)))


@operation("permute")
def permute(input: Tensor, *dims: Any) -> Tensor:
    order = axes_of(shape_of(dims), input.ndim)
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length")
    return input.view_as_step(permuting(order))


@operation("transpose", "swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    order = list(range(input.ndim))
    if not order:
        return input
    a, b = axes_of((dim0, dim1), input.ndim)
    order[a], order[b] = order[b], order[a]
    return input.view_as_step(permuting(tuple(order)))


@operation("t")
def t(input: Tensor) -> Tensor:
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return transpose(input, 0, -1)


@operation("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    sources, targets = axes_of(source, input.ndim), axes_of(destination, input.ndim)
    order = [k for k in range(input.ndim) if k not in sources]
    for to, taken in sorted(zip(targets, sources, strict=True)):
        order.insert(to, taken)
    return input.view_as_step(permuting(tuple(order)))


def _reversed_axes(input: Tensor) -> Tensor:
    return input.view_as_step(permuting(tuple(range(input.ndim))[::-1]))


def _matrix_transposed(input: Tensor) -> Tensor:
    return transpose(input, -1, -2)


Tensor.T = property(_reversed_axes)  # type: ignore[attr-defined]  # an operation as an attribute
Tensor.mT = property(_matrix_transposed)  # type: ignore[attr-defined]


@operation("expand", "broadcast_to")
def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Repeated along axes of extent 1, without memory; -1 keeps an extent."""
    wanted = list(shape_of(sizes))
    extra = len(wanted) - input.ndim
    for k, n in enumerate(wanted):
        if n == -1:
            wanted[k] = input.node.shape[k - extra]
    shape = tuple(wanted)
    sized = ", ".join(f"{{s{k}}}" for k in range(len(shape)))
    of = form("Expand", f"np.broadcast_to({{0}}, ({sized}{',' if len(shape) == 1 else ''}))", shape, keeps=False)

    def refuse(*_: object) -> Any:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )

    try:
        return input.view_as_step(View(lambda base: record(of, base), refuse))
    except ValueError:
        raise RuntimeError(
            f"The expanded size of the tensor {wanted} must match the existing size {list(input.shape)}"
        ) from None


@operation("expand_as", function=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return expand(input, other.shape)


@operation("repeat", function=False)
def repeat(input: Tensor, *sizes: Any) -> Tensor:
    """Tiled copies, one count for each axis."""
    return tile(input, shape_of(sizes))


@operation("tile")
def tile(input: Tensor, *dims: Any) -> Tensor:
    return apply("Repeat", f"np.tile({{0}}, {shape_of(dims)})", input.node, keeps=False)


@operation("repeat_interleave")
def repeat_interleave(input: Tensor, repeats: int, dim: int | None = None) -> Tensor:
    axis = None if dim is None else axis_of(dim, input.ndim)
    return apply("RepeatInterleave", f"np.repeat({{0}}, {int(repeats)}, axis={axis})", input.node, keeps=False)


@operation("clone", function=True)
def clone(input: Tensor, memory_format: object = None) -> Tensor:
    """A copy, through which the derivative goes."""
    if not input.requires_grad:
        return wrap(record(form("Clone", "np.copy({0})", keeps=False), input.node))
    return wrap(record(form("Clone", "{0} + 0", keeps=False), input.node))


@operation("contiguous", "cpu", function=False)
def contiguous(input: Tensor, memory_format: object = None) -> Tensor:
    return input


@operation("to", function=False)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """In another dtype, given as such, by a name or by another tensor; the only device is the CPU."""
    wanted = kwargs.pop("dtype", None)
    for given in (*args, kwargs.pop("device", None)):
        if given is None or isinstance(given, bool):
            continue
        if isinstance(given, Tensor):
            wanted = given.dtype
        elif isinstance(given, str | Device):
            Device(given)
        else:
            wanted = given
    if wanted is None or dtypes.numpy_dtype(wanted) == input.node.dtype:
        return input
    return wrap(cast(input.node, dtypes.numpy_dtype(wanted)))


@operation("type", function=False)
def type_(input: Tensor, dtype: object) -> Tensor:
    return to(input, dtype)


@operation("type_as", function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    return to(input, other.dtype)


def _add_conversion(name: str, dtype: dtypes.DType) -> None:
    operation(name, function=False)(lambda input: to(input, dtype))


for _name, _dtype in dtypes.ALIASES.items():
    _add_conversion(_name, _dtype)


@operation("cat", "concat", "concatenate", method=False)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Joined along an axis."""
    nodes = [as_tensor(tensor).node for tensor in tensors]
    if not nodes:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    nodes = [n for n in nodes if n.shape != (0,)] or nodes[:1]  # as in PyTorch, an empty list of nothing joins anything
    dtype = dtypes.promoted([n.dtype for n in nodes], (), ())
    return _joined("Cat", "np.concatenate", [cast(n, dtype) for n in nodes], axis_of(dim, len(nodes[0].shape)))


@operation("stack", method=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Joined along a new axis."""
    nodes = [as_tensor(tensor).node for tensor in tensors]
    for node in nodes:
        if node.shape != nodes[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(nodes[0].shape)} at entry 0 and "
                f"{list(node.shape)} at entry {nodes.index(node)}"
            )
    dtype = dtypes.promoted([n.dtype for n in nodes], (), ())
    axis = axis_of(dim, len(nodes[0].shape) + 1)
    if not nodes[0].shape:
        return _array_of([cast(n, dtype) for n in nodes])
    return _joined("Stack", "np.stack", [cast(n, dtype) for n in nodes], axis)


def _joined(name: str, function: str, nodes: list[Any], axis: int) -> Tensor:
    operands = ", ".join(f"{{{k}}}" for k in range(len(nodes)))
    try:
        return apply(name, f"{function}(({operands},), axis={axis})", *nodes, keeps=False)
    except ValueError as error:
        raise RuntimeError(f"Sizes of tensors must match except in dimension {axis}. {error}") from None


def _array_of(nodes: list[Any]) -> Tensor:
    operands = ", ".join(f"{{{k}}}" for k in range(len(nodes)))
    return apply("Stack", f"np.array([{operands}])", *nodes, keeps=False)


@operation("vstack", method=False)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    return cat([unsqueeze(t, 0) if t.ndim == 1 else t for t in tensors], 0)


@operation("hstack", method=False)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


@operation("narrow")
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A run of ``length`` along an axis."""
    axis = axis_of(dim, input.ndim)
    key = ":, " * axis + "{s0}:{s1}"
    return input.view_as_step(indexing(key, (int(start), int(start) + int(length))))


@operation("select")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One place along an axis."""
    axis = axis_of(dim, input.ndim)
    if not -input.shape[axis] <= index < input.shape[axis]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return input.view_as_step(indexing(":, " * axis + str(int(index) % input.shape[axis]), ()))


@operation("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(select(input, dim, k) for k in range(input.shape[dim]))


@operation("split")
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Runs along an axis, all of one length but the last, or of the lengths given."""
    n = tensor.shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        lengths: Sequence[int] = [min(size, n - k) for k in range(0, n, size)]
    else:
        lengths = split_size_or_sections
    starts = np.cumsum([0, *lengths])
    return tuple(narrow(tensor, dim, int(a), length) for a, length in zip(starts, lengths, strict=False))


@operation("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    return split(input, -(-input.shape[dim] // chunks), dim)


@operation("flip")
def flip(input: Tensor, *dims: Any) -> Tensor:
    key = ["::-1" if k in axes_of(shape_of(dims), input.ndim) else ":" for k in range(input.ndim)]
    return apply("Flip", f"{{0}}[{', '.join(key)}]", input.node, keeps=False)


@operation("roll")
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    axis = None if dims is None else dims
    return apply("Roll", f"np.roll({{0}}, {shifts}, axis={axis})", input.node, keeps=False)


@operation("diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return apply("Diagonal", f"np.diagonal({{0}}, {offset}, {dim1}, {dim2})", input.node, keeps=False)


@operation("diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    return apply("Diag", f"np.diag({{0}}, {diagonal})", input.node, keeps=False)


@operation("tril")
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    return apply("Tril", f"np.tril({{0}}, {diagonal})", input.node, keeps=False)


@operation("triu")
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    return apply("Triu", f"np.triu({{0}}, {diagonal})", input.node, keeps=False)


@operation("broadcast_tensors", method=False)
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    shape = np.broadcast_shapes(*(t.shape for t in tensors))
    return tuple(expand(t, shape) for t in tensors)


@operation("meshgrid", method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinates on a grid; by default the first tensor varies along the first axis."""
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else list(tensors)
    if indexing == "xy":
        y, x = meshgrid(given[1], given[0])
        return x, y
    shape = [t.numel() for t in given]
    return tuple(
        expand(reshape(t, *[shape[k] if k == axis else 1 for k in range(len(shape))]), shape)
        for axis, t in enumerate(given)
    )
