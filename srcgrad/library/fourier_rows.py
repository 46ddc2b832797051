"""The discrete Fourier transform of each row of a matrix: NumPy's in plain Python, and for Numba, which has none, ours.

The transform is linear and its matrix symmetric, so that it is its own tangent and, with cotangents that pair without
a conjugate, its own pullback.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.routines import routine

Rows = NDArray[np.number]

# Where the prime factors of n are small this is Stockham's algorithm: after factors of product `done` the buffer holds,
# at s * done, the transform of length `done` of the elements s, s + n // done, s + 2 * n // done ... Else it is
# Bluestein's: a convolution with a chirp, by transforms of a length that is a power of 2. C. Van Loan, Computational
# Frameworks for the Fast Fourier Transform, 1992, sections 1.7 and 4.2.
COMPILED = '''def transform_rows(a, forward, out):
    """out[r, k] = sum_j a[r, j] exp(sign 2 pi i j k / n), in O(n log n) operations for every n."""
    n = a.shape[1]
    sign = -1.0 if forward else 1.0
    rest, largest = n, 2
    while rest > 1:
        while rest % largest == 0:
            rest //= largest
        if rest > 1:
            largest = largest + 1 if largest * largest <= rest else rest
    chirped = largest > 61
    length = n
    if chirped:
        length = 1
        while length < 2 * n - 1:
            length *= 2
    roots = np.empty(length, np.complex128)
    for k in range(length):
        angle = sign * 2.0 * np.pi * k / length
        roots[k] = complex(np.cos(angle), np.sin(angle))
    chirp = np.empty(n if chirped else 0, np.complex128)
    for k in range(chirp.shape[0]):
        angle = sign * np.pi * (k * k % (2 * n)) / n
        chirp[k] = complex(np.cos(angle), np.sin(angle))
    response = np.empty(length if chirped else 0, np.complex128)
    old, new = np.empty(length, np.complex128), np.empty(length, np.complex128)
    terms = np.empty(64, np.complex128)
    for r in range(-1 if chirped else 0, a.shape[0]):  # row -1 is the chirp
        for back in range(2 if chirped and r >= 0 else 1):
            for j in range(length):
                if back:
                    old[j] = np.conj(old[j] * response[j])
                elif r < 0:
                    k = min(j, length - j)
                    old[j] = np.conj(chirp[k]) if k < n else 0.0
                elif chirped:
                    old[j] = a[r, j] * chirp[j] if j < n else 0.0
                else:
                    old[j] = a[r, j]
            done, p = 1, 2
            while done < length:
                rest = length // done
                while rest % p:
                    p += 1
                rest //= p
                for s in range(rest):
                    for k in range(done):
                        for u in range(p):
                            terms[u] = old[(s + rest * u) * done + k] * roots[u * k * rest]
                        first = s * done * p + k
                        if p == 2:
                            new[first] = terms[0] + terms[1]
                            new[first + done] = terms[0] - terms[1]
                        else:
                            for v in range(p):
                                total = terms[0]
                                for u in range(1, p):
                                    total += terms[u] * roots[u * v % p * (length // p)]
                                new[first + done * v] = total
                old, new = new, old
                done *= p
        if r < 0:
            for j in range(length):
                response[j] = old[j]
        else:
            for k in range(n):
                out[r, k] = np.conj(old[k]) * chirp[k] / length if chirped else old[k]
'''


def transform_jvp(a: Rows, forward: bool, out: Rows, a_dot: Rows, forward_dot: None) -> Rows:
    w = np.empty(out.shape, out.dtype)
    transform_rows(a_dot, forward, w)
    return w


def transform_vjp(a: Rows, forward: bool, out: Rows, ct: Rows) -> tuple[Rows, None]:
    w = np.empty(a.shape, a.dtype)
    transform_rows(ct, forward, w)
    return w, None


@routine(reads=2, fills=1, compiled=COMPILED, jvp=transform_jvp, vjp=transform_vjp)
def transform_rows(a: Rows, forward: bool, out: Rows) -> None:
    """Neither direction is normalized."""
    out[...] = np.fft.fft(a) if forward else np.fft.ifft(a, norm="forward")
