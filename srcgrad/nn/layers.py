"""The layers: linear, convolution, pooling, normalisation."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.nn import functional, init
from srcgrad.nn.module import Module, Parameter
from srcgrad.tensors.creation import empty, ones, zeros
from srcgrad.tensors.dtypes import int64
from srcgrad.tensors.tensor import Tensor


class Linear(Module):
    """``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features : int
    bias : bool
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: object = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if bias:
            self.bias = Parameter(empty(out_features, dtype=dtype))
            bound = 1 / math.sqrt(in_features) if in_features else 0.0
            init.uniform_(self.bias, -bound, bound)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Conv2d(Module):
    """A correlation of images ``(n, c, h, w)`` with a window for each output channel."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.weight = Parameter(empty(out_channels, in_channels // groups, *self.kernel_size))
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if bias:
            self.bias = Parameter(empty(out_channels))
            bound = 1 / math.sqrt(in_channels // groups * self.kernel_size[0] * self.kernel_size[1])
            init.uniform_(self.bias, -bound, bound)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        how = (self.stride, self.padding, self.dilation, self.groups)
        return functional.conv2d(input, self.weight, self.bias, *how)

    def extra_repr(self) -> str:
        pair = self.stride if isinstance(self.stride, tuple) else (self.stride, self.stride)
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={pair}"


class MaxPool2d(Module):
    """The largest element in each window."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride or kernel_size, padding

    def forward(self, input: Tensor) -> Tensor:
        return functional.max_pool2d(input, self.kernel_size, self.stride, self.padding)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(MaxPool2d):
    """The mean of each window."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.avg_pool2d(input, self.kernel_size, self.stride, self.padding)


class LayerNorm(Module):
    """Centred and scaled to variance 1 over the last axes, then a line with trained slope and offset."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        if elementwise_affine:
            self.weight = Parameter(ones(self.normalized_shape))
            self.bias = Parameter(zeros(self.normalized_shape))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.weight is not None}"


class BatchNorm1d(Module):
    """Centred and scaled to variance 1 over the batch; while not training, by running means."""

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        if affine:
            self.weight = Parameter(ones(num_features))
            self.bias = Parameter(zeros(num_features))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.register_buffer("running_mean", zeros(num_features))
        self.register_buffer("running_var", ones(num_features))
        self.register_buffer("num_batches_tracked", zeros((), dtype=int64))

    def forward(self, input: Tensor) -> Tensor:
        shape = [1] * input.ndim
        shape[1] = self.num_features
        axes = [k for k in range(input.ndim) if k != 1]
        if self.training:
            mean, variance = input.mean(axes, True), input.var(axes, correction=0, keepdim=True)
            self._note(mean.detach().reshape(-1), variance.detach().reshape(-1), input.numel() // self.num_features)
        else:
            mean, variance = self.running_mean.reshape(shape), self.running_var.reshape(shape)
        result = (input - mean) / (variance + self.eps).sqrt()
        if self.weight is None:
            return result
        scaled: Tensor = result * self.weight.reshape(shape) + self.bias.reshape(shape)
        return scaled

    def _note(self, mean: Tensor, variance: Tensor, count: int) -> None:
        self.running_mean = self.running_mean * (1 - self.momentum) + mean * self.momentum
        unbiased = variance * (count / max(count - 1, 1))
        self.running_var = self.running_var * (1 - self.momentum) + unbiased * self.momentum
        self.num_batches_tracked = self.num_batches_tracked + 1

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.weight is not None}"


class BatchNorm2d(BatchNorm1d):
    """The same for images, over all places."""


class Embedding(Module):
    """A row of trained numbers for each index."""

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(empty(num_embeddings, embedding_dim))
        init.normal_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        return functional.embedding(input, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Dropout(Module):
    """Zeros with probability ``p`` while training."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = p

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Flatten(Module):
    """All axes from ``start_dim`` on as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)  # type: ignore[no-any-return]  # a tensor


class Identity(Module):
    """Its argument."""

    def forward(self, input: Tensor) -> Tensor:
        return input
