"""Rows that nobody looks up: Jacobians in which they are left out, against one direction after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import jacfwd, jvp
from srcgrad.api.compiled import Compiled
from srcgrad.api.plans import Columns
from srcgrad.differentiate import all_directions
from srcgrad.settings import Options

Array = np.ndarray


@pytest.fixture(autouse=True)
def in_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Directions side by side in plain Python, too."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    monkeypatch.setattr(all_directions, "COLUMNS", 8)


def posed(theta: Array, base: Array, seen: Array) -> Array:
    """A table of points, some of which are seen; negative numbers count from the end."""
    moved = np.zeros((base.shape[0], 3))
    for bone in range(4):
        for v in range(base.shape[0]):
            if base[v, bone] > 0.0:
                for a in range(3):
                    moved[v, a] += np.sin(theta[bone] + a) * base[v, a]
    turned = np.tanh(moved) * theta[4]
    return turned[seen]


def two_of_a_table(theta: Array, base: Array, seen: Array) -> Array:
    """Looked up in two places, once behind a branch."""
    table = np.outer(np.cos(base[:, 0]), theta)
    out = np.zeros((seen.shape[0], theta.shape[0]))
    for i in range(seen.shape[0]):
        out[i] = table[seen[i]]
        if seen[i] > 0:
            out[i] += table[seen[i] - 1] * theta
    return out


def all_in_order(theta: Array, base: Array, seen: Array) -> Array:
    """The last row depends on all others: none can be left out."""
    table = np.outer(base[:, 0], theta)
    for v in range(1, base.shape[0]):
        for k in range(theta.shape[0]):
            table[v, k] += table[v - 1, k] * 0.5
    return table[seen]


def summed_too(theta: Array, base: Array, seen: Array) -> Array:
    """All rows are read, besides those that are looked up."""
    table = np.outer(base[:, 0], np.sin(theta))
    return table[seen] + np.sum(table, axis=0)


def by_computed_numbers(theta: Array, base: Array, seen: Array) -> Array:
    """Which row is read depends on what is computed on the way."""
    table = np.outer(base[:, 0], np.sin(theta))
    places = np.zeros(seen.shape[0], dtype=np.int64)
    for i in range(seen.shape[0]):
        places[i] = seen[i] if theta[0] > 0.0 else 0
    return table[places]


def arguments() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(3)
    return rng.normal(size=5), rng.normal(size=(9, 6)), np.array([2, 2, 7, -1, 4])


def one_by_one(f: Callable[..., Array], theta: Array, *others: Array) -> Array:
    zeros = [np.zeros_like(x) if x.dtype.kind == "f" else None for x in others]
    columns = [jvp(f, (theta, *others), (unit, *zeros), jit=False)[1] for unit in np.eye(theta.size)]
    return np.stack(columns, axis=-1)


def leaves_out(f: Callable[..., Array]) -> bool:
    """Whether rows are left out of the text that is run."""
    return "wanted" in Compiled(f, Columns(0), Options(jit=False)).source(*arguments(), level="compiled")


SOME, ALL = (posed, two_of_a_table), (all_in_order, summed_too, by_computed_numbers)


@pytest.mark.parametrize("f", SOME, ids=lambda f: f.__name__)
def test_what_nobody_looks_up_is_left_out(f: Callable[..., Array]) -> None:
    assert leaves_out(f)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_what_somebody_may_read_is_computed(f: Callable[..., Array]) -> None:
    assert not leaves_out(f)


@pytest.mark.parametrize("f", SOME + ALL, ids=lambda f: f.__name__)
def test_against_one_direction_after_the_other(f: Callable[..., Array]) -> None:
    found = jacfwd(f, jit=False)(*arguments())
    np.testing.assert_allclose(found, one_by_one(f, *arguments()), rtol=1e-13, atol=1e-13)


def test_jitted() -> None:
    np.testing.assert_allclose(jacfwd(posed)(*arguments()), one_by_one(posed, *arguments()), rtol=1e-12, atol=1e-13)


def test_numbers_out_of_range_are_found() -> None:
    theta, base, _ = arguments()
    with pytest.raises(IndexError, match="index 9 is out of range"):
        jacfwd(posed, jit=False)(theta, base, np.array([1, 9]))


def test_no_lookups_at_all() -> None:
    theta, base, _ = arguments()
    assert jacfwd(posed, jit=False)(theta, base, np.array([], dtype=np.int64)).shape == (0, 3, 5)
