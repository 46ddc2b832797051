"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from conformance.row import case, complexes, fortran, numbers, row, strided

for _name in ("fft", "ifft", "hfft"):
    _f = f"np.fft.{_name}"
    row(
        _f,
        "(a, n, axis, norm)",
        [
            case(f"{_f}(x)", [complexes(6)], [complexes(3, 7)], [fortran(complexes(2, 4))]),
            case(f"{_f}(x, 5, axis=0, norm='ortho')", [complexes(7, 2)], [complexes(2, 3)]),
            case(f"{_f}(x, norm='forward')", [numbers(5)]),
            case(f"{_f}(x)", [complexes(4, dtype=np.complex64)]),
            case(f"{_f}(x)", [strided(numbers(4, 3, dtype=np.float32))]),
            case(f"{_f}(x)", [np.arange(4)]),
        ],
    )
for _name in ("rfft", "ihfft"):
    _f = f"np.fft.{_name}"
    row(
        _f,
        "(a, n, axis, norm)",
        [
            case(f"{_f}(x)", [numbers(6)], [numbers(3, 7)]),
            case(f"{_f}(x, 5, axis=0, norm='ortho')", [numbers(7, 2)], [numbers(2, 3)]),
            case(f"{_f}(x, norm='forward')", [numbers(4, dtype=np.float32)]),
        ],
    )
row(
    "np.fft.irfft",
    "(a, n, axis, norm)",
    [
        case("np.fft.irfft(x)", [complexes(4)], [complexes(3, 3)]),
        case("np.fft.irfft(x, 7, axis=0, norm='ortho')", [complexes(4, 2)], [complexes(2, 2)]),
        case("np.fft.irfft(x, norm='forward')", [complexes(3, dtype=np.complex64)]),
    ],
)
for _name, _draw in (("fft", complexes), ("ifft", complexes), ("rfft", numbers), ("irfft", complexes)):
    _f = f"np.fft.{_name}"
    row(
        f"{_f}2",
        "(a, s, axes, norm)",
        [
            case(f"{_f}2(x)", [_draw(3, 4)], [_draw(2, 2, 3)]),
            case(f"{_f}2(x, (2, 5), axes=(1, 0), norm='ortho')", [_draw(3, 4)]),
        ],
    )
    row(
        f"{_f}n",
        "(a, s, axes, norm)",
        [
            case(f"{_f}n(x)", [_draw(2, 3, 2)]),
            case(f"{_f}n(x, axes=(0, -1))", [_draw(2, 3, 2)]),
            case(f"{_f}n(x, (3, 4), axes=(0, 1), norm='forward')", [_draw(2, 3)]),
        ],
    )
for _name in ("fftshift", "ifftshift"):
    _f = f"np.fft.{_name}"
    row(
        _f,
        "(x, axes)",
        [
            case(f"{_f}(x)", [numbers(5)], [numbers(4)]),
            case(f"{_f}(x)", [complexes(3, 4)]),
            case(f"{_f}(x, axes=1)", [numbers(3, 4)]),
            case(f"{_f}(x, axes=(0, -1))", [numbers(3, 5, 2)]),
        ],
    )
for _name in ("fftfreq", "rfftfreq"):
    _f = f"np.fft.{_name}"
    row(_f, "(n, d)", [case(f"{_f}(x)", [6], [1]), case(f"{_f}(x, y)", [5, numbers()], [4, numbers()])])
