"""Jacobians in one loop over all directions: the same as direction by direction, for every kind of argument."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad
from srcgrad import jacfwd, jacobian, jvp
from srcgrad.api.plans import Columns
from srcgrad.api.specialise import Specialisations
from srcgrad.settings import Options

SCALES = np.array([2.0, 3.0, 5.0])


def one_by_one(f, x, *rest):
    """The derivatives along each unit, as last axes."""
    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size, x.dtype)
        unit[k] = 1.0
        tangents = (unit.reshape(x.shape), *(None for _ in rest))
        columns.append(jvp(f, (x, *rest), tangents, jit=False)[1])
    return np.stack(columns, axis=-1).reshape(np.shape(columns[0]) + x.shape)


def rows(x, power):
    return np.sum(np.sin(x) ** power, axis=1) * x[0]


def number(x):
    return np.prod(x) + x[1]


def writes(x):
    x[0] *= x[1]
    for i in range(1, x.shape[0]):
        x[i] += x[i - 1] * x[i]
    return x


def scaled(x):
    return SCALES * x * np.exp(x[::-1])


def until(x):
    y = x.copy()
    while np.sum(y) < 100.0:
        y = y * x + 1.0
    return y


def apart(x):
    return np.ones(2)


def triangle(x):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(i):
            out[i, j] = x[i] / x[j]
    return out


CASES = [
    (rows, (np.linspace(0.3, 1.1, 9).reshape(3, 3), 3)),
    (rows, (np.asfortranarray(np.linspace(0.3, 1.1, 9).reshape(3, 3)), 3)),
    (rows, (np.linspace(0.3, 1.1, 18).reshape(3, 6)[:, ::2], 3)),
    (number, (np.array([1.5, 2.0, -0.5]),)),
    (writes, (np.array([1.5, 2.0, -0.5]),)),
    (scaled, (np.array([0.1, 0.2, 0.3]),)),
    (until, (np.array([1.5, 2.0, 2.5]),)),
    (apart, (np.array([1.5, 2.0, 2.5]),)),
    (triangle, (np.array([1.5, 2.0, 2.5]),)),
]


@pytest.mark.parametrize(("f", "arguments"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_as_one_by_one(f, arguments, dtype) -> None:
    x = arguments[0].astype(dtype, order="K")
    before = x.copy()
    found = jacfwd(f, jit=False)(x, *arguments[1:])
    expected = one_by_one(f, before, *arguments[1:])
    assert found.dtype == expected.dtype
    assert np.array_equal(x, before)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-6)


@pytest.mark.parametrize(("f", "arguments"), [CASES[0], CASES[4], CASES[6]])
def test_compiled_as_plain(f, arguments) -> None:
    np.testing.assert_allclose(jacfwd(f)(*arguments), jacfwd(f, jit=False)(*arguments), rtol=1e-12)


def test_closed_form() -> None:
    x = np.array([0.3, 0.7])
    expected = np.array([[2.0 * 0.3, 0.0], [0.7, 0.3], [0.0, np.cos(0.7)]])
    np.testing.assert_allclose(jacobian(lambda x: np.array([x[0] ** 2, x[0] * x[1], np.sin(x[1])]))(x), expected)


def test_what_does_not_fit_is_swept_direction_by_direction() -> None:
    """A number has one direction, and no axis for it."""
    derivative = jacfwd(lambda t: np.array([t, t * t]), jit=False)
    np.testing.assert_allclose(derivative(3.0), [1.0, 6.0])


def test_a_refusal_is_made_once(monkeypatch) -> None:
    """What has to be swept direction by direction is not compiled again in each call."""
    asked = []
    compile_ = Specialisations.compile

    def refuse(table, structures):
        if isinstance(table.plan, Columns):
            asked.append(structures)
            raise srcgrad.UnsupportedError("not in a loop")
        return compile_(table, structures)

    monkeypatch.setattr(Specialisations, "compile", refuse)
    derivative = jacfwd(scaled, jit=False)
    x = np.array([0.1, 0.2, 0.3])
    first, second = derivative(x), derivative(x)
    assert len(asked) == 1
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, one_by_one(scaled, x))


def test_one_text_for_all_directions() -> None:
    x = np.linspace(0.3, 1.1, 9).reshape(3, 3)
    table = Specialisations(rows, Columns(0), Options(jit=False))
    assert "for k in range" in table.find(table.bound((x, 3), {})).artifact.generated.text
