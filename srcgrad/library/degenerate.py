"""Quotients by differences of eigenvalues or singular values, where these may be equal."""

from __future__ import annotations

import numpy as np

from srcgrad.library.matrices import Matrix


def negligible(m: Matrix) -> float:
    """A size that rounding gives to elements of ``m`` that would be 0."""
    largest = 0.0
    for element in np.abs(m).ravel():
        largest = np.maximum(largest, element)
    return 64 * m.shape[0] * np.finfo(m.dtype).eps * largest


def quotient(x: np.inexact, by: np.floating, least: float, small: float, settled: bool) -> np.inexact:
    """``x / by``. Where there is nothing to divide by it is 0 if ``x`` is, too, and that settles it, else NaN."""
    if abs(by) > least:
        return x / by
    if settled and abs(x) <= small:
        return 0 * x
    return x * np.nan
