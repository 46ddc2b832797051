"""Random numbers drawn inside a function: the legacy functions of ``np.random``, with their very streams.

All of them are made of uniform and normal numbers, of integers and of permutations, by the formulas of NumPy's legacy
generator (`RandomState`). So a draw is differentiated with respect to the parameters of its distribution, as in
``loc + scale * z``, and ``z`` is a number like any other that was read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.order import order_of_draws
from srcgrad.frontend.calls.routines import routine
from srcgrad.primitives.library import library

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SEED = """def seed_draws(before, seed, after):
    np.random.seed(seed)
"""
UNIFORM = """def uniform_draws(before, after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = np.random.random()
"""
NORMAL = """def normal_draws(before, after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = np.random.standard_normal()
"""
INTEGER = """def integer_draws(before, low, high, after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = np.random.randint(low, high)
"""
PERMUTATION = """def permutation_draws(before, after, drawn):
    drawn[:] = np.random.permutation(drawn.shape[0])
"""


@routine(reads=2, fills=1, aids=1, compiled=SEED)
def seed_draws(before: Integers, seed: int, after: Integers) -> None:
    np.random.seed(seed)


@routine(reads=1, fills=2, aids=2, compiled=UNIFORM)
def uniform_draws(before: Integers, after: Integers, drawn: Floats) -> None:
    drawn[...] = np.random.random(drawn.shape)


@routine(reads=1, fills=2, aids=2, compiled=NORMAL)
def normal_draws(before: Integers, after: Integers, drawn: Floats) -> None:
    drawn[...] = np.random.standard_normal(drawn.shape)


@routine(reads=3, fills=2, aids=2, compiled=INTEGER)
def integer_draws(before: Integers, low: int, high: int, after: Integers, drawn: Integers) -> None:
    drawn[...] = np.random.randint(low, high, drawn.shape)


@routine(reads=1, fills=2, aids=2, compiled=PERMUTATION)
def permutation_draws(before: Integers, after: Integers, drawn: Integers) -> None:
    drawn[...] = np.random.permutation(drawn.shape[0])


# -- numbers, or arrays of a shape ----------------------------------------------------------------------------


def shape_of_draw(size: Any, parameters: Any) -> Any:
    """The shape asked for, or that of the parameters."""
    if size is None:
        return np.shape(parameters)
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def number_of(shape: Any) -> Any:
    """How many numbers there are in an array of this shape."""
    count = 1
    for n in shape:
        count *= n
    return count


def filled(fill: Any, shape: Any) -> Any:
    order = order_of_draws()
    if len(shape) == 0:
        one = np.empty(1)
        fill(order, order, one)
        return float(one[0])
    many = np.empty(number_of(shape))
    fill(order, order, many)
    return many.reshape(shape)


@library(np.random.seed)
def seed(seed: Any) -> None:
    order = order_of_draws()
    seed_draws(order, int(seed), order)


@library(np.random.random, np.random.random_sample, np.random.ranf, np.random.sample)
def random(size: Any = None) -> Any:
    return filled(uniform_draws, shape_of_draw(size, 0.0))


@library(np.random.rand)
def rand(*shape: Any) -> Any:
    return filled(uniform_draws, shape)


@library(np.random.uniform)
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return low + (high - low) * filled(uniform_draws, shape_of_draw(size, low + high))


@library(np.random.standard_normal)
def standard_normal(size: Any = None) -> Any:
    return filled(normal_draws, shape_of_draw(size, 0.0))


@library(np.random.randn)
def randn(*shape: Any) -> Any:
    return filled(normal_draws, shape)


@library(np.random.normal)
def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return loc + scale * filled(normal_draws, shape_of_draw(size, loc + scale))


@library(np.random.lognormal)
def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return np.exp(normal(mean, sigma, size))


@library(np.random.standard_exponential)
def standard_exponential(size: Any = None) -> Any:
    return exponential(1.0, size)


@library(np.random.exponential)
def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    return -scale * np.log(1.0 - filled(uniform_draws, shape_of_draw(size, scale)))


@library(np.random.rayleigh)
def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    return scale * np.sqrt(-2.0 * np.log(1.0 - filled(uniform_draws, shape_of_draw(size, scale))))


@library(np.random.weibull)
def weibull(a: Any, size: Any = None) -> Any:
    return (-np.log(1.0 - filled(uniform_draws, shape_of_draw(size, a)))) ** (1.0 / a)


@library(np.random.pareto)
def pareto(a: Any, size: Any = None) -> Any:
    return np.expm1(-np.log(1.0 - filled(uniform_draws, shape_of_draw(size, a))) / a)


@library(np.random.logistic)
def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    u = filled(uniform_draws, shape_of_draw(size, loc + scale))
    return loc + scale * np.log(u / (1.0 - u))


@library(np.random.laplace)
def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    u = filled(uniform_draws, shape_of_draw(size, loc + scale))
    return loc + scale * np.where(u < 0.5, np.log(u + u), -np.log(2.0 - u - u))


@library(np.random.gumbel)
def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    u = filled(uniform_draws, shape_of_draw(size, loc + scale))
    return loc - scale * np.log(-np.log(1.0 - u))


# -- integers, permutations, choices ------------------------------------------------------------------------


@library(np.random.randint)
def randint(low: Any, high: Any = None, size: Any = None) -> Any:
    order = order_of_draws()
    first, behind = (0, low) if high is None else (low, high)
    if first >= behind:
        raise ValueError("low >= high")
    shape = shape_of_draw(size, 0.0)
    drawn = np.empty(number_of(shape), np.int64)
    integer_draws(order, int(first), int(behind), order, drawn)
    return int(drawn[0]) if len(shape) == 0 else drawn.reshape(shape)


def permuted(n: Any) -> Any:
    order = order_of_draws()
    drawn = np.empty(n, np.int64)
    permutation_draws(order, order, drawn)
    return drawn


@library(np.random.permutation)
def permutation(x: Any) -> Any:
    return permuted(x) if np.ndim(x) == 0 else np.asarray(x)[permuted(len(x))]


@library(np.random.shuffle)
def shuffle(x: Any) -> None:
    put_in_order(x, permuted(len(x)))


def put_in_order(x: Any, order: Any) -> None:
    """Give an array, or a list, its items in another order."""
    if isinstance(x, list):
        before = list(x)
        for i in range(len(x)):
            x[i] = before[order[i]]
    else:
        x[:] = x[order]


@library(np.random.choice)
def choice(a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    n = a if np.ndim(a) == 0 else len(a)
    shape = shape_of_draw(size, 0.0)
    if p is not None:
        ends = np.cumsum(p)
        picked = np.searchsorted(ends / ends[-1], filled(uniform_draws, shape), "right")
    elif replace:
        picked = randint(0, n, size)
    else:
        count = number_of(shape)
        if count > n:
            raise ValueError("cannot take a larger sample than there are items when replace is False")
        picked = permuted(n)[:count].reshape(shape) if len(shape) > 0 else permuted(n)[0]
    return picked if np.ndim(a) == 0 else np.asarray(a)[picked]
