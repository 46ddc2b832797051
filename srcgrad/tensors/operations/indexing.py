"""Indexing: ``x[...]`` and ``x[...] = v``, and the functions that take elements by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.tensors.forms import form
from srcgrad.tensors.formulas import stores as formulas
from srcgrad.tensors.graph import Node, given, record
from srcgrad.tensors.operations.operands import apply, as_tensor, axis_of, cast, number_node
from srcgrad.tensors.operations.pointwise import where
from srcgrad.tensors.operations.registry import operation
from srcgrad.tensors.operations.shapes import narrow
from srcgrad.tensors.tensor import Tensor, wrap
from srcgrad.tensors.views import View, indexing


@dataclass
class Key:
    """What stands between the brackets, as text over sizes and index arrays."""

    parts: list[str]
    sizes: list[int]
    arrays: list[Node]

    def view(self) -> View:
        return indexing(", ".join(self.parts), tuple(self.sizes), tuple(self.arrays))


def parsed(tensor: Tensor, key: Any) -> Key:
    """The key checked against the tensor's shape, with masks as positions and bounds as they are meant."""
    given_parts = list(key) if isinstance(key, tuple) else [key]
    parts = [_plain(part) for part in given_parts]
    used = sum(_axes_taken(part) for part in parts)
    rank = tensor.ndim
    if used > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank}")
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    found = Key([], [], [])
    axis = 0
    for part in parts:
        if part is Ellipsis:
            found.parts.extend([":"] * (rank - used))
            axis += rank - used
            continue
        _add_part(found, tensor.node.shape, axis, part)
        axis += _axes_taken(part)
    if rank == 0 and not found.parts:
        found.parts.append("...")
    return found


def _plain(part: Any) -> Any:
    """Lists and tensors as arrays, tensors without axes as numbers."""
    if isinstance(part, Tensor):
        if not part.ndim and part.node.dtype.kind in "iu":
            return int(part.item())
        return part.array()
    if isinstance(part, list | tuple | range):
        return np.array([_plain(p) for p in part])
    return part


def _axes_taken(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, bool | np.bool_):
        raise IndexError("indexing with a Python bool is not supported: use an if")
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def _add_part(found: Key, shape: tuple[int, ...], axis: int, part: Any) -> None:
    if part is None:
        found.parts.append("None")
    elif isinstance(part, slice):
        _add_slice(found, shape[axis], part)
    elif isinstance(part, np.ndarray) and part.dtype == bool:
        if part.shape != shape[axis : axis + part.ndim]:
            raise IndexError(
                f"The shape of the mask {list(part.shape)} at index 0 does not match the shape of the indexed tensor "
                f"{list(shape)} at index {axis}"
            )
        for positions in np.nonzero(part):
            _add_array(found, positions)
    elif isinstance(part, np.ndarray):
        if part.dtype.kind not in "iu":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        _add_array(found, _wrapped(part, shape[axis], axis))
    else:
        index = int(part.__index__())
        if not -shape[axis] <= index < shape[axis]:
            raise IndexError(f"index {index} is out of bounds for dimension {axis} with size {shape[axis]}")
        found.parts.append(str(index % shape[axis]))


def _add_slice(found: Key, extent: int, part: slice) -> None:
    bounds = [None if b is None else int(b.__index__()) for b in (part.start, part.stop, part.step)]
    start, stop, step = slice(*bounds).indices(extent)
    if step < 1:
        raise ValueError("step must be greater than zero")
    stop = max(start, stop)
    text = ""
    if start:
        text += f"{{s{len(found.sizes)}}}"
        found.sizes.append(start)
    text += ":"
    if stop < extent:
        text += f"{{s{len(found.sizes)}}}"
        found.sizes.append(stop)
    found.parts.append(text if step == 1 else f"{text}:{step}")


def _add_array(found: Key, positions: np.ndarray) -> None:
    found.arrays.append(given(positions.astype(np.int64)))
    found.parts.append(f"{{{len(found.arrays)}}}")


def _wrapped(positions: np.ndarray, extent: int, axis: int) -> np.ndarray:
    """Positions counted from 0; PyTorch's error if one is out of range."""
    bad = (positions < -extent) | (positions >= extent)
    if bad.any():
        raise IndexError(f"index {positions[bad].flat[0]} is out of bounds for dimension {axis} with size {extent}")
    return np.where(positions < 0, positions + extent, positions)


def get_item(self: Tensor, key: Any) -> Tensor:
    found = parsed(self, key)
    if not found.arrays:
        return self.view_as_step(found.view())
    return wrap(found.view().read(self.node))


def set_item(self: Tensor, key: Any, value: Any) -> None:
    number = isinstance(value, bool | int | float) or (isinstance(value, Tensor) and not value.ndim)
    if isinstance(key, Tensor) and key.node.dtype == bool and key.shape == self.shape and number:
        node = value.node if isinstance(value, Tensor) else number_node(value, self.node.dtype)
        self.become(where(key, wrap(cast(node, self.node.dtype)), self).node)
        return
    found = parsed(self, key)
    node = number_node(value, self.node.dtype) if not isinstance(value, Tensor) and number else as_tensor(value).node
    target = found.view().read(self.node).shape
    try:
        if np.broadcast_shapes(target, node.shape) != target:
            raise ValueError
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(node.shape)} cannot be broadcast to indexing result of shape "
            f"{list(target)}"
        ) from None
    self.become(found.view().write(self.node, cast(node, self.node.dtype)))


def _iterate(self: Tensor) -> Any:
    if not self.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter([get_item(self, k) for k in range(self.shape[0])])


for _name, _made in {"getitem": get_item, "setitem": set_item, "iter": _iterate}.items():
    setattr(Tensor, f"__{_name}__", _made)


@operation("gather")
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements at positions along one axis, all other indices being the same."""
    axis = axis_of(dim, input.ndim)
    if not input.ndim:
        return input
    for k, n in enumerate(index.shape):
        if k != axis and n < input.shape[k]:
            input = narrow(input, k, 0, n)
    return apply("Gather", f"np.take_along_axis({{0}}, {{1}}, {axis})", input.node, _positions(index, input, axis))


@operation("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int) -> Tensor:
    return gather(input, dim, indices)


def _positions(index: Tensor, input: Tensor, axis: int) -> Node:
    """An index tensor, checked where its values are known already."""
    node = index.node
    if node.dtype.kind not in "iu":
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if node.value is None:
        return node
    extent = input.shape[axis]
    if node.value.size and not (node.value.min() >= 0 and node.value.max() < extent):
        bad = next(int(i) for i in node.value.flat if not 0 <= i < extent)
        raise RuntimeError(f"index {bad} is out of bounds for dimension {axis} with size {extent}")
    return node


@operation("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices at positions along one axis."""
    axis = axis_of(dim, input.ndim)
    return apply(
        "IndexSelect", f"np.take({{0}}, {{1}}, axis={axis})", input.node, _positions(index, input, axis), keeps=False
    )


@operation("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements by their position in reading order."""
    from srcgrad.tensors.operations.shapes import reshape

    return get_item(reshape(input, -1), index)


@operation("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    return get_item(input, mask)


@operation("nonzero", "argwhere")
def nonzero(input: Tensor, as_tuple: bool = False) -> Any:
    """The indices of elements that are not zero, one in each row."""
    found = np.nonzero(input.array())
    if as_tuple:
        return tuple(wrap(given(part)) for part in found)
    return wrap(given(np.stack(found, axis=1)))


@operation("scatter", in_place=True)
def scatter(input: Tensor, dim: int, index: Tensor, src: object) -> Tensor:
    """``input`` with ``src`` stored at positions along one axis."""
    axis = axis_of(dim, input.ndim)
    node = as_tensor(src).node
    if not node.shape:
        from srcgrad.tensors.operations.shapes import expand

        node = expand(wrap(node), index.shape).node
    text = f"{{f0}}({{0}}, {axis}, {{1}}, {{2}})"
    positions = _positions(index, input, axis)
    return apply("Scatter", text, input.node, positions, cast(node, input.node.dtype), functions=(formulas.put_along,))


@operation("scatter_add", in_place=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``input`` with ``src`` added at positions along one axis."""
    axis = axis_of(dim, input.ndim)
    text = f"{{f0}}({{0}}, {axis}, {{1}}, {{2}})"
    nodes = (input.node, _positions(index, input, axis), cast(src.node, input.node.dtype))
    return wrap(record(form("ScatterAdd", text, functions=(formulas.added_along,)), *nodes))


@operation("index_add", in_place=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """``input`` with slices of ``source`` added at positions along one axis."""
    from srcgrad.tensors.operations.shapes import expand, reshape

    axis = axis_of(dim, input.ndim)
    shape = [index.numel() if k == axis else 1 for k in range(input.ndim)]
    return scatter_add(input, axis, expand(reshape(index, *shape), source.shape), alpha * source)
