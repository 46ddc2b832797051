"""Elementwise functions as modules."""

from __future__ import annotations

from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.tensors.tensor import Tensor


class ReLU(Module):
    """The positive part."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input)  # type: ignore[no-any-return]  # a tensor


class Tanh(Module):
    def forward(self, input: Tensor) -> Tensor:
        return functional.tanh(input)  # type: ignore[no-any-return]  # a tensor


class Sigmoid(Module):
    def forward(self, input: Tensor) -> Tensor:
        return functional.sigmoid(input)  # type: ignore[no-any-return]  # a tensor


class GELU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return functional.gelu(input)


class SiLU(Module):
    def forward(self, input: Tensor) -> Tensor:
        return functional.silu(input)


class Softplus(Module):
    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input)


class LeakyReLU(Module):
    """``x`` where positive, else a fraction of it."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope)


class ELU(Module):
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha)


class Softmax(Module):
    """Probabilities along an axis."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim)  # type: ignore[no-any-return]  # a tensor


class LogSoftmax(Softmax):
    """Their logarithms."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim)  # type: ignore[no-any-return]  # a tensor
