"""Evolution in time: particles, fields and filters, step by step."""

# ruff: noqa: N803, N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numba
import numpy as np

from programs.program import program


def pendulum(t, y, damping):
    return np.array([y[1], -np.sin(y[0]) - damping * y[1] + 0.1 * np.cos(t)])


@program(lambda: (np.array([1.0, 0.2]), 0.3))
def runge_kutta_4(y0, damping):
    y, t, h = y0, 0.0, 0.1
    for _ in range(12):
        k1 = pendulum(t, y, damping)
        k2 = pendulum(t + h / 2, y + h / 2 * k1, damping)
        k3 = pendulum(t + h / 2, y + h / 2 * k2, damping)
        k4 = pendulum(t + h, y + h * k3, damping)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@program(lambda: (np.array([1.0, 0.2]), 0.3), rtol=1e-5)
def runge_kutta_45_with_step_control(y0, damping):
    """Bogacki and Shampine's pair; the steps are what the error asks for, and are differentiated as well."""
    t, t_end, h = 0.0, 2.0, 0.3
    y = y0.copy()
    k1 = pendulum(t, y, damping)
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        k2 = pendulum(t + 0.5 * h, y + 0.5 * h * k1, damping)
        k3 = pendulum(t + 0.75 * h, y + 0.75 * h * k2, damping)
        new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = pendulum(t + h, new, damping)
        err = h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)
        norm = np.sqrt(np.mean((err / (1e-4 + 1e-4 * np.maximum(np.abs(y), np.abs(new)))) ** 2))
        if norm <= 1.0:
            t += h
            y = new
            k1 = k4
        h *= min(5.0, max(0.2, 0.9 * norm ** (-1 / 3)))
    return y


@numba.njit(fastmath=True)
def accelerations(pos, mass, acc):
    n = pos.shape[0]
    acc[:] = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d2 = 0.01
            for k in range(3):
                d2 += (pos[j, k] - pos[i, k]) ** 2
            f = d2**-1.5
            for k in range(3):
                dx = pos[j, k] - pos[i, k]
                acc[i, k] += mass[j] * f * dx
                acc[j, k] -= mass[i] * f * dx


@program(
    lambda: (
        np.random.default_rng(0).standard_normal((4, 3)),
        np.random.default_rng(1).standard_normal((4, 3)) * 0.3,
        np.array([1.0, 0.5, 0.8, 1.2]),
    ),
    jitted=True,
)
def leapfrog(pos, vel, mass):
    pos = pos.copy()
    vel = vel.copy()
    acc = np.empty_like(pos)
    dt = 0.02
    accelerations(pos, mass, acc)
    for _ in range(5):
        vel += 0.5 * dt * acc
        pos += dt * vel
        accelerations(pos, mass, acc)
        vel += 0.5 * dt * acc
    return pos, vel


@program(
    lambda: (
        np.random.default_rng(3).standard_normal((7, 1)),
        np.array([[1.0, 0.4], [-0.1, 0.8]]),
        np.array([[1.0, 0.5]]),
        0.1 * np.eye(2),
        np.array([[0.3]]),
    )
)
def kalman_likelihood(ys, F, H, Q, R):
    x = np.zeros(F.shape[0])
    P = np.eye(F.shape[0])
    loglik = 0.0
    for y in ys:
        x = F @ x
        P = F @ P @ F.T + Q
        v = y - H @ x
        S = H @ P @ H.T + R
        K = np.linalg.solve(S, H @ P).T
        x = x + K @ v
        P = P - K @ S @ K.T
        loglik += -0.5 * (v @ np.linalg.solve(S, v) + np.log(np.linalg.det(S)) + v.size * np.log(2 * np.pi))
    return loglik


WEIGHTS = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
CX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
CY = (0, 0, 1, 0, -1, 1, 1, -1, -1)


@program(lambda: (WEIGHTS[:, None, None] * (1.0 + 0.1 * np.random.default_rng(2).uniform(-1, 1, (9, 4, 5))), 0.7))
def lattice_boltzmann(f, tau):
    for _ in range(3):
        rho = f.sum(axis=0)
        ux = np.zeros_like(rho)
        uy = np.zeros_like(rho)
        for q in range(9):
            ux += CX[q] * f[q] / rho
            uy += CY[q] * f[q] / rho
        usq = ux * ux + uy * uy
        for q in range(9):
            cu = CX[q] * ux + CY[q] * uy
            equilibrium = WEIGHTS[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu**2 - 1.5 * usq)
            f[q] = np.roll(np.roll(f[q] - (f[q] - equilibrium) / tau, CX[q], axis=0), CY[q], axis=1)
    return f


@program(lambda: (np.random.default_rng(9).uniform(0, 1, (6, 6)), 0.3))
def alternating_directions(u, mu):
    """Heat in the plane: one half step implicit along each axis."""
    n = u.shape[0]
    v = np.zeros((n, n))
    p = np.empty(n)
    q = np.empty(n)
    for _ in range(2):
        for src, dst in ((u, v), (v, u)):
            for i in range(1, n - 1):
                p[0], q[0] = 0.0, 0.0
                for j in range(1, n - 1):
                    rhs = mu * src[j, i - 1] + (1.0 - 2.0 * mu) * src[j, i] + mu * src[j, i + 1]
                    denominator = 1.0 + 2.0 * mu - mu * p[j - 1]
                    p[j] = mu / denominator
                    q[j] = (rhs + mu * q[j - 1]) / denominator
                dst[i, n - 1] = 0.0
                for j in range(n - 2, 0, -1):
                    dst[i, j] = p[j] * dst[i, j + 1] + q[j]
    return u


@program(lambda: (np.sin(np.linspace(0, 6.0, 12)) + 1.5, 0.05))
def burgers_upwind(u, nu):
    dx, dt = 0.5, 0.05
    un = np.empty(u.shape)
    for _ in range(6):
        un[:] = u
        for i in range(u.size):
            left, right = un[i - 1], un[(i + 1) % u.size]
            flux = un[i] * (un[i] - left) if un[i] > 0 else un[i] * (right - un[i])
            u[i] = un[i] - dt / dx * flux + nu * dt / dx**2 * (right - 2 * un[i] + left)
    return np.sum(u**2) * dx


@program(lambda: (*(np.random.default_rng(k).uniform(0, 1, (5, 6)) for k in range(3)), np.array([0.3, 0.1, -0.2])))
def maxwell_2d(ex, ey, hz, source):
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


@program(lambda: (np.array([0.9, 0.1, 0.0]), np.array([0.8, 0.2, 0.05])))
def epidemic_until_it_declines(state, rates):
    s, e, i = state
    beta, sigma, gamma = rates
    peak = 0.0
    for day in range(60):
        infected = beta * s * i
        s -= infected
        e += infected - sigma * e
        i += sigma * e - gamma * i
        if i < peak and day > 5:
            return peak
        peak = i
    return peak
