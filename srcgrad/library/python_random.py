"""Python's own module ``random``: numbers drawn inside a function from its one generator.

Seeded in compiled code it gives other numbers than Python does, as in any code that Numba compiles.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.order import order_of_draws
from srcgrad.frontend.calls.routines import routine
from srcgrad.primitives.library import library

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
MODULE = "import random\n"

SEED = """def python_seed(before, seed, after):
    random.seed(seed)
"""
UNIFORM = """def python_uniform(before, after, drawn):
    drawn[0] = random.random()
"""
GAUSS = """def python_gauss(before, after, drawn):
    drawn[0] = random.gauss(0.0, 1.0)
"""
NORMAL = """def python_normal(before, after, drawn):
    drawn[0] = random.normalvariate(0.0, 1.0)
"""
BELOW = """def python_below(before, count, after, drawn):
    drawn[0] = random.randrange(count)
"""


@routine(reads=2, fills=1, aids=1, compiled=SEED, helpers=(MODULE,))
def python_seed(before: Integers, seed: int, after: Integers) -> None:
    import random

    random.seed(int(seed))


@routine(reads=1, fills=2, aids=2, compiled=UNIFORM, helpers=(MODULE,))
def python_uniform(before: Integers, after: Integers, drawn: Floats) -> None:
    import random

    drawn[0] = random.random()


@routine(reads=1, fills=2, aids=2, compiled=GAUSS, helpers=(MODULE,))
def python_gauss(before: Integers, after: Integers, drawn: Floats) -> None:
    import random

    drawn[0] = random.gauss(0.0, 1.0)


@routine(reads=1, fills=2, aids=2, compiled=NORMAL, helpers=(MODULE,))
def python_normal(before: Integers, after: Integers, drawn: Floats) -> None:
    import random

    drawn[0] = random.normalvariate(0.0, 1.0)


@routine(reads=2, fills=2, aids=2, compiled=BELOW, helpers=(MODULE,))
def python_below(before: Integers, count: int, after: Integers, drawn: Integers) -> None:
    import random

    drawn[0] = random.randrange(count)


def drawn_by(fill: Any) -> float:
    order = order_of_draws()
    one = np.empty(1)
    fill(order, order, one)
    return float(one[0])


def below(count: int) -> int:
    order = order_of_draws()
    one = np.empty(1, np.int64)
    python_below(order, count, order, one)
    return int(one[0])


@library(random.seed)
def seed(a: Any) -> None:
    order = order_of_draws()
    python_seed(order, int(a), order)


@library(random.random)
def unit() -> float:
    return drawn_by(python_uniform)


@library(random.uniform)
def uniform(a: Any, b: Any) -> Any:
    return a + (b - a) * drawn_by(python_uniform)


@library(random.gauss)
def gauss(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + drawn_by(python_gauss) * sigma


@library(random.normalvariate)
def normalvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return mu + drawn_by(python_normal) * sigma


@library(random.lognormvariate)
def lognormvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return np.exp(normalvariate(mu, sigma))


@library(random.expovariate)
def expovariate(lambd: Any = 1.0) -> Any:
    return -np.log(1.0 - drawn_by(python_uniform)) / lambd


@library(random.randint)
def randint(a: Any, b: Any) -> int:
    if b < a:
        raise ValueError("empty range for randint()")
    return int(a) + below(int(b) - int(a) + 1)


@library(random.randrange)
def randrange(start: Any, stop: Any = None, step: Any = 1) -> int:
    first, behind = (0, start) if stop is None else (start, stop)
    count = len(range(int(first), int(behind), step))
    if count <= 0:
        raise ValueError("empty range for randrange()")
    return int(first) + step * below(count)


@library(random.choice)
def choice(seq: Any) -> Any:
    return seq[below(len(seq))]
