"""The Greeks of an Asian call option: one Monte Carlo pricer, as one would write it, and its gradient.

python examples/greeks.py
"""

import numpy as np

from srcgrad import value_and_grad


@value_and_grad(argnums=(0, 1, 2))
def price(spot, volatility, rate, strike, maturity, normals):
    paths, steps = normals.shape
    dt = maturity / steps
    drift = (rate - 0.5 * volatility**2) * dt
    spread = volatility * np.sqrt(dt)
    total = 0.0
    for p in range(paths):
        s = spot
        mean = 0.0
        for t in range(steps):
            s *= np.exp(drift + spread * normals[p, t])
            mean += s / steps
        if mean > strike:
            total += mean - strike
    return np.exp(-rate * maturity) * total / paths


def main():
    normals = np.random.default_rng(1).standard_normal((20_000, 50))
    market, contract = [100.0, 0.2, 0.03], (105.0, 1.0, normals)
    value, greeks = price(*market, *contract)
    print(f"price  {value:.4f}")
    for i, name in enumerate(("delta", "vega", "rho")):
        bumped = [list(market), list(market)]
        h = 1e-4 * market[i]
        bumped[0][i] -= h
        bumped[1][i] += h
        low, high = (price.primal(*b, *contract) for b in bumped)
        print(f"{name:<6} {greeks[i]:.4f}  (by bumping on the same paths {(high - low) / (2 * h):.4f})")


if __name__ == "__main__":
    main()
