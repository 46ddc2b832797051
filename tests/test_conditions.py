"""Extents that meet: what is known from the shapes of arguments is known before anything is compiled."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, jacfwd, jit
from srcgrad.api.plans import Columns, Primal
from srcgrad.api.specialise import Specialisations
from srcgrad.settings import Options

Array = np.ndarray
PLAIN = Options(jit=False)


def blended(us: Array, v: Array) -> Array:
    """The columns behind the first are one where there are two."""
    return us[:, :1] * np.sin(v) + us[:, 1:] * v


def table_of(us: Array, v: Array) -> Specialisations:
    table = Specialisations(blended, Primal(), PLAIN)
    found = table.find((us, v))
    np.testing.assert_allclose(found(found.leaves((us, v))), blended(us, v), rtol=1e-14)
    return table


def columns(n: int) -> Array:
    return np.linspace(0.1, 1.7, 5 * n).reshape(5, n)


def test_a_program_that_would_stop_is_not_run() -> None:
    table = table_of(columns(2), columns(3))
    (first,), *others = table._by_structures.values()
    assert not first._has_run and len(others) == 1
    assert not any(leaf.stretched for leaf in others[0][0].structures)


def test_conditions_of_the_first_program() -> None:
    table = table_of(columns(2), columns(3))
    artifact = next(iter(table._by_structures.values()))[0].artifact
    assert artifact.conditions
    assert not artifact.fits([columns(2), columns(3)])
    assert not artifact.fits([columns(4), columns(3)])  # the first column alone meets three


@pytest.mark.parametrize("first", [(2, 3), (2, 1), (2, 6)])
def test_other_extents_later_on(first: tuple[int, int]) -> None:
    f = jit(blended, jit=False)
    for n, m in (first, (2, 3), (2, 5), (2, 1), (7, 6), (3, 2), (6, 1)):
        us, v = columns(n), columns(m)
        np.testing.assert_allclose(f(us, v), blended(us, v), rtol=1e-14, err_msg=f"{n}, {m}")
    with pytest.raises(ValueError, match="could not be broadcast"):
        f(columns(4), columns(2))


def test_derivatives() -> None:
    us, v = columns(2), columns(3)
    found = jacfwd(blended, argnums=1, jit=False)(us, v)
    expected = np.einsum("ia,ik,ab->iakb", us[:, :1] * np.cos(v) + us[:, 1:], np.eye(5), np.eye(3))
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    gradient = grad(lambda us, v: np.sum(blended(us, v)), jit=False)(us, v)
    np.testing.assert_allclose(gradient, np.stack([np.sin(v).sum(axis=1), v.sum(axis=1)], axis=1), rtol=1e-13)


def test_what_a_branch_asks_is_no_condition() -> None:
    def either(us: Array, v: Array) -> Array:
        return us[:, 1:] * v if v[0, 0] > 0.0 else v

    table = Specialisations(either, Columns(1), PLAIN)
    found = table.find((columns(2), -columns(3)))
    assert not found.artifact.conditions
    np.testing.assert_array_equal(found(found.leaves((columns(2), -columns(3)))).reshape(15, 15), np.eye(15))


def test_jitted() -> None:
    us, v = columns(2), columns(3)
    np.testing.assert_allclose(jit(blended)(us, v), blended(us, v), rtol=1e-14)


def test_jacobians_know_small_extents() -> None:
    """Of tables, not of vectors: a Jacobian by two numbers is that by three."""
    table = Specialisations(blended, Columns(1), PLAIN)
    found = [table.find((columns(2), columns(m))) for m in (3, 3, 5, 6)]
    assert found[0] is found[1] is not found[2] is found[3]
    assert [leaf.extents for leaf in found[0].structures] == [(0, 2), (0, 3)]
