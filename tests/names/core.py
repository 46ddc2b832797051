"""Kernels that take their names from other modules, from decorators, from classes, and from tables of functions."""

import enum
import functools
from math import *  # noqa: F403

import numba as nb
import numpy as xp
from numpy import sin as s

from . import constants as const
from .constants import G as gravity  # noqa: N811
from .inner import deep
from .inner import helper_of_inner as hoi
from .inner.deep import square

__all__ = ["compound", "energy", "kernel", "late_import", "local_relative", "namespace", "parted", "signed", "wrapped"]


class Kind(enum.Enum):
    A = 1
    B = 2


class Space:
    SCALE = 3.0

    @staticmethod
    def of_nobody(x):
        return x * Space.SCALE

    @classmethod
    def of_class(cls, x):
        return x * cls.SCALE


def traced(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    return wrapper


def scaled(by):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return by * f(*args, **kwargs)

        return wrapper

    return decorate


@functools.cache
def cached(n):
    return n * 2.0


@traced
@scaled(2.0)
def wrapped(x, y=1.0):
    return x * x * y


@nb.njit("float64(float64)", cache=False)
def signed(x):
    return x * x


@nb.jit(nopython=True, fastmath=True)
def jitted(x):
    return signed(x) + exp(x)  # noqa: F405


@scaled(3.0)
@nb.njit
def wrapped_dispatcher(x):
    return x * x


def kernel(x):
    own = s(x) * gravity + xp.exp(x) + const.G + cos(x) + pi  # noqa: F405
    return own + square(x) + deep.cube(x) + hoi(x)


def energy(x, kind=Kind.A):
    if kind is Kind.A:
        return x * x
    elif kind == Kind.B:
        return x
    return 0.0


def namespace(x):
    return Space.of_nobody(x) + Space.of_class(x) + Space.SCALE * x


def late_import(x):
    import math as m

    import numpy.linalg as la
    from numpy import exp as e
    from numpy import tanh

    return m.sin(x) + tanh(x) + e(x) + la.norm(xp.array([x, 2.0]))


def local_relative(x):
    from . import constants
    from .constants import G
    from .inner.deep import cube

    return x * constants.G + G * cube(x)


fixed = functools.partial(wrapped, y=3.0)


def parted(x):
    return fixed(x) + functools.partial(wrapped, x)(2.0) + cached(3) * x


FUNCTIONS = (sin, s, square)  # noqa: F405
TABLE = {"sq": square, "sin": s}


def compound(x, which="sq"):
    t = 0.0
    for f in FUNCTIONS:
        t += f(x)
    return t + TABLE[which](x) + const.TABLE[1] + const.CHOICES["a"] * x + jitted(x)


def of_package(x):
    import names

    return names.kernel(x) + names.const.G * x + names.Kind.B.value * x
