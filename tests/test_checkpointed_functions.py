"""Functions under ``checkpoint``: run again in the reverse sweep, with the same derivatives, keeping nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad
from srcgrad import checkpoint, grad, hessian, jacfwd, jacrev

W = np.random.default_rng(2).normal(size=(3, 3))
U = np.array([0.1, 0.2, -0.4])


def plain_layer(u: Any, c: float) -> Any:
    s = u
    for _ in range(5):
        s = np.tanh(W @ s) * c
    return s


layer = checkpoint(plain_layer)


@checkpoint
def energy(x: Any, scale: float = 2.0) -> float:
    """Of a chain."""
    e = 0.0
    for i in range(x.shape[0]):
        e += scale * np.sin(x[i]) * x[i - 1]
    return e


def program(u: Any, c: float) -> Any:
    for _ in range(2):
        u = layer(u, c)
    return np.sum(u**2) + checkpoint(energy.fun)(u, scale=c) + energy(u)


def plain_program(u: Any, c: float) -> Any:
    for _ in range(2):
        u = plain_layer(u, c)
    return np.sum(u**2) + energy.fun(u, scale=c) + energy.fun(u)


def test_in_python() -> None:
    np.testing.assert_array_equal(layer(U, 1.1), plain_layer(U, 1.1))
    assert energy.__name__ == "energy" and energy.__doc__ == "Of a chain."


@pytest.mark.parametrize("jit", [False, True])
def test_gradients(jit: bool) -> None:
    wanted = grad(plain_program, argnums=(0, 1), jit=False)(U, 1.1)
    for ours, theirs in zip(grad(program, argnums=(0, 1), jit=jit)(U, 1.1), wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_other_modes_and_orders() -> None:
    wanted = jacfwd(plain_layer, jit=False)(U, 1.1)
    np.testing.assert_allclose(jacfwd(layer, jit=False)(U, 1.1), wanted, rtol=1e-12)
    np.testing.assert_allclose(jacrev(layer, jit=False)(U, 1.1), wanted, rtol=1e-12)
    wanted = hessian(plain_program, jit=False)(U, 1.1)
    np.testing.assert_allclose(hessian(program, jit=False)(U, 1.1), wanted, rtol=1e-11, atol=1e-13)


def test_nothing_is_kept_of_it() -> None:
    """What the plain program keeps of each layer is kept for one layer at a time."""

    def stored(f: Callable[..., Any]) -> str:
        source = grad(f, jit=False).backward_source(U, 1.1)
        start = source.index("def ")
        following = source.find("\ndef ", start)
        return source[start : following if following > 0 else None]

    assert "(2, 5, u.shape[0])" in stored(plain_program)
    assert "(2, 5" not in stored(program)


def writes(u: Any) -> Any:
    u[0] = 1.0
    return u[1]


def closing(u: Any) -> Any:
    return checkpoint(lambda x: x * u[0])(u[1])


@pytest.mark.parametrize(
    ("f", "message"),
    [(lambda u: checkpoint(writes)(u), "which is checkpointed, writes"), (closing, "made while the program runs")],
)
def test_refused(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(srcgrad.Error, match=message):
        grad(f, jit=False)(U)
