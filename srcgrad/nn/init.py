"""How parameters start: in place, without a record."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.tensors import random
from srcgrad.tensors.tensor import Tensor


def _set(tensor: Tensor, value: np.ndarray) -> Tensor:
    tensor.set_value(np.asarray(value, tensor.node.dtype))
    return tensor


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    return _set(tensor, random.generator().uniform(a, b, tensor.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    return _set(tensor, random.generator().normal(mean, std, tensor.shape))


def constant_(tensor: Tensor, val: float) -> Tensor:
    return _set(tensor, np.full(tensor.shape, val))


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1.0)


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into, and come out of, one place of a weight."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = int(np.prod(tensor.shape[2:], dtype=np.int64))
    return tensor.shape[1] * window, tensor.shape[0] * window


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Glorot and Bengio, 2010."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))))


def kaiming_uniform_(tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    """He et al., 2015."""
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    gains = {"relu": math.sqrt(2.0), "leaky_relu": math.sqrt(2.0 / (1 + a * a)), "tanh": 5.0 / 3, "linear": 1.0}
    return gains[nonlinearity] / math.sqrt(fans(tensor)[mode == "fan_out"])
