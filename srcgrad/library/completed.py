"""Orthonormal columns that are completed to a basis: what the last ones have for a derivative.

A matrix settles the first columns of its full QR factor, or of its singular vectors; the others only have to be
orthogonal to them. Of all ways in which these can follow, the derivative is that of least motion: they do not turn
among themselves, and lean as far against the first ones as those lean towards them.
"""

from __future__ import annotations

import numpy as np

from srcgrad.library.matrices import Matrix, conjugate_transpose


def with_last(q: Matrix, first_dot: Matrix, n: int) -> Matrix:
    """The tangent of all columns, from that of the first ``n``."""
    if q.shape[1] == n:
        return first_dot
    q_dot = np.empty(q.shape, q.dtype)
    q_dot[:, :n] = first_dot
    q_dot[:, n:] = -(q[:, :n] @ (conjugate_transpose(first_dot) @ q[:, n:]))
    return q_dot


def moved_to_first(q: Matrix, g: Matrix, n: int) -> Matrix:
    """Of the conjugate of a cotangent of all columns the part for the first ``n``, with what the others add to it."""
    if q.shape[1] == n:
        return g
    return g[:, :n] - q[:, n:] @ (conjugate_transpose(g[:, n:]) @ q[:, :n])
