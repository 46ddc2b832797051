"""Linear algebra, Fourier transforms and complex numbers."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: N803, N806, RUF059
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case, values

_v3 = np.array([1.0, -2.0, 0.5])


_N = np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 0.5]])


def mm_12(a, b):
    return np.sum((a @ b) ** 2)


case(
    "matmul_1d_2d",
    source="harvard-edge/cs249r_book#1781 (PR)",
    about="1-D @ 2-D",
    fn=mm_12,
    make_args=lambda: (_v3.copy(), _N.copy()),
    argnums=(0, 1),
    expected=(_N @ (2 * (_v3 @ _N)), np.outer(_v3, 2 * (_v3 @ _N))),
)


_M = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -0.7], [1.1, 0.2, 3.0]])

case(
    "matmul_2d_1d",
    source="harvard-edge/cs249r_book#1781 (PR), HIPS/autograd#497",
    about="2-D @ 1-D",
    fn=mm_12,
    make_args=lambda: (_M.copy(), _v3.copy()),
    argnums=(0, 1),
    expected=(np.outer(2 * (_M @ _v3), _v3), _M.T @ (2 * (_M @ _v3))),
)


_B3 = np.stack([_M, _M.T + 1.0])

case(
    "matmul_3d_2d_batched",
    source="elixir-nx/nx#1748, apache/mxnet#18102",
    about="batched 3-D @ 2-D (broadcast matmul)",
    fn=mm_12,
    make_args=lambda: (_B3.copy(), _N.copy()),
    argnums=(0, 1),
    expected=(np.stack([2 * (b @ _N) @ _N.T for b in _B3]), sum(b.T @ (2 * (b @ _N)) for b in _B3)),
)

case(
    "matmul_1x3_3x1",
    source="google/tangent#59",
    about="row @ column",
    fn=mm_12,
    make_args=lambda: (_v3.reshape(1, 3).copy(), _M[0].reshape(3, 1).copy()),
    argnums=(0, 1),
    expected=(2 * (_v3 @ _M[0]) * _M[0].reshape(1, 3), 2 * (_v3 @ _M[0]) * _v3.reshape(3, 1)),
)


def solve_dot(A, b):
    return np.dot(b, np.linalg.solve(A, b))


def _ref_solve(A, b):
    x = np.linalg.solve(A, b)
    adjoint = np.linalg.solve(A.T, b)
    return -np.outer(adjoint, x), x + adjoint


case(
    "solve_1d_rhs",
    source="HIPS/autograd#23 (PR)",
    about="linalg.solve with a 1-D right-hand side",
    fn=solve_dot,
    make_args=lambda: (_M.copy(), _v3.copy()),
    argnums=(0, 1),
    expected=_ref_solve(_M, _v3),
)

case(
    "solve_1x1",
    source="pytorch/pytorch#95974",
    about="1x1 system with a length-1 rhs",
    fn=solve_dot,
    make_args=lambda: (np.array([[2.0]]), np.array([3.0])),
    argnums=(0, 1),
    expected=(np.array([[-9.0 / 4.0]]), np.array([3.0])),
)


def inv_in_loop(x):
    total = 0.0
    for k in range(2):
        p = x[:, k : k + 2]
        g = p.T @ p
        total += np.trace(np.linalg.inv(g))
    return total


_X43 = np.array([[1.0, 0.2, -0.3], [0.4, 1.5, 0.6], [-0.7, 0.8, 2.0], [0.1, -1.1, 0.9]])


def _ref_inv_loop(x):
    G = np.zeros_like(x)
    for k in range(2):
        p = x[:, k : k + 2]
        gi = np.linalg.inv(p.T @ p)
        G[:, k : k + 2] += -2 * p @ gi @ gi
    return G


case(
    "inv_in_loop",
    source="EnzymeAD/Enzyme.jl#3004",
    about="inv of a slice-built matrix inside a loop of 2+ iterations",
    fn=inv_in_loop,
    make_args=lambda: (_X43.copy(),),
    argnums=0,
    expected=_ref_inv_loop(_X43),
)


def chol_logdet(X):
    S = 0.5 * (X + X.T)
    L = np.linalg.cholesky(S)
    s = 0.0
    for i in range(L.shape[0]):
        s += 2.0 * np.log(L[i, i])
    return s


_SPD = _M @ _M.T + np.eye(3)

case(
    "cholesky_logdet_sym",
    source="HIPS/autograd#56 (PR), pytorch/pytorch#18825",
    about="logdet via cholesky of an explicitly symmetrised matrix: gradient is inv(X)",
    fn=chol_logdet,
    make_args=lambda: (_SPD.copy(),),
    argnums=0,
    expected=np.linalg.inv(_SPD),
)


def det_sq(A):
    return np.linalg.det(A)


case(
    "det_singular",
    source="jax-ml/jax#2380, HIPS/autograd#549, tensorflow/tensorflow#119477",
    about="det of a rank-1 2x2 matrix: cofactor matrix, not nan/LinAlgError",
    fn=det_sq,
    make_args=lambda: (np.array([[1.0, 2.0], [2.0, 4.0]]),),
    argnums=0,
    expected=np.array([[4.0, -2.0], [-2.0, 1.0]]),
)

case(
    "det_1x1_zero",
    source="pytorch/pytorch#80761",
    about="det of [[0.]]: gradient 1",
    fn=det_sq,
    make_args=lambda: (np.array([[0.0]]),),
    argnums=0,
    expected=np.array([[1.0]]),
)


def logabsdet(A):
    s, ld = np.linalg.slogdet(A)
    return s * ld


_Mneg = _M[[1, 0, 2]]

case(
    "slogdet_negative",
    source="pytorch/pytorch#15605, pymc-devs/pytensor#172 (PR)",
    about="slogdet with negative determinant: sign is inactive",
    fn=logabsdet,
    make_args=lambda: (_Mneg.copy(),),
    argnums=0,
    expected=-np.linalg.inv(_Mneg).T,
)


def eigvals_weighted(A):
    w, v = np.linalg.eigh(0.5 * (A + A.T))
    return np.sum(w**3)


case(
    "eigh_values_degenerate",
    source="HIPS/autograd#527 (PR), jax-ml/jax#669",
    about="eigenvalue-only function at repeated eigenvalues (identity): finite",
    fn=eigvals_weighted,
    make_args=lambda: (np.eye(3),),
    argnums=0,
    expected=3.0 * np.eye(3),
)


def svd_nuclear(A):
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    return np.sum(s)


def _ref_nuc(A):
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    return u @ vt


case(
    "svd_nuclear_norm",
    source="pytorch/pytorch#47599 (same class)",
    about="nuclear norm of a 3x2 matrix: U V^T",
    fn=svd_nuclear,
    make_args=lambda: (_N.copy(),),
    argnums=0,
    expected=_ref_nuc(_N),
)


def fft_band_power(x):
    r = np.fft.fft(x)
    m = r * MASK_FFT
    return np.sum(np.real(m) ** 2 + np.imag(m) ** 2)


MASK_FFT = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])


def _ref_fft(x):
    r = np.fft.fft(x)
    return 2 * 6 * np.real(np.fft.ifft(r * MASK_FFT))


_x6 = np.array([1.0, -0.5, 2.0, 0.3, -1.2, 0.7])

case(
    "fft_asymmetric_mask",
    source="HIPS/autograd#185",
    about="band power with a non-symmetric mask (conjugation matters)",
    fn=fft_band_power,
    make_args=lambda: (_x6.copy(),),
    argnums=0,
    expected=_ref_fft(_x6),
)


def filter_gain(x):
    z = np.exp(1j * np.linspace(0.0, 3.0, 10))
    p = np.exp(1j * x - 0.1)
    h = z + 1.0
    h = h / ((z - p) * (z - np.conj(p)))
    return np.sum(np.abs(h)) / 10.0


case(
    "complex_intermediate",
    source="HIPS/autograd#77",
    about="real input -> complex intermediates (exp, conj, abs) -> real output",
    fn=filter_gain,
    make_args=lambda: (0.1,),
    argnums=0,
    expected=np.array(-107.2257131124843),
    rtol=1e-06,
)


def complex_abs(z):
    return np.abs(z)


case(
    "complex_input_abs",
    source="jax-ml/jax#979",
    about="|z| at 1+0.5j. 'expected' = df/dx + i df/dy (torch); JAX/autograd return the conjugate",
    fn=complex_abs,
    make_args=lambda: (1.0 + 0.5j,),
    argnums=0,
    expected=np.array((1.0 + 0.5j) / abs(1.0 + 0.5j)),
    accept=[values(np.conj(1.0 + 0.5j) / abs(1.0 + 0.5j))],
    differences=False,
)


def tensordot_axes(x):
    m = np.zeros((2, 2))
    m[0, 1] = -x
    m[1, 0] = x
    return np.sum(np.tensordot(np.array([1.0, 0.0]), m, axes=(0, 1)) * np.array([3.0, 5.0]))


case(
    "tensordot_axes",
    source="HIPS/autograd#466",
    about="tensordot with explicit axes (sign bug in autograd)",
    fn=tensordot_axes,
    make_args=lambda: (1.0,),
    argnums=0,
    expected=np.array(5.0),
)


def einsum_bcast(x, y):
    return np.einsum("i,i->", x, y)


case(
    "einsum_broadcast",
    source="HIPS/autograd#376",
    about="einsum that broadcasts a length-1 operand: gradient keeps x's shape",
    fn=einsum_bcast,
    make_args=lambda: (np.array([2.0, 3.0]), np.array([4.0])),
    argnums=(0, 1),
    expected=(np.array([4.0, 4.0]), np.array([5.0])),
)
