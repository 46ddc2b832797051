"""Products of matrices in compiled code: any layout and dtype, by BLAS or by loops, the same numbers as NumPy's."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from srcgrad import grad
from srcgrad.products import add_product, matrix_product


@numba.njit
def both(a: Any, b: Any, c: Any, d: Any) -> None:
    matrix_product(a, b, c)
    add_product(a, b, d)


def laid_out(matrix: np.ndarray, layout: str) -> np.ndarray:
    if layout == "strided":
        wide = np.zeros((2 * matrix.shape[0], 3 * matrix.shape[1]), matrix.dtype)
        wide[::2, ::3] = matrix
        return wide[::2, ::3]
    return np.array(matrix, order=layout)  # type: ignore[call-overload]  # C or F


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("layouts", ["CCC", "FCF", "CFC", "CsC", "FFs"])
@pytest.mark.parametrize("sizes", [(3, 4, 2), (20, 15, 30), (0, 3, 2), (2, 0, 3)])
def test_products_are_those_of_numpy(dtype: type, layouts: str, sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(3)
    m, k, n = sizes
    shapes = (m, k), (k, n), (m, n)
    matrices = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    a, b, c = (laid_out(x, "strided" if s == "s" else s) for x, s in zip(matrices, layouts, strict=True))
    a.flags.writeable = False
    d = c.copy(order="K")
    both(a, b, c, d)
    tolerance = 1e-4 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(c, matrices[0] @ matrices[1], tolerance, tolerance)
    np.testing.assert_allclose(d, matrices[2] + matrices[0] @ matrices[1], tolerance, tolerance)


def energy(a: Any, b: Any) -> Any:
    return np.sum((a @ b.T) ** 2)


@pytest.mark.parametrize("options", [{}, {"fastmath": False}, {"vector_math": False}])
def test_other_flags_have_the_text_pasted_in(options: Any) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((12, 11)), rng.standard_normal((13, 11))
    derivative = grad(energy, (0, 1), cache=False, **options)
    expected = 2 * a @ b.T @ b, 2 * b @ a.T @ a
    for found, wanted in zip(derivative(a, b), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
