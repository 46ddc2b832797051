"""``np.poly1d``: a polynomial by its coefficients, from the highest power on, that can be called."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.library.polynomial_roots import roots
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


class Polynomial:
    """What the language has for an object of ``np.poly1d``."""

    def __init__(self, coeffs: Array) -> None:
        self.coeffs = coeffs

    def __call__(self, x: Array) -> Array:
        return np.polyval(self.coeffs, x)

    def __len__(self) -> int:
        return self.coeffs.shape[0] - 1

    def __neg__(self) -> Polynomial:
        return made(-self.coeffs)

    def __add__(self, other: Polynomial | float) -> Polynomial:
        return made(np.polyadd(self.coeffs, coefficients_of(other)))

    def __radd__(self, other: float) -> Polynomial:
        return self + other

    def __sub__(self, other: Polynomial | float) -> Polynomial:
        return made(np.polysub(self.coeffs, coefficients_of(other)))

    def __rsub__(self, other: float) -> Polynomial:
        return made(np.polysub(coefficients_of(other), self.coeffs))

    def __mul__(self, other: Polynomial | float) -> Polynomial:
        return made(np.polymul(self.coeffs, coefficients_of(other)))

    def __rmul__(self, other: float) -> Polynomial:
        return self * other

    def __truediv__(self, other: float) -> Polynomial:
        return made(self.coeffs / other)

    def deriv(self, m: int = 1) -> Polynomial:
        return made(np.polyder(self.coeffs, m))

    def integ(self, m: int = 1) -> Polynomial:
        return made(np.polyint(self.coeffs, m))

    @property
    def c(self) -> Array:
        return self.coeffs

    @property
    def coef(self) -> Array:
        return self.coeffs

    @property
    def coefficients(self) -> Array:
        return self.coeffs

    @property
    def order(self) -> int:
        return self.coeffs.shape[0] - 1

    @property
    def o(self) -> int:
        return self.coeffs.shape[0] - 1

    @property
    def roots(self) -> NDArray[np.complexfloating]:
        return roots(self.coeffs)

    @property
    def r(self) -> NDArray[np.complexfloating]:
        return roots(self.coeffs)


def coefficients_of(value: Polynomial | float) -> Array:
    return value.coeffs if isinstance(value, Polynomial) else np.atleast_1d(np.asarray(value))


def made(coeffs: Array) -> Polynomial:
    """Without leading zeros, but for one where there is nothing else."""
    kept = np.trim_zeros(coeffs, "f")
    return Polynomial(kept if kept.shape[0] > 0 else coeffs[:1])


@library(np.poly1d)
def poly1d(c_or_r: Array, r: bool = False) -> Polynomial:
    """By its roots if ``r``; leading zeros do not count."""
    if isinstance(c_or_r, Polynomial):
        return c_or_r
    given = np.atleast_1d(np.asarray(c_or_r))
    return made(np.poly(given) if r else given)
