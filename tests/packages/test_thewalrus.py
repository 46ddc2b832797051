"""Quantum gates of The Walrus in a truncated Fock space: complex matrices, against their ``grad_*``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad

gates = pytest.importorskip("thewalrus.fock_gradients")
pytestmark = pytest.mark.packages

NAMES = ["displacement", "squeezing", "two_mode_squeezing", "beamsplitter", "mzgate"]


@pytest.mark.parametrize("name", NAMES)
def test_gate(name: str) -> None:
    gate, cutoff = getattr(gates, name), 4
    at = (0.3, 0.7)
    value, by_first = srcgrad.jvp(lambda a, b: gate(a, b, cutoff), at, (1.0, 0.0), jit=False)
    _, by_second = srcgrad.jvp(lambda a, b: gate(a, b, cutoff), at, (0.0, 1.0), jit=False)
    np.testing.assert_allclose(value, gate(*at, cutoff), rtol=1e-12, atol=1e-14)
    for ours, theirs in zip((by_first, by_second), getattr(gates, f"grad_{name}")(value, *at), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_reverse_mode_agrees(name: str) -> None:
    gate = getattr(gates, name)
    seed = np.random.default_rng(1).standard_normal(gate(0.3, 0.7, 3).shape)

    def loss(a: float, b: float) -> Any:
        return np.sum(np.real(gate(a, b, 3)) * seed)

    gradient = srcgrad.grad(loss, (0, 1), jit=False)(0.3, 0.7)
    for got, direction in zip(gradient, ((1.0, 0.0), (0.0, 1.0)), strict=True):
        assert got == pytest.approx(srcgrad.jvp(loss, (0.3, 0.7), direction, jit=False)[1], rel=1e-10)
