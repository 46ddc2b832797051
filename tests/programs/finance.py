"""Prices, volatilities and likelihoods of returns."""

# ruff: noqa: N803
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import math

import numba
import numpy as np

from programs.program import program


@numba.vectorize
def norm_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@numba.njit(cache=False)
def black(S, K, T, r, sigma, call=True):
    vol = sigma * math.sqrt(T)
    d1 = (math.log(S / K) + (r + 0.5 * sigma**2) * T) / vol
    d2 = d1 - vol
    sign = 1.0 if call else -1.0
    return sign * (S * norm_cdf(sign * d1) - K * math.exp(-r * T) * norm_cdf(sign * d2))


@program(lambda: (10.45, 100.0, 102.0, 0.8, 0.03), jitted=True)
def implied_volatility(price, S, K, T, r):
    sigma = 0.5
    for _ in range(50):
        diff = black(S, K, T, r, sigma) - price
        d1 = (math.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * math.sqrt(T))
        vega = S * math.exp(-0.5 * d1**2) * math.sqrt(T / (2 * math.pi))
        step = diff / vega
        sigma -= step
        if abs(step) < 1e-14:
            return sigma
    return math.nan


@program(lambda: (100.0, 105.0, 0.03, 0.25, 0.8), rtol=1e-5)
def american_put_on_a_tree(S0, K, r, sigma, T, n=12):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1.0 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    values = np.maximum(K - S0 * u ** np.arange(n, -n - 1, -2), 0.0)
    for i in range(n - 1, -1, -1):
        values = disc * (p * values[:-1] + (1.0 - p) * values[1:])
        spots = S0 * u ** np.arange(i, -i - 1, -2)
        values = np.maximum(values, K - spots)
    return values[0]


@program(lambda: (100.0, 0.04, 1.5, 0.05, 0.4, -0.6, np.random.default_rng(3).standard_normal((20, 6, 2))), rtol=1e-5)
def heston_call(S0, v0, kappa, theta, xi, rho, noise):
    dt = 1.0 / noise.shape[1]
    payoff = 0.0
    for path in range(noise.shape[0]):
        x, v = np.log(S0), v0
        for t in range(noise.shape[1]):
            z1 = noise[path, t, 0]
            z2 = rho * z1 + np.sqrt(1 - rho**2) * noise[path, t, 1]
            vp = max(v, 0.0)
            x += -0.5 * vp * dt + np.sqrt(vp * dt) * z1
            v += kappa * (theta - vp) * dt + xi * np.sqrt(vp * dt) * z2
        payoff += max(np.exp(x) - 100.0, 0.0)
    return payoff / noise.shape[0]


@program(lambda: (np.array([0.05, 0.1, 0.05, 0.8]), np.random.default_rng(1).standard_normal(25)))
def garch_likelihood(parameters, resids):
    omega, alpha, gamma, beta = parameters
    sigma2 = np.zeros(resids.shape[0])
    backcast = np.mean(resids**2)
    for t in range(resids.shape[0]):
        if t == 0:
            sigma2[t] = omega + (alpha + 0.5 * gamma + beta) * backcast
        else:
            shock = resids[t - 1] ** 2
            sigma2[t] = omega + alpha * shock + gamma * shock * (resids[t - 1] < 0) + beta * sigma2[t - 1]
    return -0.5 * (np.log(2 * np.pi) + np.log(sigma2) + resids**2 / sigma2).sum()


@program(lambda: (0.03, 0.035, 0.7, 0.2, 0.8, -0.4, 0.5))
def sabr_volatility(f, k, t, alpha, beta, rho, nu):
    if abs(f - k) < 1e-12:
        v = (1 - beta) ** 2 * alpha**2 / (24.0 * f ** (2 - 2 * beta)) + 0.25 * rho * beta * nu * alpha / f ** (1 - beta)
        return alpha / f ** (1 - beta) * (1 + t * (v + nu**2 * (2 - 3 * rho**2) / 24))
    log_fk = math.log(f / k)
    fk = (f * k) ** ((1 - beta) / 2)
    z = nu / alpha * fk * log_fk
    x = math.log((math.sqrt(1 - 2 * rho * z + z**2) + z - rho) / (1 - rho))
    a = (1 - beta) ** 2 / 24 * log_fk**2 + (1 - beta) ** 4 / 1920 * log_fk**4
    b = (1 - beta) ** 2 * alpha**2 / (24 * fk**2) + rho * beta * nu * alpha / (4 * fk) + (2 - 3 * rho**2) * nu**2 / 24
    return alpha * z * (1 + b * t) / (fk * (1 + a) * x)


@program(lambda: (np.array([0.02, 0.025, 0.03, 0.032]), 0.031))
def par_swap_by_bootstrapped_curve(rates, coupon):
    discounts = []
    for rate in rates:
        annuity = 0.0
        for factor in discounts:
            annuity += factor
        discounts.append((1.0 - rate * annuity) / (1.0 + rate))
    return coupon * sum(discounts) - (1.0 - discounts[-1])


@program(lambda: (np.array([0.3, 0.5, 0.2]), np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.06]])))
def risk_parity_gap(w, cov):
    w = w / np.sum(w)
    sigma = np.sqrt(w @ cov @ w)
    contributions = w * (cov @ w) / sigma
    return sum(np.sum((c - contributions) ** 2) for c in contributions)


@program(lambda: (np.cumsum(np.random.default_rng(4).standard_normal(20)) + 30.0,))
def relative_strength(prices, period=5):
    gains = losses = 0.0
    for k in range(1, period + 1):
        change = prices[k] - prices[k - 1]
        if change >= 0:
            gains += change
        else:
            losses -= change
    up, down = gains / period, losses / period
    rsi = np.full(prices.shape, np.nan)
    rsi[period] = 100 - 100 / (1 + up / down)
    for k in range(period + 1, len(prices)):
        change = prices[k] - prices[k - 1]
        up = (up * (period - 1) + max(change, 0.0)) / period
        down = (down * (period - 1) + max(-change, 0.0)) / period
        rsi[k] = 100.0 - 100.0 / (1.0 + up / down)
    return rsi[period:]
