"""Limb darkening and overlap of discs in PyTransit, against its ``ldd_*`` and ``cciad_s``."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import srcgrad

pytest.importorskip("pytransit")
pytestmark = pytest.mark.packages

MU = np.linspace(0.1, 0.95, 6)


@pytest.mark.parametrize(
    ("name", "coefficients"), [("linear", [0.3]), ("quadratic", [0.3, 0.2]), ("power_2", [0.4, 0.7])]
)
def test_limb_darkening(name: str, coefficients: list[float]) -> None:
    module = importlib.import_module(f"pytransit.models.limb_darkening.{name}")
    profile = getattr(module, f"ld_{name}")
    theirs = getattr(module, f"ldd_{name}")(MU, np.array(coefficients))
    by_mu, by_coefficients = (
        srcgrad.jacobian(profile, argnums=k, jit=False)(MU, np.array(coefficients)) for k in (0, 1)
    )
    np.testing.assert_allclose(np.diag(by_mu), theirs[0], rtol=1e-10)
    np.testing.assert_allclose(by_coefficients.T, theirs[1:], rtol=1e-10)


@pytest.mark.parametrize("z", [0.93, 1.0, 1.07])
def test_overlap_of_discs(z: float) -> None:
    common = importlib.import_module("pytransit.models.roadrunner.common")
    area = srcgrad.grad(common.circle_circle_intersection_area, argnums=2, jit=False)
    assert area(1.0, 0.1, z) == pytest.approx(common.cciad_s(z, 1.0, 1.0, 0.1), rel=1e-8)
