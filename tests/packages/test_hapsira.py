"""Orbits of hapsira: Kepler's equation, near-parabolic series and Lambert's time of flight, with their primes."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import srcgrad

# Not among the extra `packages`: it asks for a NumPy older than 2. Without its dependencies it runs with any.
pytest.importorskip("hapsira.core.angles")
pytestmark = pytest.mark.packages

angles = importlib.import_module("hapsira.core.angles")
farnocchia = importlib.import_module("hapsira.core.propagation.farnocchia")
iod = importlib.import_module("hapsira.core.iod")


@pytest.mark.parametrize(("suffix", "eccentricity"), [("", 0.3), ("_hyper", 1.4)])
def test_kepler_equation(suffix: str, eccentricity: float) -> None:
    slope = srcgrad.grad(getattr(angles, f"_kepler_equation{suffix}"), jit=False)
    by_hand = getattr(angles, f"_kepler_equation_prime{suffix}")
    assert slope(0.7, 0.4, eccentricity) == pytest.approx(by_hand(0.7, 0.4, eccentricity), rel=1e-12)


def test_near_parabolic_equation() -> None:
    slope = srcgrad.grad(farnocchia._kepler_equation_near_parabolic, jit=False)
    assert slope(0.3, 0.2, 0.99) == pytest.approx(
        farnocchia._kepler_equation_prime_near_parabolic(0.3, 0.2, 0.99), rel=1e-9
    )


def test_time_of_flight_to_second_order() -> None:
    x, ll, revolutions = 0.3, 0.4, 0

    def time(at: float) -> float:
        return iod._tof_equation(at, 0.0, ll, revolutions)

    y, t = iod._compute_y(x, ll), time(x)
    by_hand = iod._tof_equation_p(x, y, t, ll)
    assert srcgrad.grad(time, jit=False)(x) == pytest.approx(by_hand, rel=1e-9)
    assert srcgrad.hessian(time, jit=False)(x) == pytest.approx(iod._tof_equation_p2(x, y, t, by_hand, ll), rel=1e-9)


def test_velocities_give_back_the_orbit() -> None:
    elements = importlib.import_module("hapsira.core.elements")
    k, state = 3.986e5, (7000.0, 0.1, 0.2, 0.3, 0.4, 0.5)

    def there_and_back(p: float) -> float:
        r, v = elements.coe2rv(k, p, *state[1:])
        return elements.rv2coe(k, r, v)[0]

    assert srcgrad.grad(there_and_back, jit=False)(state[0]) == pytest.approx(1.0, rel=1e-9)
    assert np.isfinite(there_and_back(state[0]))
