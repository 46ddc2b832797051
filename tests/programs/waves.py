"""Waves and signals: complex amplitudes, spectra and transforms."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import cmath
import math

import numba
import numpy as np

from programs.program import program

GRID = np.linspace(-3.0, 3.0, 12, endpoint=False)


@program(lambda: (0.8, 0.5, 1.3))
def schroedinger_split_step(momentum, width, depth):
    """A wave packet that meets a well, by Strang splitting; the probability behind the well."""
    psi = np.exp(-((GRID + 1.0) ** 2) / (2 * width**2) + 1j * momentum * GRID)
    psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
    potential = -depth * np.exp(-(GRID**2))
    k = 2 * np.pi * np.fft.fftfreq(GRID.size, d=GRID[1] - GRID[0])
    dt = 0.05
    for _ in range(4):
        psi = psi * np.exp(-0.5j * dt * potential)
        psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
        psi *= np.exp(-0.5j * dt * potential)
    return np.sum(np.abs(psi[GRID > 0.0]) ** 2)


@numba.njit
def smooth_escape(c, limit):
    z = 0j
    for n in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 16.0:
            return n + 1 - math.log(math.log(abs(z))) / math.log(2.0)
    return abs(z)


@program(lambda: (-0.7 + 0.35j, 0.4), jitted=True)
def mandelbrot(centre, width):
    total = 0.0
    for i in range(4):
        for j in range(3):
            total += smooth_escape(centre + width * complex(i - 1.5, j - 1.0), 30)
    return total


@program(lambda: (np.array([0.3 - 0.2j, -0.8 + 0.1j, 1.1 + 0.4j]), 4))
def hermite_gauss_modes(z, order):
    """Elegant Hermite-Gaussian beams: Hermite polynomials of complex numbers by their recursion."""
    total = 0.0
    for k in range(len(z)):
        before, h = 0j, 1.0 + 0j
        for n in range(order):
            before, h = h, 2.0 * z[k] * h - 2.0 * n * before
        field = h * np.exp(-z[k] * z[k])
        total += (field * field.conjugate()).real
    return total


@program(lambda: (np.array([1.4, 2.1, 1.6]), np.array([0.12, 0.07, 0.2]), 0.55))
def reflectance_of_layers(indices, thicknesses, wavelength):
    """Thin films by transfer matrices."""
    m = np.eye(2, dtype=np.complex128)
    for n, d in zip(indices, thicknesses):  # noqa: B905
        delta = 2 * np.pi * n * d / wavelength
        layer = np.array([[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]])
        m = m @ layer
    b, c = m @ np.array([1.0, 1.52])
    r = (b - c) / (b + c)
    return abs(r) ** 2


@program(lambda: (50.0, 0.2, 100.0, 300.0))
def resonant_circuit(resistance, inductance, capacitance, omega):
    """Gain and phase of a voltage divider; the capacitance in microfarads."""
    s = 1j * omega
    impedance = resistance + s * inductance + 1 / (s * capacitance * 1e-6)
    gain = resistance / impedance
    return abs(gain) + 0.1 * cmath.phase(gain) + cmath.sqrt(impedance).real


@program(lambda: (np.sin(GRID) + 0.3 * np.cos(2 * GRID), 0.1))
def burgers_pseudo_spectral(u, viscosity):
    """Two-thirds dealiasing, second-order Runge-Kutta."""
    k = 2 * np.pi * np.fft.rfftfreq(u.size, d=0.5)
    keep = k < 2 / 3 * k[-1]

    def slope(spectrum):
        product = np.fft.rfft(np.fft.irfft(spectrum * keep, u.size) ** 2)
        return -0.5j * k * product - viscosity * k**2 * spectrum

    spectrum = np.fft.rfft(u)
    for _ in range(3):
        middle = spectrum + 0.02 * slope(spectrum)
        spectrum = spectrum + 0.04 * slope(middle)
    return np.sum(np.fft.irfft(spectrum, u.size) ** 3)


@program(lambda: (np.array([0.3, -1.0, 0.7, 0.2, -0.4, 1.5, 0.1, -0.9]), 0.6))
def transform_in_place(x, phase):
    """Cooley and Tukey's butterflies, written out by the user."""
    n = x.shape[0]
    a = np.empty(n, np.complex128)
    for i in range(n):
        j, rest = 0, i
        for _ in range(3):
            j = 2 * j + rest % 2
            rest //= 2
        a[j] = x[i] * np.exp(1j * phase * i)
    half = 1
    for _ in range(3):
        for start in range(0, n, 2 * half):
            for k in range(half):
                w = np.exp(-1j * np.pi * k / half)
                t = w * a[start + k + half]
                a[start + k + half] = a[start + k] - t
                a[start + k] = a[start + k] + t
        half *= 2
    return np.sum(np.abs(a[1:3]) ** 2) + a[5].imag


@program(lambda: (np.random.default_rng(1).standard_normal((6, 8)), 1.2))
def blurred_image(image, radius):
    """Energy of an image behind a Gaussian filter in Fourier space."""
    ky = np.fft.fftfreq(image.shape[0])[:, None]
    kx = np.fft.fftfreq(image.shape[1])[None, :]
    spectrum = np.fft.fft2(image) * np.exp(-2.0 * (np.pi * radius) ** 2 * (kx**2 + ky**2))
    blurred = np.real(np.fft.ifft2(spectrum))
    return np.sum(blurred**2) + np.abs(np.fft.fftshift(spectrum)[3, 5])
