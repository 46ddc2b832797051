"""Storage beyond the limit: a gradient then takes the form whose loops have checkpoints, and gives the same."""

from __future__ import annotations

import pickle
from typing import Any

import numba
import numpy as np
import pytest

from srcgrad import grad, hessian
from srcgrad.settings import Options

LIMIT = 20_000
U = np.array([0.4, -0.3, 1.1])


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srcgrad.settings.quarter_of_memory", lambda: LIMIT)


def rolled(u: Any, c: float, trips: int) -> Any:
    total = 0.0
    for _ in range(trips):
        u = np.sin(u) * c + 0.1
        total += u[0] * u[1]
    return total + np.sum(u)


def iterated(x: float, trips: int) -> float:
    s = 0.0
    for _ in range(trips):
        x = np.sin(x)
        s += x
    return s


def written(u: Any, trips: int) -> Any:
    for _ in range(trips):
        u[1:] = np.sin(u[:-1]) + 0.5 * u[1:]
    return np.sum(u)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("jit", [False, True])
def test_same_gradient(jit: bool) -> None:
    found, wanted = (grad(iterated, jit=jit, cache=False, checkpoint=how) for how in ("auto", "off"))
    for trips in (5, 3000, 5):  # both forms, and back
        np.testing.assert_allclose(found(0.3, trips), wanted(0.3, trips), rtol=1e-12)
        np.testing.assert_allclose(found.value_and_grad(0.3, trips), wanted.value_and_grad(0.3, trips), rtol=1e-12)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_arrays(argnums: int | tuple[int, ...]) -> None:
    found, wanted = (grad(rolled, argnums, jit=False, checkpoint=how) for how in ("auto", "off"))
    for ours, theirs in zip(found(U, 0.9, 1500), wanted(U, 0.9, 1500), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.usefixtures("limited")
def test_arguments_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a function writes to its argument it is a copy, also when the first form gives up."""
    u = U.copy()
    wanted = grad(written, jit=False, checkpoint="off")(u, 2000)
    np.testing.assert_allclose(grad(written, jit=False)(u, 2000), wanted, rtol=1e-12)
    np.testing.assert_array_equal(u, U)
    assert Options(mutates=True).storage_limit is None


@pytest.mark.usefixtures("limited")
def test_what_is_shown_is_the_first_form() -> None:
    gradient = grad(iterated, jit=False)
    assert "MemoryError" not in gradient.backward_source(0.3, 5)
    assert "MemoryError" in gradient.backward_source(0.3, 5, level="compiled")
    assert "MemoryError" not in grad(iterated, jit=False, checkpoint="marked").backward_source(0.3, 5, level="compiled")


@pytest.mark.usefixtures("limited")
def test_other_derivatives_have_no_limit() -> None:
    assert np.isfinite(hessian(iterated, jit=False)(0.3, 1500))


@pytest.mark.usefixtures("limited")
def test_inside_numba_it_is_an_error() -> None:
    gradient = grad(iterated, cache=False)

    @numba.njit
    def caller(trips: int) -> float:
        return gradient(0.3, trips)

    assert caller(5) == pytest.approx(gradient(0.3, 5))
    with pytest.raises(MemoryError, match="see the option checkpoint"):
        caller(4000)


@pytest.mark.usefixtures("limited")
def test_pickled() -> None:
    gradient = grad(iterated, jit=False)
    gradient(0.3, 3000)
    assert pickle.loads(pickle.dumps(gradient))(0.3, 3000) == gradient(0.3, 3000)
