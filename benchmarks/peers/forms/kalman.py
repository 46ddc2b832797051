"""A Kalman filter: a scan over the steps in JAX, five thousand steps of Python in PyTorch.

HIPS autograd, which takes 13 s, is left out.
"""

from __future__ import annotations

from typing import Any


def step(xp: Any, x: Any, p: Any, transition: Any, noise: Any, spread: Any, seen: Any) -> tuple[Any, Any, Any]:
    x = transition @ x
    p = transition @ p @ transition.T + xp.diag(noise)
    total = 0.0
    for j in range(2):
        variance = p[j, j] + spread[j]
        surprise = seen[j] - x[j]
        total = total + 0.5 * (xp.log(variance) + surprise * surprise / variance)
        gain = p[:, j] / variance
        x = x + gain * surprise
        p = p - gain[:, None] * p[j]
    return x, p, total


def looped(xp: Any, transition: Any, noise: Any, spread: Any, observed: Any) -> Any:
    x, p, total = xp.zeros(4), xp.eye(4), 0.0
    for t in range(observed.shape[0]):
        x, p, more = step(xp, x, p, transition, noise, spread, observed[t])
        total = total + more
    return total


def scanned(xp: Any, transition: Any, noise: Any, spread: Any, observed: Any) -> Any:
    import jax

    def body(state: Any, seen: Any) -> Any:
        x, p, total = step(xp, state[0], state[1], transition, noise, spread, seen)
        return (x, p), total

    _, totals = jax.lax.scan(body, (xp.zeros(4), xp.eye(4)), observed)
    return xp.sum(totals)


FORMS = {"jax": scanned, "torch": looped}
