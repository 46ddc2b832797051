"""Heston's model, over all paths at once; a scan over the steps in JAX, a loop elsewhere."""

from __future__ import annotations

import math
from typing import Any


def price(xp: Any, v0: Any, kappa: Any, theta: Any, xi: Any, rho: Any, z1: Any, z2: Any) -> Any:
    paths, steps = z1.shape
    x, v = 0.0 * z1[:, 0], v0 + 0.0 * z1[:, 0]
    for t in range(steps):
        x, v = step(xp, x, v, kappa, theta, xi, rho, z1[:, t], z2[:, t], 1.0 / steps)
    return payoff(xp, x) / paths


def step(
    xp: Any, x: Any, v: Any, kappa: Any, theta: Any, xi: Any, rho: Any, a: Any, b: Any, dt: float
) -> tuple[Any, Any]:
    above = v > 0.0
    positive = xp.where(above, v, 0.0)
    deviation = xp.where(above, xp.sqrt(xp.where(above, v, 1.0)), 0.0) * math.sqrt(dt)
    x = x + deviation * (rho * a + xp.sqrt(1.0 - rho * rho) * b) - 0.5 * positive * dt
    return x, v + kappa * (theta - positive) * dt + xi * deviation * a


def payoff(xp: Any, x: Any) -> Any:
    gain = xp.exp(x) - 1.0
    return xp.sum(xp.where(gain > 0.0, gain, 0.0))


def scanned(xp: Any, v0: Any, kappa: Any, theta: Any, xi: Any, rho: Any, z1: Any, z2: Any) -> Any:
    import jax

    paths, steps = z1.shape

    def body(carried: Any, z: Any) -> Any:
        return step(xp, carried[0], carried[1], kappa, theta, xi, rho, z[0], z[1], 1.0 / steps), None

    (x, _), _ = jax.lax.scan(body, (xp.zeros(paths), xp.full(paths, v0)), (z1.T, z2.T))
    return payoff(xp, x) / paths


FORMS = {"jax": scanned, "torch": price, "autograd": price}
