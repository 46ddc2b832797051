"""Random tensors, from one generator that ``manual_seed`` starts anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.creation import shape_of
from srcgrad.tensors.tensor import Tensor, leaf

_state = [np.random.default_rng()]


def generator() -> np.random.Generator:
    return _state[0]


def manual_seed(seed: int) -> None:
    """Start the generator anew. The numbers differ from PyTorch's for the same seed."""
    _state[0] = np.random.default_rng(seed)


def _of(array: np.ndarray, dtype: object, requires_grad: bool) -> Tensor:
    wanted = dtypes.default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)
    return leaf(np.asarray(array, wanted), requires_grad)


def rand(*size: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    """Uniformly distributed between 0 and 1."""
    return _of(generator().random(shape_of(size)), dtype, requires_grad)


def randn(*size: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    """Normally distributed."""
    return _of(generator().standard_normal(shape_of(size)), dtype, requires_grad)


def normal(mean: float, std: float, size: Any) -> Tensor:
    return _of(generator().normal(mean, std, tuple(size)), None, False)


def randint(low: int, high: int | None = None, size: Any = (), *, dtype: object = dtypes.int64) -> Tensor:
    """Integers from ``low`` up to, and without, ``high``."""
    if not isinstance(high, int):  # randint(high, size)
        low, high, size = 0, low, high if high is not None else size
    return leaf(generator().integers(low, high, tuple(size)).astype(dtypes.numpy_dtype(dtype)))


def randperm(n: int) -> Tensor:
    """The numbers below ``n`` in random order."""
    return leaf(generator().permutation(n))


def bernoulli(input: Tensor) -> Tensor:
    """1 with the probability that the input says, else 0."""
    array = input.array()
    return leaf((generator().random(array.shape) < array).astype(array.dtype))


def multinomial(input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Positions drawn with probabilities proportional to the input."""
    weights = input.array().astype(np.float64)
    return leaf(generator().choice(len(weights), num_samples, replacement, weights / weights.sum()))


def rand_like(input: Tensor, dtype: object = None) -> Tensor:
    return rand(*input.shape, dtype=dtype or input.dtype)


def randn_like(input: Tensor, dtype: object = None) -> Tensor:
    return randn(*input.shape, dtype=dtype or input.dtype)
