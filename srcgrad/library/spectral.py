"""Eigenvalues and eigenvectors, over LAPACK.

The rules are those of M. B. Giles (2008). Eigenvectors of equal eigenvalues have no derivative: what asks for it gets
NaN, but a function of the eigenvalues alone, of other vectors, or of the space that those span has its gradient.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.degenerate import negligible, quotient
from srcgrad.library.matrices import (
    Matrix,
    Vector,
    conjugate,
    conjugate_transpose,
    floating,
    hermitian,
    real_zeros,
    require_square,
)
from srcgrad.primitives.library import library

EighResult = type(np.linalg.eigh(np.eye(1)))
EigResult = type(np.linalg.eig(np.eye(1)))


def over_gaps(m: Matrix, w: Vector, settled: NDArray[np.bool_]) -> Matrix:
    """The elements off the diagonal, each over the difference of its eigenvalues; see `quotient`."""
    n = w.shape[0]
    largest = 0.0
    for i in range(n):
        largest = np.maximum(largest, abs(w[i]))
    least = 16 * n * np.finfo(w.dtype).eps * largest
    small = negligible(m)
    quotients = np.zeros((n, n), m.dtype)
    for i in range(n):
        for j in range(n):
            if i != j:
                quotients[i, j] = quotient(m[i, j], w[j] - w[i], least, small, settled[i, j])
    return quotients


def settled_pairs(m: Matrix, ct_w: Vector | None) -> NDArray[np.bool_]:
    """Whether two vectors of one eigenvalue have no part in the derivative, should their elements of ``m`` cancel.

    That is so where the eigenvalues are not used: then it does not matter which vectors span their space. But where
    they are, as in ``v @ np.diag(f(w)) @ v.T``, the quotient has a limit that is not known from one point.
    """
    n = m.shape[0]
    settled = np.ones((n, n), np.bool_)
    if ct_w is not None:
        small = negligible(ct_w)
        for i in range(n):
            for j in range(n):
                unused = m[i, j] == 0.0 and m[j, i] == 0.0
                settled[i, j] = unused and abs(ct_w[i] - ct_w[j]) <= small
    return settled


def eigh_vjp(s: Matrix, w: Vector, v: Matrix, ct_w: Vector | None, ct_v: Matrix | None) -> Matrix:
    adjoint = conjugate_transpose(v)
    if ct_v is None:
        assert ct_w is not None
        return conjugate((v * ct_w) @ adjoint)
    m = adjoint @ conjugate(ct_v)
    inner = over_gaps((m - conjugate_transpose(m)) / 2, w, settled_pairs(m, ct_w))
    if ct_w is not None:
        inner = inner + np.diag(ct_w)
    return conjugate(v @ inner @ adjoint)


def eigh_jvp(s: Matrix, w: Vector, v: Matrix, s_dot: Matrix) -> tuple[Vector, Matrix]:
    m = conjugate_transpose(v) @ s_dot @ v
    return np.diag(m).real.copy(), v @ over_gaps(m, w, settled_pairs(m, None))


EIGH = '''def eigen_hermitian(s, w, v):
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    n = s.shape[0]
    work = np.empty((n, n), s.dtype)
    for i in range(n):
        for j in range(n):
            work[j, i] = s[i, j]
    if n > 0 and numba_ez_xxxevd(lapack_letter(s), 86, 76, n, work.ctypes, n, w.ctypes) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    for i in range(n):
        for j in range(n):
            v[i, j] = work[j, i]
'''


@routine(reads=1, fills=2, compiled=EIGH, jvp=eigh_jvp, vjp=eigh_vjp)
def eigen_hermitian(s: Matrix, w: Vector, v: Matrix) -> None:
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    w[...], v[...] = np.linalg.eigh(s)


@library(np.linalg.eigh)
def eigh(a: Matrix, UPLO: str = "L") -> tuple[Vector, Matrix]:  # noqa: N803  (NumPy's name)
    """From one triangle of each matrix."""
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    w = real_zeros(a.shape[:-1], a)
    v = np.empty(a.shape, a.dtype)
    if a.ndim == 2:
        eigen_hermitian(hermitian(a, UPLO == "L"), w, v)
    else:
        for at in np.ndindex(a.shape[:-2]):
            eigen_hermitian(hermitian(a[at], UPLO == "L"), w[at], v[at])
    return EighResult(w, v)


@library(np.linalg.eigvalsh)
def eigvalsh(a: Matrix, UPLO: str = "L") -> Vector:  # noqa: N803  (NumPy's name)
    w, _ = eigh(a, UPLO)
    return w


def eig_cotangent(w: Matrix, v: Matrix, ct_w: Matrix | None, ct_v: Matrix | None) -> Matrix:
    if ct_v is None:
        assert ct_w is not None
        return np.linalg.solve(v.T, np.diag(ct_w) @ v.T)
    m = v.T @ ct_v
    inner = over_gaps(m, w, settled_pairs(m, ct_w))
    if ct_w is not None:
        inner = inner + np.diag(ct_w)
    return np.linalg.solve(v.T, inner @ v.T)


def eig_jvp(a: Matrix, w: Matrix, v: Matrix, a_dot: Matrix) -> tuple[Matrix, Matrix]:
    m = np.linalg.solve(v, a_dot @ v)
    return np.diag(m).copy(), v @ over_gaps(m, w, settled_pairs(m, None))


def eig_real_vjp(a: Matrix, w: Matrix, v: Matrix, ct_w: Matrix | None, ct_v: Matrix | None) -> Matrix:
    return eig_cotangent(w, v, ct_w, ct_v).real


def eig_complex_vjp(a: Matrix, w: Matrix, v: Matrix, ct_w: Matrix | None, ct_v: Matrix | None) -> Matrix:
    return eig_cotangent(w, v, ct_w, ct_v)


EIG_REAL = '''def eigen_real(a, w, v):
    """Eigenvalues and eigenvectors of a real matrix, complex in pairs."""
    n = a.shape[0]
    if n == 0:
        return
    work = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            work[j, i] = a[i, j]
    real, imaginary = np.empty(n, a.dtype), np.empty(n, a.dtype)
    left, right = np.empty((1, 1), a.dtype), np.empty((n, n), a.dtype)
    if numba_ez_rgeev(lapack_letter(a), 78, 86, n, work.ctypes, n, real.ctypes, imaginary.ctypes,
                      left.ctypes, 1, right.ctypes, n) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    for j in range(n):
        w[j] = complex(real[j], imaginary[j])
        for i in range(n):
            if imaginary[j] > 0.0:
                v[i, j] = complex(right[j, i], right[j + 1, i])
            elif imaginary[j] < 0.0:
                v[i, j] = complex(right[j - 1, i], -right[j, i])
            else:
                v[i, j] = right[j, i]
'''


@routine(reads=1, fills=2, compiled=EIG_REAL, jvp=eig_jvp, vjp=eig_real_vjp)
def eigen_real(a: Matrix, w: Matrix, v: Matrix) -> None:
    """Eigenvalues and eigenvectors of a real matrix, complex in pairs."""
    w[...], v[...] = np.linalg.eig(a)


EIG_COMPLEX = '''def eigen_complex(a, w, v):
    """Eigenvalues and eigenvectors of a complex matrix."""
    n = a.shape[0]
    if n == 0:
        return
    work = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            work[j, i] = a[i, j]
    left, right = np.empty((1, 1), a.dtype), np.empty((n, n), a.dtype)
    if numba_ez_cgeev(lapack_letter(a), 78, 86, n, work.ctypes, n, w.ctypes, left.ctypes, 1, right.ctypes, n) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    for i in range(n):
        for j in range(n):
            v[i, j] = right[j, i]
'''


@routine(reads=1, fills=2, compiled=EIG_COMPLEX, jvp=eig_jvp, vjp=eig_complex_vjp)
def eigen_complex(a: Matrix, w: Matrix, v: Matrix) -> None:
    """Eigenvalues and eigenvectors of a complex matrix."""
    w[...], v[...] = np.linalg.eig(a)


@library(np.linalg.eig)
def eig(a: Matrix) -> tuple[Matrix, Matrix]:
    """Always complex numbers, since the type of a result cannot depend on the values of the matrix."""
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    dtype = (a[..., 0] * 1j).dtype
    w = np.empty(a.shape[:-1], dtype)
    v = np.empty(a.shape, dtype)
    if a.ndim == 2:
        eigen(a, w, v)
    else:
        for at in np.ndindex(a.shape[:-2]):
            eigen(a[at], w[at], v[at])
    return EigResult(w, v)


def eigen(a: Matrix, w: Matrix, v: Matrix) -> None:
    """With vectors of length 1, whose largest element is real, as LAPACK gives them: so they are differentiated."""
    if a.dtype.kind == "c":
        eigen_complex(a, w, v)
    else:
        eigen_real(a, w, v)
    for j in range(v.shape[1]):
        largest = 0
        for i in range(v.shape[0]):
            if abs(v[i, j]) > abs(v[largest, j]) * (1 + 1e-6):
                largest = i
        length = np.sqrt(np.sum(v[:, j].real ** 2 + v[:, j].imag ** 2))
        turn = np.conj(v[largest, j]) / (abs(v[largest, j]) * length)
        if v[largest, j].real < 0.0:  # a real vector keeps its sign
            turn = -turn
        v[:, j] *= turn


@library(np.linalg.eigvals)
def eigvals(a: Matrix) -> Matrix:
    """Always complex numbers."""
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    dtype = (a[..., 0] * 1j).dtype
    w = np.empty(a.shape[:-1], dtype)
    v = np.empty(a.shape, dtype)
    if a.ndim == 2:
        eigen_values(a, w, v)
    else:
        for at in np.ndindex(a.shape[:-2]):
            eigen_values(a[at], w[at], v[at])
    return w


def eigen_values(a: Matrix, w: Matrix, v: Matrix) -> None:
    if a.dtype.kind == "c":
        eigen_complex(a, w, v)
    else:
        eigen_real(a, w, v)
