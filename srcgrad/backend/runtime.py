"""Helpers that generated modules use. Their source is pasted into the module, which so depends on NumPy alone.

Each runs as plain Python and under Numba. They are loops: one array assignment takes Numba seconds to compile (0.68.1).
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.primitives.special import SOURCES, SPECIAL


def grow(stack):  # type: ignore[no-untyped-def]  # pasted into modules that import nothing but NumPy
    """A copy with room for more."""
    larger = np.empty(2 * stack.size, stack.dtype)
    for i in range(stack.size):
        larger[i] = stack[i]
    return larger


def slice_stop(start, count, step, extent):  # type: ignore[no-untyped-def]  # as above
    """The stop of a slice of ``count`` elements whose step may have either sign."""
    stop = start + count * step
    if count > 0 and stop < 0:
        return -extent - 1
    return stop


HELPERS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (grow, slice_stop)} | SOURCES
# The primitives that are a helper under plain Python and Numba alike.
HELPER_OF = {"gamma": "gamma_or_nan", "lgamma": "log_gamma_or_inf"}
HELPER_OF |= {primitive: function.__name__ for primitive, function in SPECIAL.items()}


def with_those_they_call(names: Iterable[str]) -> set[str]:
    """The helpers among these, and all that they use in turn."""
    found: set[str] = set()
    pending = [name for name in names if name in HELPERS]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [n for n in HELPERS[name].__code__.co_names if n in HELPERS]
    return found


def helper_source(name: str) -> str:
    """The text of a helper, without the remarks that are meant for its maintainers."""
    lines = textwrap.dedent(inspect.getsource(HELPERS[name])).splitlines()
    return "\n".join([lines[0].partition("  # type:")[0], *lines[1:]]) + "\n"
