"""Tensors: the torch.autograd way of working, on generated gradients."""

from srcgrad.tensors.namespace import names
from srcgrad.tensors.tensor import Tensor

__all__ = ["Tensor", "names"]
