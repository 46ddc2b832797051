"""What `checkpoint` takes for a loop and a budget, and which loops it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad
from srcgrad import checkpoint, grad
from srcgrad.settings import in_bytes

U = np.random.default_rng(5).normal(size=4)


def test_python_is_left_alone() -> None:
    items = range(3)
    assert checkpoint(items) is items


def test_sizes() -> None:
    assert (in_bytes("64MB"), in_bytes("1.5 GB"), in_bytes("512KiB"), in_bytes(7)) == (64 * 10**6, 15 * 10**8, 2**19, 7)
    for wrong in ("many", "MB", 0, -1, True, "nan"):
        with pytest.raises(ValueError, match="no size of memory"):
            in_bytes(wrong)


def condition_marked(x: float) -> float:
    while checkpoint(x > 0.1):
        x = np.sin(x) * 0.5
    return x


def swapped_argument(u: Any) -> Any:
    v = np.empty_like(u)
    for _ in checkpoint(range(7)):
        for i in range(u.shape[0]):
            v[i] = u[i - 1] * 0.5
        u, v = v, u
    return np.sum(u)


def one_memory(u: Any, c: float) -> Any:
    p, q = u.copy(), u.copy()
    r = p if c > 0.0 else q
    for _ in checkpoint(range(7)):
        p[0] = r[1] * 1.5
        r[1] = p[0] * p[2]
    return np.sum(p)


def budget_at_run_time(x: float, budget: int) -> float:
    for _ in checkpoint(range(7), budget):
        x = np.sin(x)
    return x


@pytest.mark.parametrize(
    ("f", "args", "message"),
    [
        (condition_marked, (1.0,), "checkpoint"),
        (swapped_argument, (U,), r"u = u\.copy\(\)"),
        (one_memory, (U, 1.0), "may be the same memory"),
        (budget_at_run_time, (1.0, 100), "budget"),
    ],
)
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(srcgrad.Error, match=message):
        grad(f, jit=False)(*args)


def seen_by_another_name(x: Any) -> Any:
    u, v = x.copy(), np.empty_like(x)
    first = u
    for _ in checkpoint(range(6)):
        for i in range(u.shape[0]):
            v[i] = u[i - 1] * 0.5
        u, v = v, u
    return np.sum(u) + 2.0 * np.sum(first * first)


@pytest.mark.parametrize(
    ("f", "args", "predicate"),
    [(one_memory, (U, 1.0), "share_writes"), (seen_by_another_name, (U,), "seen_elsewhere")],
)
def test_refusals_are_needed(
    f: Callable[..., Any], args: tuple[Any, ...], predicate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(srcgrad.UnsupportedError):
        grad(f, jit=False)(*args)
    monkeypatch.setattr(f"srcgrad.differentiate.checkpoints.state.Look.{predicate}", lambda *_: False)
    wanted = grad(f, jit=False, checkpoint="off")(*args)
    assert np.max(np.abs(grad(f, jit=False)(*args) - wanted)) > 1e-6


def grown(u: Any) -> Any:
    for _ in checkpoint(range(3)):
        u = np.concatenate((u, u))
    return np.sum(u)


def test_a_state_keeps_its_shape() -> None:
    with pytest.raises(ValueError, match="changes its shape"):
        grad(grown, jit=False)(U)
