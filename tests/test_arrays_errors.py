"""What array code refuses, and what it raises when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from test_arrays import lowered_result

import srcgrad

V, M = np.arange(5.0), np.arange(12.0).reshape(3, 4)


def reshape_then_write(x: np.ndarray) -> float:
    y = x.copy()
    flat = y.T.reshape(-1)
    y[0, 0] = 5.0
    return flat[0]


def write_to_reshaped(x: np.ndarray) -> float:
    flat = x[:, ::2].ravel()
    flat[0] = 1.0
    return x[0, 0]


REFUSED: list[tuple[Callable[..., object], np.ndarray, str]] = [
    (reshape_then_write, M, "written to after a view of it was kept"),
    (write_to_reshaped, M, "written to after a view of it was kept"),
    (lambda x: np.sum(x, axis=2), M, "axis 2 is out of bounds"),
    (lambda x: np.sum(x, axis=x[0]), V, "known at compile time"),
    (lambda x: np.argmax(x, where=x > 0.0), V, "does not take 'where'"),
    (lambda x: x[0, 0], V, "too many indices"),
    (lambda x: x[0.5], V, "an index must be an integer"),
    (lambda x: x["a"], V, "an array index must be"),
    (lambda x: x[::0], V, "slice step cannot be zero"),
    (lambda x: x + np.zeros(3) + np.zeros(4), V, "could not be broadcast"),
    (lambda x: np.zeros((2, 3)).reshape(4, 2), V, "cannot be reshaped"),
    (lambda x: np.zeros(-1), V, "negative dimensions"),
    (lambda x: np.zeros((2, 3)) @ np.zeros((2, 3)), V, "a product over axes of extents 3 and 2"),
    (lambda x: x @ 2.0, V, "@ takes arrays"),
    (lambda x: np.squeeze(x), V, "without axis"),
    (lambda x: np.linalg.norm(x, 3), M, "a norm of matrices of this order"),
    (lambda x: np.linalg.norm(x[None], 2), M, "Improper number of dimensions"),
    (lambda x: np.linalg.norm(x[0], "fro"), M, "for vectors"),
    (lambda x: np.linalg.inv(x), V, "at least two-dimensional"),
    (lambda x: np.linalg.qr(x, mode="raw"), M, "in this mode"),
    (lambda x: scipy.linalg.solve(x, x, assume_a="banded"), M, "this assume_a"),
    (lambda x: scipy.linalg.cosm(x), M, "has no rule"),
    (lambda x: np.concatenate((x, np.zeros((2, 2)))), V, "cannot be joined"),
    (lambda x: np.array([[1.0, 2.0], [3.0]]), V, "must have one shape"),
    (lambda x: x.tobytes(), V, "has no rule"),
]


@pytest.mark.parametrize(("f", "x", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_refused(f: Callable[..., object], x: np.ndarray, message: str) -> None:
    with pytest.raises(srcgrad.Error, match=message) as refusal:
        lowered_result(f, x.copy())
    assert refusal.value.line is not None
    assert refusal.value.file == __file__
    assert refusal.value.hint


def store_complex(x: np.ndarray) -> None:
    x[0] = 1j * x[1]


def store_too_many(x: np.ndarray) -> None:
    x[:2] = np.zeros(3)


def integer_update(x: np.ndarray) -> None:
    k = np.arange(3)
    k += 0.5


def sequence_in_element(x: np.ndarray) -> None:
    x[0] = x[1:]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (store_complex, "complex values cannot be put into"),
        (integer_update, "a result of dtype float64 cannot be put into an array of dtype int64"),
        (sequence_in_element, "one element of an array holds one number"),
    ],
)
def test_stores_refused(f: Callable[..., None], message: str) -> None:
    with pytest.raises(srcgrad.Error, match=message):
        lowered_result(f, V.copy())


RAISED: list[tuple[Callable[..., object], tuple[object, ...], type[Exception]]] = [
    (lambda x, y: x + y, (V, V[:3]), ValueError),
    (lambda x, y: x @ y, (V, V[:3]), ValueError),
    (lambda x, y: np.concatenate((x, y)), (M, M[:, :2]), ValueError),
    (lambda x, n: x.reshape(n, 2), (V, 3), ValueError),
    (lambda x, n: np.zeros(n), (V, -1), ValueError),
    (lambda x, k: x[k], (V, np.array([0, 7])), IndexError),
    (lambda x, n: x[n], (V, 5), IndexError),
    (lambda x, m: x[m > 0.0], (V, V[:3]), IndexError),
    (lambda x, y: np.einsum("i,i", x, y), (V, V[:3]), ValueError),
    (lambda x, n: np.max(x[:n]), (V, 0), ValueError),
    (lambda x, n: np.linalg.inv(x[:, :n]), (M, 2), np.linalg.LinAlgError),
    (store_too_many, (V,), ValueError),
]


@pytest.mark.parametrize(("f", "arguments", "error"), RAISED)
def test_raised(f: Callable[..., object], arguments: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        lowered_result(f, *(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.max(np.zeros(0)) + x[0],
        lambda x: x[0] + np.argmax(np.zeros(0)),
        lambda x: np.sum(np.zeros((2, 0)).max(axis=1)) + x[0],
    ],
    ids=["max", "argmax", "rows"],
)
def test_extreme_of_nothing(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        srcgrad.grad(function, jit=False)(np.ones(2))
