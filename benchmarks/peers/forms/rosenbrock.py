"""Rosenbrock's function."""

from __future__ import annotations

from typing import Any


def value(xp: Any, x: Any) -> Any:
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


FORMS = dict.fromkeys(("jax", "torch", "autograd"), value)
