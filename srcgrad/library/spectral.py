"""Eigenvalues and eigenvectors, over LAPACK.

The rules are those of M. B. Giles (2008). Eigenvectors of equal eigenvalues have no derivative: what asks for it gets
NaN, but a function of the eigenvalues alone, or of other vectors, has its gradient.
"""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix, Vector, floating, require_square, symmetric
from srcgrad.primitives.library import library

EighResult = type(np.linalg.eigh(np.eye(1)))
EigResult = type(np.linalg.eig(np.eye(1)))


def over_gaps(m: Matrix, w: Vector) -> Matrix:
    """The elements off the diagonal, each over the difference of its eigenvalues; NaN where these are equal."""
    n = w.shape[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(w[i]))
    least = 4 * n * np.finfo(w.dtype).eps * largest
    quotients = np.zeros((n, n), m.dtype)
    for i in range(n):
        for j in range(n):
            if i != j and m[i, j] != 0.0:
                gap = w[j] - w[i]
                quotients[i, j] = m[i, j] / gap if abs(gap) > least else np.nan
    return quotients


def eigh_vjp(s: Matrix, w: Vector, v: Matrix, ct_w: Vector | None, ct_v: Matrix | None) -> Matrix:
    if ct_v is None:
        assert ct_w is not None
        return (v * ct_w) @ v.T
    m = v.T @ ct_v
    inner = over_gaps((m - m.T) / 2, w)
    if ct_w is not None:
        inner = inner + np.diag(ct_w)
    return v @ inner @ v.T


def eigh_jvp(s: Matrix, w: Vector, v: Matrix, s_dot: Matrix) -> tuple[Vector, Matrix]:
    m = v.T @ s_dot @ v
    return np.diag(m).copy(), v @ over_gaps(m, w)


EIGH = '''def eigen_symmetric(s, w, v):
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    n = s.shape[0]
    work = np.empty((n, n), s.dtype)
    for i in range(n):
        for j in range(n):
            work[i, j] = s[i, j]
    if n > 0 and numba_ez_xxxevd(lapack_letter(s), 86, 76, n, work.ctypes, n, w.ctypes) != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    for i in range(n):
        for j in range(n):
            v[i, j] = work[j, i]
'''


@routine(reads=1, fills=2, compiled=EIGH, jvp=eigh_jvp, vjp=eigh_vjp)
def eigen_symmetric(s: Matrix, w: Vector, v: Matrix) -> None:
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    w[...], v[...] = np.linalg.eigh(s)


@library(np.linalg.eigh)
def eigh(a: Matrix, UPLO: str = "L") -> tuple[Vector, Matrix]:  # noqa: N803  (NumPy's name)
    """From one triangle of each matrix."""
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    if a.dtype.kind == "c":
        refuse("eigh() of a complex matrix", "Write its real and imaginary parts as blocks of a real matrix.")
    w = np.empty(a.shape[:-1], a.dtype)
    v = np.empty(a.shape, a.dtype)
    if a.ndim == 2:
        eigen_symmetric(symmetric(a, UPLO == "L"), w, v)
    else:
        for at in np.ndindex(a.shape[:-2]):
            eigen_symmetric(symmetric(a[at], UPLO == "L"), w[at], v[at])
    return EighResult(w, v)


@library(np.linalg.eigvalsh)
def eigvalsh(a: Matrix, UPLO: str = "L") -> Vector:  # noqa: N803  (NumPy's name)
    w, _ = eigh(a, UPLO)
    return w


def eig_cotangent(w: Matrix, v: Matrix, ct_w: Matrix | None, ct_v: Matrix | None) -> Matrix:
    if ct_v is None:
        assert ct_w is not None
        return np.linalg.solve(v.T, np.diag(ct_w) @ v.T)
    inner = over_gaps(v.T @ ct_v, w)
    if ct_w is not None:
        inner = inner + np.diag(ct_w)
    return np.linalg.solve(v.T, inner @ v.T)


def eig_jvp(a: Matrix, w: Matrix, v: Matrix, a_dot: Matrix) -> tuple[Matrix, Matrix]:
    m = np.linalg.solve(v, a_dot @ v)
    return np.diag(m).copy(), v @ over_gaps(m, w)


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
