"""Structured arrays, and Numba's typed lists and dicts."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm
from numba import types
from numba.typed import Dict, List

from srcgrad import Error, grad, jit

V = np.array([1.3, 2.1, 0.4])
KIND = np.dtype([("x", "f8"), ("y", "f4"), ("k", "i4"), ("v", "f8", (2,))])
BODIES = np.zeros(3, KIND)
BODIES["x"], BODIES["y"], BODIES["k"] = [1.0, 2.0, 3.0], [0.5, 0.25, 0.75], [1, 2, 3]
BODIES["v"] = np.arange(6.0).reshape(3, 2)


def by_element(b, s):
    total = 0.0
    for i in range(len(b)):
        total += b[i]["x"] * b["x"][i] * s + b[i]["y"] * b[i]["k"] + b["v"][i, 1]
    return total * b.shape[0]


def by_attribute(b, s):
    total = 0.0
    for body in b:
        total += body.x * s + body["v"][0]
    return total + np.sum(b[1:]["x"] ** 2)


def of_one(r, s):
    return r.x * r["x"] * s + r.k


def captured(s):
    total = 0.0
    for i in range(BODIES.shape[0]):
        total += BODIES[i].x * s * s + BODIES["y"][i]
    return total


def written(b, s):
    b["x"][0] = s * s
    b["x"] *= 2.0
    return np.sum(b["x"])


@pytest.mark.parametrize("f", [by_element, by_attribute])
def test_fields_of_arrays(f):
    bodies = BODIES.view(np.recarray)
    wanted = f(bodies, 0.7)
    assert jit(f, jit=False)(BODIES, 0.7) == pytest.approx(wanted)
    step = 1e-6
    numeric = (f(bodies, 0.7 + step) - f(bodies, 0.7 - step)) / (2 * step)
    assert grad(f, 1, jit=False)(BODIES, 0.7) == pytest.approx(numeric, rel=1e-6)
    slopes = grad(f, jit=False)(BODIES, 0.7)
    assert slopes.k is None
    for i in range(3):
        moved = [bodies.copy(), bodies.copy()]
        for sign, b in zip((1, -1), moved, strict=True):
            b["x"][i] += sign * step
        numeric = (f(moved[0], 0.7) - f(moved[1], 0.7)) / (2 * step)
        assert slopes.x[i] == pytest.approx(numeric, rel=1e-6)


def test_one_record():
    assert grad(of_one, jit=False)(BODIES[1], 0.5).x == pytest.approx(2 * 2.0 * 0.5)
    assert grad(of_one, 1, jit=False)(BODIES[1], 0.5) == pytest.approx(4.0)


def test_a_captured_array_and_one_that_takes_its_place(monkeypatch):
    slope = grad(captured, jit=False)
    assert slope(0.5) == pytest.approx(6.0)
    BODIES["x"][0] = 2.0
    assert slope(0.5) == pytest.approx(7.0)
    BODIES["x"][0] = 1.0
    monkeypatch.setitem(globals(), "BODIES", BODIES[:2].copy())
    assert slope(0.5) == pytest.approx(3.0)


def test_fields_that_are_written():
    assert grad(written, 1, jit=False)(BODIES, 0.7) == pytest.approx(4 * 0.7)
    assert BODIES["x"].tolist() == [1.0, 2.0, 3.0]
    own = BODIES.copy()
    assert jit(written, jit=False)(own, 0.7) == pytest.approx(2 * (0.49 + 5.0))
    assert own["x"].tolist() == pytest.approx([0.98, 4.0, 6.0])


def unknown_field(b):
    return b["z"][0]


def test_an_unknown_field_is_refused():
    with pytest.raises(Error, match="'x', 'y', 'k', 'v'"):
        grad(unknown_field, jit=False)(BODIES)


def growing(x):
    made, other = List(), List.empty_list(types.float64)
    for i in range(len(x)):
        made.append(x[i] * i)
        if x[i] > 1.0:
            other.append(x[i])
    return sum(made) + made[2] * other[-1] * len(other)


def known(x):
    made = List([1.0, 2.0])
    made.append(x[0])
    d, e = Dict.empty(types.int64, types.float64), Dict()
    d[0] = x[1]
    d[3] = x[1] * x[2]
    e["a"] = 2.0
    for i in range(3):
        e["a"] *= x[i]
    return made[2] * made[1] + d[0] * d[3] + e["a"]


@pytest.mark.parametrize("f", [growing, known])
def test_typed_containers_made_inside(f):
    confirm(f, V)


def test_typed_containers_as_arguments():
    assert grad(lambda values, x: values[0] * values[1] * x, jit=False)(List([1.0, 2.0]), 3.0) == [6.0, 3.0]
    (slope,) = grad(lambda rows: sum(np.sum(r * r) for r in rows), jit=False)(List([V]))
    np.testing.assert_allclose(slope, 2 * V)
    d = Dict()
    d["a"] = 2.0
    assert grad(lambda p: p["a"] ** 2, jit=False)(d) == {"a": 4.0}
    assert grad(lambda p: p[1] * p[2], jit=False)({1: 2.0, 2: 3.0}) == {1: 3.0, 2: 2.0}


def test_jitted():
    assert grad(by_element, 1)(BODIES, 0.7) == pytest.approx(grad(by_element, 1, jit=False)(BODIES, 0.7))
    confirm(growing, V, jitted=True, order=1)
