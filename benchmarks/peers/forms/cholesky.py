"""Cholesky by LAPACK, which none of the three needs loops for."""

from __future__ import annotations

from typing import Any


def weighted(xp: Any, a: Any, weights: Any) -> Any:
    """The gradient is to be with respect to the lower triangle alone, which is made symmetric first."""
    below = xp.tril(a, -1)
    whole = below + below.T + a * xp.eye(a.shape[0], dtype=a.dtype)
    return xp.sum(xp.tril(weights) * xp.linalg.cholesky(whole))


FORMS = dict.fromkeys(("jax", "torch", "autograd"), weighted)
