"""Whether a census program is differentiated rightly in both modes, judged by central differences."""

from __future__ import annotations

import numpy as np
from oracle.derivatives import differentiable, forward, random_direction, reverse
from oracle.differences import along, gradient

import srcgrad
from census.feature import Feature


def check(row: Feature, *, jit: bool = False) -> None:
    """Raises AssertionError for a wrong number, srcgrad.Error for a refusal."""
    args = row.make_args()
    step = 1e-4 if row.tolerance < 1e-5 else 0.1  # in single precision a small step drowns in rounding
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    value, gradients = reverse(row.program, args, wrt, jit=jit)
    np.testing.assert_allclose(value, row.program(*row.make_args()), rtol=row.tolerance, atol=1e-12)
    for k, g in zip(wrt, gradients, strict=True):
        expected = gradient(row.program, args, k, step)
        np.testing.assert_allclose(g, expected, rtol=row.tolerance, atol=row.tolerance)
    _, tangent = forward(row.program, args, wrt, direction, jit=jit)
    expected = along(row.program, args, wrt, direction, step)
    np.testing.assert_allclose(tangent, expected, rtol=row.tolerance, atol=row.tolerance)


def supported(row: Feature) -> str:
    """``yes``, or the name of the error with which it is refused."""
    try:
        check(row)
    except srcgrad.Error as refusal:
        return f"no: `{type(refusal).__name__}`"
    return "yes"
