"""Soft dynamic time warping along antidiagonals: a scan in JAX, a loop of Python elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

FAR = 1e10


def places(n: int, m: int) -> tuple[Any, Any]:
    """For each diagonal ``i + j = k`` and row ``i``: the element of the other series, and whether there is a cell."""
    other = np.arange(2, n + m + 1)[:, None] - np.arange(1, n + 1) - 1
    return np.clip(other, 0, m - 1), (other >= 0) & (other < m)


def soft_least(xp: Any, a: Any, b: Any, c: Any) -> Any:
    least = xp.minimum(a, xp.minimum(b, c))
    return least - xp.log(xp.exp(least - a) + xp.exp(least - b) + xp.exp(least - c))


def diagonal(xp: Any, before: Any, last: Any, squares: Any, inside: Any) -> Any:
    """``before`` and ``last`` have a row 0, which is outside."""
    r = squares + soft_least(xp, before[:-1], last[:-1], last[1:])
    return xp.concatenate((last[:1] * 0.0 + FAR, xp.where(inside, r, FAR)))


def looped(xp: Any, x: Any, y: Any) -> Any:
    n, m = x.shape[0], y.shape[0]
    other, inside = places(n, m)
    far = 0.0 * x + FAR
    before, last = xp.concatenate((0.0 * x[:1], far)), xp.concatenate((0.0 * x[:1] + FAR, far))
    for k in range(n + m - 1):
        mask = xp.as_tensor(inside[k]) if xp.__name__ == "torch" else inside[k]
        before, last = last, diagonal(xp, before, last, (x - y[other[k]]) ** 2, mask)
    return last[n]


def scanned(xp: Any, x: Any, y: Any) -> Any:
    import jax

    n, m = x.shape[0], y.shape[0]
    other, inside = places(n, m)

    def body(carried: Any, given: Any) -> Any:
        now = diagonal(xp, *carried, *given)
        return (carried[1], now), None

    start = xp.full(n + 1, FAR).at[0].set(0.0), xp.full(n + 1, FAR)
    (_, last), _ = jax.lax.scan(body, start, ((x - y[other]) ** 2, inside))
    return last[n]


FORMS = {"jax": scanned, "torch": looped, "autograd": looped}
