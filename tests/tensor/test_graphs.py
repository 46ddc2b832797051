"""Random expressions: the gradient does not depend on where the sweep is cut, and is right to second order."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad
from srcgrad.autograd import grad
from srcgrad.tensors import chunks
from srcgrad.tensors.tensor import Tensor


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(srcgrad, "tensor_jit", "never")


class Passed(srcgrad.autograd.Function):  # type: ignore[name-defined, misc]  # found lazily
    """The product of two tensors, with a gradient of its own."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a + b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b + h, g * a + h


def random_expression(seed: int, leaves: list[Tensor], cut: bool, count: int = 20) -> Tensor:
    """A graph with much sharing; with ``cut`` some values are observed, some operations custom."""
    rng, observing = np.random.default_rng(seed), np.random.default_rng(seed + 100)
    values = list(leaves)
    for _ in range(count):
        a, b = (values[int(k)] for k in rng.integers(0, len(values), 2))
        kind = int(rng.integers(0, 6))
        if kind == 0:
            made = a.tanh() + b
        elif kind == 1:
            made = (a * 0.5).sin() * b.cos()
        elif kind == 2:
            product, total = Passed.apply(a, b) if cut else (a * b, a + b)
            made = (product * 0.3 - total * 0.2).tanh()
        elif kind == 3:
            made = (a - b).mean() * a
        elif kind == 4:
            made = a[[2, 0, 1]] * 0.5 + b
        else:
            made = a.clone()
            made[1:] = b[:2]
        if cut and observing.integers(0, 4) == 0 and made.requires_grad:
            made.retain_grad()
        if cut and observing.integers(0, 4) == 0 and made.requires_grad:
            made.register_hook(lambda g: g * 1.0)
        values.append(made)
    ends = [v * v for v in leaves] + values[-5:]
    return sum((v * (k + 1)).sum() for k, v in enumerate(ends))  # type: ignore[return-value]  # a tensor


def leaves() -> list[Tensor]:
    rng = np.random.default_rng(7)
    return [srcgrad.tensor(rng.normal(size=3), requires_grad=True) for _ in range(3)]  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(6))
def test_cuts_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = leaves()
    monkeypatch.setattr(chunks, "LIMIT", 10_000)
    whole = grad(random_expression(seed, given, cut=False), given)
    monkeypatch.setattr(chunks, "LIMIT", 6)
    in_chunks = grad(random_expression(seed, given, cut=False), given)
    observed = grad(random_expression(seed, given, cut=True), given)
    for a, b, c in zip(whole, in_chunks, observed, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
        np.testing.assert_allclose(a, c, rtol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_second_order_with_and_without_cuts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "LIMIT", 8)
    results = []
    for cut in (False, True):
        given = leaves()
        first = grad(random_expression(seed, given, cut, count=10), given, create_graph=True)
        results.append(grad(sum((g * g).sum() for g in first if g is not None), given))  # type: ignore[arg-type]
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_gradients_by_differences() -> None:
    given = leaves()
    assert srcgrad.autograd.gradcheck(lambda *xs: random_expression(3, list(xs), True, 8), given, eps=1e-5)  # type: ignore[attr-defined]


def test_an_unrolled_loop_is_few_structures(monkeypatch: pytest.MonkeyPatch) -> None:
    from srcgrad.tensors.structures import structures

    structures.clear()
    w = srcgrad.tensor([[0.5, -0.3], [0.2, 0.1]], requires_grad=True)  # type: ignore[attr-defined]
    for turns in (60, 75, 90):
        state = srcgrad.tensor([0.1, 0.2])  # type: ignore[attr-defined]
        for _ in range(turns):
            state = (w @ state).tanh() + 0.1
        state.sum().backward()
    assert len(structures) <= 6
