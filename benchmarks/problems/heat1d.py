"""The heat equation on a line with a conductivity that varies, in place: gradient by initial state and conductivity."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem

RATE = 0.2


def misfit(start: Array, conductivity: Array, observed: Array, steps: int) -> float:
    n = start.shape[0]
    u = start.copy()
    flux = np.empty(n - 1)
    for _ in range(steps):
        for i in range(n - 1):
            flux[i] = conductivity[i] * (u[i + 1] - u[i])
        for i in range(1, n - 1):
            u[i] += RATE * (flux[i] - flux[i - 1])
    total = 0.0
    for i in range(n):
        total += (u[i] - observed[i]) ** 2
    return total


@njit
def hand(start: Array, conductivity: Array, observed: Array, steps: int) -> tuple[Array, Array]:
    """All states are kept."""
    n = start.shape[0]
    u = np.empty((steps + 1, n))
    u[0] = start
    flux = np.empty(n - 1)
    for t in range(steps):
        for i in range(n - 1):
            flux[i] = conductivity[i] * (u[t, i + 1] - u[t, i])
        u[t + 1, 0] = u[t, 0]
        u[t + 1, n - 1] = u[t, n - 1]
        for i in range(1, n - 1):
            u[t + 1, i] = u[t, i] + RATE * (flux[i] - flux[i - 1])
    u_bar = 2.0 * (u[steps] - observed)
    conductivity_bar = np.zeros(n - 1)
    flux_bar = np.empty(n - 1)
    for q in range(steps):
        t = steps - 1 - q
        flux_bar[:] = 0.0
        for i in range(1, n - 1):
            flux_bar[i] += RATE * u_bar[i]
            flux_bar[i - 1] -= RATE * u_bar[i]
        for i in range(n - 1):
            conductivity_bar[i] += flux_bar[i] * (u[t, i + 1] - u[t, i])
            u_bar[i + 1] += conductivity[i] * flux_bar[i]
            u_bar[i] -= conductivity[i] * flux_bar[i]
    return u_bar, conductivity_bar


@njit
def best(start: Array, conductivity: Array, observed: Array, steps: int) -> tuple[Array, Array]:
    """Each element of a shadow gathers what it gets, in functions of rows that vectorise."""
    n = start.shape[0]
    u = np.empty((steps + 1, n))
    u[0] = start
    flux = np.empty(n - 1)
    for t in range(steps):
        step(conductivity, u[t], u[t + 1], flux)
    u_bar = 2.0 * (u[steps] - observed)
    conductivity_bar = np.zeros(n - 1)
    for q in range(steps):
        back(conductivity, u[steps - 1 - q], u_bar, conductivity_bar, flux)
    return u_bar, conductivity_bar


@njit
def step(conductivity: Array, now: Array, then: Array, flux: Array) -> None:
    n = now.shape[0]
    for i in range(n - 1):
        flux[i] = conductivity[i] * (now[i + 1] - now[i])
    then[0] = now[0]
    then[n - 1] = now[n - 1]
    for i in range(1, n - 1):
        then[i] = now[i] + RATE * (flux[i] - flux[i - 1])


@njit
def back(conductivity: Array, now: Array, u_bar: Array, conductivity_bar: Array, flux: Array) -> None:
    n = now.shape[0]
    first, last = u_bar[0], u_bar[n - 1]
    u_bar[0] = u_bar[n - 1] = 0.0  # the ends are not moved
    for i in range(n - 1):
        through = RATE * (u_bar[i] - u_bar[i + 1])
        conductivity_bar[i] += through * (now[i + 1] - now[i])
        flux[i] = conductivity[i] * through
    u_bar[0] = first - flux[0]
    u_bar[n - 1] = last + flux[n - 2]
    for i in range(1, n - 1):
        u_bar[i] += flux[i - 1] - flux[i]


def problem() -> Problem:
    generator = np.random.default_rng(3)
    start, observed = np.sin(np.linspace(0.0, 6.0, 1000)), np.zeros(1000)
    arguments = start, generator.uniform(0.5, 1.5, 999), observed, 1000
    return Problem("Heat equation, n=1000, 1000 steps", misfit, arguments, (0, 1), hand, best, ratio=5.0)
