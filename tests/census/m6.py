"""Stage M6: objects, Numba's own functions, starred arguments, try and with, questions about types, sets."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import collections
import dataclasses

import numba
import numpy as np
from numba.experimental import jitclass

from census.feature import feature
from census.m1 import VECTOR

Box = collections.namedtuple("Box", "low high")
SCALES = {"mild": 0.5, "harsh": 2.0}


@dataclasses.dataclass
class Oscillator:
    position: float
    velocity: float = 0.0
    stiffness: float = 2.0

    def step(self, dt):
        self.velocity -= dt * self.stiffness * self.position
        self.position += dt * self.velocity

    @property
    def energy(self):
        return 0.5 * self.velocity**2 + 0.5 * self.stiffness * self.position**2


class Polynomial:
    DEGREE = 2

    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        total = 0.0
        for c in self.coefficients:
            total = total * x + c
        return total


@jitclass([("rate", numba.float64), ("level", numba.float64)])
class Reservoir:
    def __init__(self, rate, level):
        self.rate = rate
        self.level = level

    def drain(self, dt):
        self.level -= dt * self.rate * self.level
        return self.level


POLYNOMIAL = Polynomial(1.0, -2.0, 0.5)


@feature("M6", "p.x of an object", 6.3, 0.4, 0.7)
def oscillated(x, stiffness):
    o = Oscillator(x, stiffness=stiffness)
    for _ in range(20):
        o.step(0.05)
    return o.energy * o.position


@feature("M6", "f(*args), (*a, b)", 1.7, 0.4, 0.7)
def starred(x, y):
    values = (x, y)
    first, *rest = (*values, x * y)
    return Polynomial(*values, *rest)(first)


@feature("M6", "numba.float64(x), numba.prange", 1.5, VECTOR)
def typed(x):
    total = numba.float64(0.0)
    for i in numba.prange(x.shape[0]):
        total += numba.float64(numba.int64(i)) * x[i] ** 2
    return total


def weighted(x, *weights, power=2, **others):
    total = others.get("offset", 0.0)
    for k, w in enumerate(weights):
        total += w * x ** (power + k)
    return total


@feature("M6", "def f(*args, **kw)", 1.2, 0.8)
def variadic(x):
    return weighted(x, 1.0, 2.0, x, power=3, offset=x)


@feature("M6", "with np.errstate(...)", 1.0, 0.8)
def quietly(x):
    with np.errstate(divide="ignore"):
        return x * x / (1.0 + x)


@feature("M6", "np.random.seed, np.random.normal", 0.9, 0.4, 0.7)
def simulated(drift, volatility):
    np.random.seed(42)
    total = 0.0
    for _ in range(20):
        log_price = 0.0
        for _ in range(5):
            log_price += drift + volatility * np.random.normal()
        total += max(np.exp(log_price) - 1.0, 0.0)
    return total / 20.0


@feature("M6", "type(x), isinstance(x, t)", 0.8, 0.8)
def by_type(x):
    if isinstance(x, np.ndarray):
        return np.sum(x)
    return type(x)(2.0) * x * x


@feature("M6", "a named tuple", 0.1, 0.3, 0.9)
def boxed(a, b):
    box = Box(a, b)
    wider = box._replace(high=box.high * 2.0)
    return (wider.high - wider.low) * box[0]


@feature("M6", "a set", 0.5, 0.8)
def in_a_set(x):
    skipped, total = {1, 3}, 0.0
    for k in range(5):
        if k not in skipped:
            total += x**k
    return total


@feature("M6", "try ... except ...", 0.1, 0.8)
def tried(x):
    total = 0.0
    for k in range(3):
        try:
            total += x / (k - 1.0)
        except ZeroDivisionError:
            total += x * x
    return total


@feature("M6", "global g", 0.1, 0.8)
def by_global(x):
    global SCALES
    return SCALES["harsh"] * x * x


@feature("M6", "an object with __call__", 0.1, 0.8)
def called(x):
    return POLYNOMIAL(x) * POLYNOMIAL.DEGREE


@feature("M6", "jitclass", 0.1, 0.8, 3.0)
def drained(rate, level):
    r = Reservoir(rate, level)
    total = 0.0
    for _ in range(10):
        total += r.drain(0.1)
    return total * r.level


@feature("M6", "literal_unroll(t)", 0.1, 0.8)
def unrolled(x):
    total = 0.0
    for v in numba.literal_unroll((1, 2.5, x)):
        total += v * x
    return total


@numba.vectorize
def clipped(x, low):
    return x if x > low else low * x


@numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")
def smoothed(x, out):
    out[0] = x[0]
    for i in range(1, x.shape[0]):
        out[i] = 0.5 * (out[i - 1] + x[i])


@numba.stencil
def curvature(u):
    return u[-1] - 2.0 * u[0] + u[1]


@feature("M6", "@vectorize, @guvectorize, @stencil", 0.1, VECTOR)
def decorated(x):
    return np.sum(clipped(x, 0.1) ** 2) + np.sum(smoothed(x) * curvature(x))


def pairs(x):
    for i in range(x.shape[0]):
        for j in range(i):
            yield x[i] - x[j]


@feature("M6", "yield", 0.1, VECTOR)
def all_pairs(x):
    return sum(d * d for d in pairs(x))
