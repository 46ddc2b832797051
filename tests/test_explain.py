"""What `explain` says of loops: how each is reversed, whether it runs in lanes and threads, and what forbids it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import grad


def line(f: Callable[..., Any], text: str) -> str:
    """Where a line of a function stands, as `explain` writes it."""
    lines, first = inspect.getsourcelines(f)
    return f"test_explain.py:{first + next(k for k, other in enumerate(lines) if text in other)}"


def fates(f: Callable[..., Any], *args: Any, **options: Any) -> dict[str, list[str]]:
    """What is said of each loop, by its place."""
    found: dict[str, list[str]] = {}
    for told in grad(f, **options).explain(*args).splitlines():
        if told.startswith("the loop at "):
            found[told.removeprefix("the loop at ")] = []
        elif told.startswith("    ") and found:
            found[list(found)[-1]].append(told.strip())
    return found


def roots(m):
    total = 0.0
    for i in range(m.shape[0]):
        x = m[i]
        step = 1.0
        while abs(step) > 1e-12:
            step = (x - 0.5 * math.sin(x) - m[i]) / (1.0 - 0.5 * math.cos(x))
            x -= step
        total += x
    return total


def recurrence(x):
    y = 0.0
    for i in range(x.shape[0]):
        y = math.tanh(y + x[i])
    return y


def in_place(x):
    y = x.copy()
    for _ in range(3):
        for i in range(1, y.shape[0]):
            y[i] = y[i - 1] * math.exp(y[i])
    return y[-1]


def changed_later(x):
    y = x.copy()
    total = 0.0
    for i in range(y.shape[0]):
        total += y[i] * y[i]
    y[0] = 2.0
    return total + y[0]


def shared(x, w):
    u = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        for a in range(3):
            u[a] = u[a] + math.exp(x[i, a] * w[a])
        for a in range(3):
            total += math.sqrt(u[a])
    return total


def complex_numbers(x):
    total = 0.0
    for i in range(x.shape[0]):
        z = complex(x[i], 1.0)
        for _ in range(x.shape[0]):
            z = np.exp(z) / (z + 2.0)
        total += abs(z)
    return total


def test_in_place_and_in_lanes() -> None:
    told = fates(roots, np.ones(4))
    outer, inner = line(roots, "for i"), line(roots, "while")
    assert told[outer] == ["is reversed in place", "runs in lanes, 64 iterations side by side"]
    assert told[inner] == [
        "is reversed from its last iteration to its first: the iterations of a `while` come one after the other",
        f"does not run in lanes itself: the loop at line {outer.split(':')[1]} does",
    ]


def test_a_recurrence() -> None:
    (told,) = fates(recurrence, np.ones(4)).values()
    carried = f"each iteration begins with the y that the one before it ended with ({line(recurrence, 'tanh')})"
    assert told[0] == f"is reversed from its last iteration to its first: {carried}"
    assert told[1].startswith("does not run in lanes: ")


def test_what_is_read_and_written() -> None:
    told = fates(in_place, np.ones(4))[line(in_place, "for i")]
    assert told[0].endswith(f"it writes to y, which it reads, too ({line(in_place, 'y[i] =')})")
    (told,) = (t for t in fates(changed_later, np.ones(4)).values() if "written to after" in t[0])
    assert told[0].endswith(f"y, which it reads, is written to after it ({line(changed_later, 'y[0] = 2.0')})")


def test_what_iterations_share() -> None:
    told = fates(shared, np.ones((4, 3)), np.ones(3), argnums=(0, 1))[line(shared, "for i")]
    reason = f"iterations may write and read the same elements of u ({line(shared, 'u[a] =')})"
    assert f"does not run in lanes: {reason}" in told[1] or "which it reads" in told[0]


def test_complex_numbers() -> None:
    told = fates(complex_numbers, np.ones(4))[line(complex_numbers, "for i")]
    assert told[1] == "does not run in lanes: it computes with complex numbers"


def test_threads() -> None:
    told = fates(roots, np.ones(4), parallel=True)[line(roots, "for i")]
    assert told == [
        "is reversed in place",
        "runs in lanes, 64 iterations side by side",
        "runs in threads, in 32 chunks",
    ]
    (told,) = fates(recurrence, np.ones(4), parallel=True).values()
    assert told[2].startswith("does not run in threads: each iteration begins with")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"lanes": False}, "the option lanes=False"),
        ({"jit": False}, "the option jit=False leaves them as they are"),
        ({"fastmath": False}, "the option fastmath does not let sums be reordered"),
    ],
)
def test_no_loop_runs_in_lanes(options: dict[str, bool], why: str) -> None:
    text = grad(roots, **options).explain(np.ones(4))
    assert text.endswith(f"No loop runs in lanes: {why}.\n")
    assert "runs in lanes, 64" not in text
