"""In-place updates that are not the in-place form of an operation."""

from __future__ import annotations

import numpy as np

from srcgrad.tensors import random
from srcgrad.tensors.forms import form
from srcgrad.tensors.graph import given, record
from srcgrad.tensors.operations.operands import as_tensor, cast, number_node
from srcgrad.tensors.operations.registry import operation
from srcgrad.tensors.tensor import Tensor
from srcgrad.tensors.views import reshape


@operation("fill_", function=False)
def fill_(self: Tensor, value: object) -> Tensor:
    """Every element becomes ``value``."""
    number = not isinstance(value, Tensor)
    node = number_node(value, self.node.dtype) if number else cast(as_tensor(value).node, self.node.dtype)
    if not node.needs_grad and node.value is not None:
        return self.become(given(np.full(self.shape, node.value)))
    sizes = ", ".join(f"{{s{k}}}" for k in range(self.ndim)) + ("," if self.ndim == 1 else "")
    return self.become(record(form("Fill", f"np.broadcast_to({{0}}, ({sizes}))", tuple(self.shape), keeps=False), node))


@operation("zero_", function=False)
def zero_(self: Tensor) -> Tensor:
    return fill_(self, 0)


@operation("copy_", function=False)
def copy_(self: Tensor, src: object) -> Tensor:
    """The elements of another tensor, which may have another dtype, broadcast to this one's shape."""
    from srcgrad.tensors.operations.shapes import expand

    other = as_tensor(src)
    if other.shape != self.shape:
        other = expand(other, self.shape)
    return self.become(cast(other.node, self.node.dtype))


@operation("uniform_", function=False)
def uniform_(self: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Random numbers between ``a`` and ``b``."""
    return self.become(given(random.generator().uniform(a, b, self.shape).astype(self.node.dtype)))


@operation("normal_", function=False)
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normally distributed random numbers."""
    return self.become(given(random.generator().normal(mean, std, self.shape).astype(self.node.dtype)))


@operation("squeeze_", function=False)
def squeeze_(self: Tensor) -> Tensor:
    return self.become(reshape(self.node, tuple(n for n in self.shape if n != 1)))


@operation("unsqueeze_", function=False)
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    shape = list(self.shape)
    shape.insert(dim % (len(shape) + 1), 1)
    return self.become(reshape(self.node, tuple(shape)))


@operation("masked_scatter_", function=False)
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of ``source``, in order, where the mask is true."""
    count = int(mask.array().sum())
    self[mask] = source.reshape(-1)[:count]
    return self
