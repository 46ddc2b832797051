"""Functions of np.linalg and scipy.linalg, and products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.row import Case, between, case, complexes, fortran, numbers, row, strided


def square(*shape: int) -> Any:
    """Matrices that are far from singular, with different singular values."""
    return numbers(*shape) + np.diag(np.arange(2.0, 2.0 + shape[-1]))


def definite(*shape: int) -> Any:
    """Symmetric positive definite matrices with different eigenvalues."""
    a = numbers(*shape)
    return a @ np.swapaxes(a, -1, -2) + np.diag(np.arange(1.0, 1.0 + shape[-1]))


def of_matrices(expression: str, rtol: float = 1e-10) -> list[Case]:
    """Over layouts, dtypes and stacks."""
    x = square(4, 4)
    single = case(expression, [square(3, 3).astype(np.float32)], rtol=1e-4)
    return [
        case(expression, [x], [x[:2, :2].copy()], rtol=rtol),
        case(expression, [fortran(x)], rtol=rtol),
        case(expression, [strided(x)], rtol=rtol),
        case(expression, [square(2, 3, 3)], rtol=rtol),
        single,
    ]


def complex_definite(*shape: int) -> Any:
    """Hermitian positive definite matrices with different eigenvalues."""
    a = complexes(*shape)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.diag(np.arange(1.0, 1.0 + shape[-1]))


for _name in ("inv", "det"):
    row(f"np.linalg.{_name}", "(a)", of_matrices(f"np.linalg.{_name}(x)"))
row(
    "np.linalg.slogdet",
    "(a)",
    of_matrices("np.linalg.slogdet(x)[1]")
    + [case(f"np.linalg.slogdet(x)[{k}]", [complexes(3, 3)], rtol=1e-10) for k in (0, 1)],
)
row(
    "np.linalg.solve",
    "(a, b)",
    [
        case("np.linalg.solve(x, y)", [square(4, 4), numbers(4)], rtol=1e-10),
        case("np.linalg.solve(x, y)", [square(4, 4), numbers(4, 2)], rtol=1e-10),
        case("np.linalg.solve(x, y)", [square(2, 3, 3), numbers(2, 3, 2)], rtol=1e-10),
        case("np.linalg.solve(x, y)", [square(2, 3, 3), numbers(3)], rtol=1e-10),
    ],
)
row(
    "np.linalg.pinv",
    "(a, rcond, hermitian, *, rtol)",
    [
        case("np.linalg.pinv(x)", [numbers(4, 3)], [numbers(3, 5)], rtol=1e-9),
        case("np.linalg.pinv(x)", [complexes(4, 3)], rtol=1e-9),
    ],
)
row(
    "np.linalg.cholesky",
    "(a, *, upper)",
    [
        case("np.linalg.cholesky(x)", [definite(4, 4)]),
        case("np.linalg.cholesky(x)", [definite(2, 3, 3)]),
        case("np.linalg.cholesky(x)", [complex_definite(3, 3)]),
    ],
)
row(
    "np.linalg.qr",
    "(a, mode)",
    [
        *(case(f"np.linalg.qr(x)[{k}]", [numbers(4, 3)], [numbers(3, 4)], rtol=1e-10) for k in (0, 1)),
        *(case(f"np.linalg.qr(x)[{k}]", [complexes(4, 3)], rtol=1e-10) for k in (0, 1)),
        case("np.linalg.qr(x, 'complete')[1]", [numbers(4, 3)], rtol=1e-10),
    ],
    "mode 'reduced', 'complete' or 'r'",
)
row(
    "np.linalg.eigh",
    "(a, UPLO)",
    [
        case("np.linalg.eigh(x)[0]", [definite(4, 4)], rtol=1e-10),
        case("np.linalg.eigh(x)[1] ** 2", [definite(4, 4)], rtol=1e-9),
        case('np.linalg.eigh(x, "U")[0]', [definite(2, 3, 3)], rtol=1e-10),
        case("np.linalg.eigh(x)[0]", [complex_definite(3, 3)], rtol=1e-10),
        case("np.abs(np.linalg.eigh(x)[1])", [complex_definite(3, 3)], rtol=1e-9),
    ],
)
row("np.linalg.eigvalsh", "(a, UPLO)", [case("np.linalg.eigvalsh(x)", [definite(4, 4)], rtol=1e-10)])
row(
    "np.linalg.eig",
    "(a)",
    [case(f"np.abs(np.linalg.eig(x)[{k}])", [square(4, 4)], rtol=1e-9) for k in (0, 1)],
    "complex results",
)
row("np.linalg.eigvals", "(a)", [case("np.abs(np.linalg.eigvals(x))", [square(4, 4)], rtol=1e-9)], "complex results")
row(
    "np.linalg.svd",
    "(a, full_matrices, compute_uv)",
    [
        case("np.linalg.svd(x, full_matrices=False)[0] ** 2", [numbers(4, 3)], [numbers(3, 4)], rtol=1e-9),
        case("np.linalg.svd(x, compute_uv=False)", [numbers(4, 3)], rtol=1e-10),
        case("np.linalg.svd(x, compute_uv=False)", [numbers(2, 3, 3)], rtol=1e-10),
        case("np.linalg.svd(x)[0] ** 2", [numbers(4, 4)], rtol=1e-9),
        case("np.linalg.svd(x)[1]", [complexes(4, 3)], rtol=1e-9),
        case("np.abs(np.linalg.svd(x)[2])", [complexes(4, 3)], rtol=1e-9),
    ],
)
row("np.linalg.svdvals", "(x)", [case("np.linalg.svdvals(x)", [numbers(4, 3)], rtol=1e-10)])
row(
    "np.linalg.norm",
    "(x, ord, axis, keepdims)",
    [
        *(case(f"np.linalg.norm(x, {o})", [numbers(5)]) for o in ("None", "1", "2", "3", "0", "np.inf", "-np.inf")),
        *(case(f"np.linalg.norm(x, {o})", [complexes(4, 3)], rtol=1e-11) for o in ("None", "'nuc'", "2")),
        *(
            case(f"np.linalg.norm(x, {o})", [numbers(4, 3)], rtol=1e-11)
            for o in ("None", "'fro'", "'nuc'", "1", "-1", "2", "-2", "np.inf", "-np.inf")
        ),
        case("np.linalg.norm(x, axis=1, keepdims=True)", [numbers(4, 3)]),
        case("np.linalg.norm(x, 'nuc', axis=(0, 2))", [numbers(3, 2, 4)], rtol=1e-11),
    ],
)
row(
    "np.linalg.matrix_power",
    "(a, n)",
    [case(f"np.linalg.matrix_power(x, {n})", [square(3, 3)], [square(2, 2)], rtol=1e-10) for n in (0, 1, 3, -2)],
)
row(
    "np.linalg.lstsq",
    "(a, b, rcond)",
    [
        case("np.linalg.lstsq(x, y)[0]", [numbers(5, 3), numbers(5)], [numbers(3, 4), numbers(3)], rtol=1e-9),
        case("np.linalg.lstsq(x, y)[0]", [complexes(5, 3), complexes(5)], rtol=1e-9),
    ],
)
row(
    "np.linalg.cond",
    "(x, p)",
    [case(f"np.linalg.cond(x, {p})", [square(3, 3)], rtol=1e-10) for p in ("None", "-2", "'fro'", "1", "np.inf")],
)
row("np.linalg.matrix_rank", "(A, tol)", [case("np.linalg.matrix_rank(x)", [numbers(4, 3)])])

for _name in ("inv", "det", "expm"):
    row(f"linalg.{_name}", "(a)", of_matrices(f"linalg.{_name}(x)", 1e-9)[:2])
row("linalg.norm", "(a, ord, axis, keepdims)", [case("linalg.norm(x, 1)", [numbers(4, 3)])])
row("linalg.pinv", "(a, rtol)", [case("linalg.pinv(x)", [numbers(4, 3)], rtol=1e-9)])
row("linalg.svdvals", "(a)", [case("linalg.svdvals(x)", [numbers(4, 3)], rtol=1e-10)])
row(
    "linalg.svd",
    "(a, full_matrices, compute_uv)",
    [case("linalg.svd(x, full_matrices=False)[2] ** 2", [numbers(4, 3)], rtol=1e-9)],
)
row("linalg.eigh", "(a, lower, eigvals_only)", [case("linalg.eigh(x, eigvals_only=True)", [definite(4, 4)], rtol=1e-9)])
row("linalg.eigvalsh", "(a, lower)", [case("linalg.eigvalsh(x)", [definite(4, 4)], rtol=1e-9)])
row(
    "linalg.solve",
    "(a, b, lower, assume_a, transposed)",
    [
        case(f"linalg.solve(x, y, {more})", [definite(4, 4), numbers(4)], rtol=1e-10)
        for more in ("assume_a='gen'", "assume_a='pos'", "assume_a='sym'", "transposed=True")
    ],
)
row(
    "linalg.solve_triangular",
    "(a, b, trans, lower, unit_diagonal)",
    [
        case(f"linalg.solve_triangular(x, y, {more})", [square(4, 4), numbers(4, 2)], rtol=1e-10)
        for more in ("lower=True", "trans=1", "trans='T', lower=True", "unit_diagonal=True")
    ],
)
row(
    "linalg.cholesky",
    "(a, lower)",
    [case(f"linalg.cholesky(x, lower={lower})", [definite(4, 4)], rtol=1e-10) for lower in (True, False)],
)
row(
    "linalg.cho_solve",
    "(c_and_lower, b)",
    [case("linalg.cho_solve(linalg.cho_factor(x), y)", [definite(4, 4), numbers(4)], rtol=1e-10)],
    "with linalg.cho_factor",
)
row("linalg.lu_factor", "(a)", [case("linalg.lu_factor(x)[0]", [numbers(4, 4)], rtol=1e-10)])
row(
    "linalg.lu_solve",
    "(lu_and_piv, b, trans)",
    [
        case(f"linalg.lu_solve(linalg.lu_factor(x), y, {trans})", [square(4, 4), numbers(4, 2)], rtol=1e-10)
        for trans in (0, 1)
    ],
)
row(
    "linalg.lu",
    "(a, permute_l), of a square matrix",
    [case(f"linalg.lu(x)[{k}]", [numbers(4, 4)], rtol=1e-10) for k in (0, 1, 2)]
    + [case("linalg.lu(x, permute_l=True)[0]", [numbers(3, 3)], rtol=1e-10)],
)
row("linalg.lstsq", "(a, b, cond)", [case("linalg.lstsq(x, y)[0]", [numbers(5, 3), numbers(5)], rtol=1e-9)])
row(
    "linalg.solve_banded",
    "(l_and_u, ab, b)",
    [
        case(
            "linalg.solve_banded((1, 1), x * np.array([[1.0], [0.0], [1.0]]), y)", [between(1.0, 3.0, 3, 4), numbers(4)]
        ),
        case(
            "linalg.solve_banded((2, 1), x + np.array([[0.0], [4.0], [0.0], [0.0]]), y)", [numbers(4, 5), numbers(5, 2)]
        ),
        case("linalg.solve_banded((0, 1), x + np.array([[0.0], [3.0]]), y)", [numbers(2, 4), complexes(4)]),
    ],
)
row(
    "linalg.solveh_banded",
    "(ab, b, lower)",
    [
        case("linalg.solveh_banded(x + np.array([[0.0], [6.0]]), y)", [numbers(2, 4), numbers(4)], rtol=1e-10),
        case(
            "linalg.solveh_banded(x + np.array([[6.0], [0.0]]), y, lower=True)", [numbers(2, 4), numbers(4)], rtol=1e-10
        ),
    ],
)
row(
    "linalg.solve_toeplitz",
    "(c_or_cr, b)",
    [case("linalg.solve_toeplitz((x, y), y)", [numbers(4) + np.array([4.0, 0, 0, 0]), numbers(4)], rtol=1e-9)],
)
row(
    "linalg.toeplitz",
    "(c, r)",
    [case("linalg.toeplitz(x, y)", [numbers(3), numbers(4)]), case("linalg.toeplitz(x)", [complexes(3)])],
)
row("linalg.circulant", "(c)", [case("linalg.circulant(x)", [numbers(4)])])
row(
    "linalg.hankel",
    "(c, r)",
    [case("linalg.hankel(x, y)", [numbers(3), numbers(4)]), case("linalg.hankel(x)", [numbers(3)])],
)
row("linalg.block_diag", "(*arrs)", [case("linalg.block_diag(x, y, 2.0)", [numbers(2, 3), numbers(2)])])
row(
    "linalg.sqrtm",
    "(A), of a real matrix with a real root",
    [case("linalg.sqrtm(x)", [definite(3, 3)], [square(3, 3) + 3 * np.eye(3)], rtol=1e-10)],
)
row("linalg.logm", "(A), of a real matrix with a real logarithm", [case("linalg.logm(x)", [definite(3, 3)], rtol=1e-9)])
row(
    "linalg.solve_sylvester",
    "(a, b, q)",
    [case("linalg.solve_sylvester(x, y, z)", [square(3, 3), square(2, 2), numbers(3, 2)], rtol=1e-9)],
)
