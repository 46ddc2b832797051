"""Kepler's equation, over all bodies at once until the last is done.

JAX has no reverse mode through ``while_loop``: it takes a fixed number of steps, enough for all.
"""

from __future__ import annotations

from typing import Any

STEPS = 8


def positions(xp: Any, e: Any, m: Any) -> Any:
    x = m
    moving = True
    while moving:
        change = (x - e * xp.sin(x) - m) / (1.0 - e * xp.cos(x))
        x = x - change
        moving = bool((change * change).max() > 1e-24)
    return xp.sum(xp.cos(x))


def stepped(xp: Any, e: Any, m: Any) -> Any:
    x = m
    for _ in range(STEPS):
        x = x - (x - e * xp.sin(x) - m) / (1.0 - e * xp.cos(x))
    return xp.sum(xp.cos(x))


FORMS = {"jax": stepped, "torch": positions, "autograd": stepped}
