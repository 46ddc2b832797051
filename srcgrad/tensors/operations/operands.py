"""What operations take: tensors, arrays and Python numbers, brought to a common type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Number
from typing import Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.forms import Form, form
from srcgrad.tensors.graph import Node, given, record
from srcgrad.tensors.tensor import Tensor, wrap


def as_tensor(value: object) -> Tensor:
    """A tensor as it is; an array or a number as one."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return wrap(given(np.array(value)))
    if isinstance(value, Number | bool):
        return wrap(given(np.asarray(value, dtypes.promoted((), (), (value,)))))
    raise TypeError(f"expected a Tensor, got {type(value).__name__}")


def cast(node: Node, dtype: np.dtype) -> Node:
    """The node in another type."""
    if node.dtype == dtype:
        return node
    return record(_cast_form(dtype, dtype.kind != "f"), node)


@lru_cache(maxsize=64)
def _cast_form(dtype: np.dtype, discrete: bool) -> Form:
    return form("ToCopy", f"np.asarray({{0}}).astype(np.{dtype.name})", keeps=False, discrete=discrete)


def number_node(value: object, dtype: np.dtype) -> Node:
    """A Python number as an argument: it may be another one next time."""
    return given(np.asarray(value, dtype))


def common(*operands: object) -> tuple[list[Node], np.dtype]:
    """The operands as nodes of PyTorch's common type."""
    first, *rest = operands
    if isinstance(first, Tensor) and all(isinstance(o, Tensor) and o.node.dtype == first.node.dtype for o in rest):
        return [o.node for o in operands], first.node.dtype  # type: ignore[attr-defined]  # tensors
    tensors = [as_tensor(o).node for o in operands if not isinstance(o, bool | int | float)]
    dtype = dtypes.promoted(
        [n.dtype for n in tensors if n.shape],
        [n.dtype for n in tensors if not n.shape],
        [o for o in operands if isinstance(o, bool | int | float)],
    )
    return [_as_node(o, dtype) for o in operands], dtype


def _as_node(operand: object, dtype: np.dtype) -> Node:
    if isinstance(operand, bool | int | float):
        return number_node(operand, dtype)
    return cast(as_tensor(operand).node, dtype)


def floating(value: object) -> Node:
    """The operand as a float: integers become the default type."""
    node = as_tensor(value).node
    return node if node.dtype.kind == "f" else cast(node, dtypes.default_dtype())


def broadcast(of: Form, nodes: Sequence[Node]) -> Tensor:
    """An elementwise operation; PyTorch's error if the shapes do not fit."""
    try:
        return wrap(record(of, *nodes))
    except ValueError:
        complain_of_shapes([n.shape for n in nodes])
        raise


def complain_of_shapes(shapes: Sequence[tuple[int, ...]]) -> None:
    """Raise if shapes do not broadcast."""
    a, b = shapes[0], shapes[-1]
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
            raise RuntimeError(
                f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) at non-singleton dimension "
                f"{max(len(a), len(b)) - k}"
            )


def axis_of(dim: int, rank: int) -> int:
    """The axis counted from 0; PyTorch's error if there is none."""
    limit = max(rank, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit


def axes_of(dim: Any, rank: int) -> tuple[int, ...]:
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(axis_of(d, rank) for d in dims)


def apply(name: str, text: str, *nodes: Node, functions: tuple[Callable[..., Any], ...] = (), **rest: Any) -> Tensor:
    """A tensor for an operation given by its text."""
    return wrap(record(form(name, text, functions=functions, **rest), *nodes))


def shape_of(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape given as one sequence or as several numbers."""
    if len(sizes) == 1 and not isinstance(sizes[0], int) and not (isinstance(sizes[0], Tensor)):
        sizes = tuple(sizes[0])
    return tuple(int(n) for n in sizes)
