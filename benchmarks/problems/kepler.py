"""Kepler's equation by Newton's method to a tolerance: the sum of the positions of 10,000 bodies."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from benchmarks.mechanical import kepler as mechanical
from benchmarks.problem import Array, Problem

TOLERANCE = 1e-11


def positions(eccentricity: Array, anomaly: Array) -> float:
    """The sum of ``cos(E)``, where ``E - e sin(E) = M``."""
    total = 0.0
    for i in range(anomaly.shape[0]):
        e, m = eccentricity[i], anomaly[i]
        x = m
        step = 1.0
        while abs(step) > TOLERANCE:
            step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
            x -= step
        total += math.cos(x)
    return total


@njit
def hand(eccentricity: Array, anomaly: Array) -> tuple[Array, Array]:
    """Each step of Newton's method reversed, from the values that were kept."""
    e_bar, m_bar = np.empty_like(eccentricity), np.empty_like(anomaly)
    kept = np.empty(100)
    for i in range(anomaly.shape[0]):
        e, m = eccentricity[i], anomaly[i]
        x = m
        step = 1.0
        count = 0
        while abs(step) > TOLERANCE:
            kept[count] = x
            step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
            x -= step
            count += 1
        x_bar = -math.sin(x)
        of_e, of_m = 0.0, 0.0
        for q in range(count):
            x = kept[count - 1 - q]
            sine, cosine = math.sin(x), math.cos(x)
            slope = 1.0 - e * cosine
            residual = x - e * sine - m
            residual_bar = -x_bar / slope
            slope_bar = x_bar * residual / (slope * slope)
            of_e -= residual_bar * sine + slope_bar * cosine
            of_m -= residual_bar
            x_bar += residual_bar * (1.0 - e * cosine) + slope_bar * e * sine
        e_bar[i] = of_e
        m_bar[i] = of_m + x_bar
    return e_bar, m_bar


@njit
def best(eccentricity: Array, anomaly: Array) -> tuple[Array, Array]:
    """The derivative of the solution, by the implicit function theorem."""
    e_bar, m_bar = np.empty_like(eccentricity), np.empty_like(anomaly)
    for i in range(anomaly.shape[0]):
        e, m = eccentricity[i], anomaly[i]
        x = m
        step = 1.0
        while abs(step) > TOLERANCE:
            step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
            x -= step
        sine = math.sin(x)
        slope = -sine / (1.0 - e * math.cos(x))
        e_bar[i] = slope * sine
        m_bar[i] = slope
    return e_bar, m_bar


def problem() -> Problem:
    generator = np.random.default_rng(2)
    arguments = generator.uniform(0.0, 0.7, 10_000), generator.uniform(0.1, 3.0, 10_000)
    return Problem(
        "Kepler's equation, 10,000 bodies",
        positions,
        arguments,
        (0, 1),
        hand,
        best,
        ratio=2.0,
        mechanical=mechanical.gradient,
    )
