"""Python's module ``random``: its own stream in plain Python, each draw once, parameters differentiated."""

from __future__ import annotations

import random

import pytest
from agreement import confirm

from srcgrad import grad, jit


def everything(k, x):
    random.seed(k)
    total = random.random() + random.uniform(x, 2 * x) + random.gauss(x, 0.5) + random.gauss(0.0, x)
    total += random.normalvariate(x, x) + random.lognormvariate(0.1, x) + random.expovariate(x)
    total += random.randint(3, 9) * x + random.randrange(5) + random.randrange(2, 12, 3)
    return total + random.choice([1.0, x, 3.0]) + random.choice((2.0, 3.0))


@pytest.mark.parametrize("seed", [0, 5, 123456])
def test_the_stream_is_that_of_python(seed):
    assert jit(everything, jit=False)(seed, 0.7) == pytest.approx(everything(seed, 0.7), rel=1e-14)


def walk(x):
    random.seed(3)
    total = 0.0
    for _ in range(12):
        if random.random() < 0.6:
            x = x * 0.9 + 0.1 * x * random.gauss(0.0, x)
        total += x * random.uniform(x, 1.0)
    return total


def test_all_modes():
    confirm(walk, 0.8)


def test_jitted():
    value, gradient = jit(walk)(0.8), grad(walk)(0.8)
    assert value == jit(walk)(0.8)  # seeded inside
    ahead, behind = (jit(walk)(0.8 + h) for h in (1e-6, -1e-6))
    assert gradient == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
