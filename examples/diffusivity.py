"""An inverse problem: the diffusivity along a rod, from its temperature at a later time.

The forward solver is an ordinary time loop that swaps two buffers. Its adjoint solver is generated.

    python examples/diffusivity.py
"""

import numpy as np
from scipy.optimize import minimize

from srcgrad import value_and_grad


def temperature(kappa, start, steps):
    """Explicit finite volumes: kappa[i] belongs to the face between cells i and i+1; the ends are insulated."""
    n = start.shape[0]
    u = start.copy()
    u_new = np.empty(n)
    for _ in range(steps):
        for i in range(n):
            left = kappa[i - 1] * (u[i - 1] - u[i]) if i > 0 else 0.0
            right = kappa[i] * (u[i + 1] - u[i]) if i < n - 1 else 0.0
            u_new[i] = u[i] + left + right
        u, u_new = u_new, u
    return u


@value_and_grad
def misfit(log_kappa, starts, observed, steps):
    """Squared differences over several experiments, and a little smoothing."""
    kappa = np.exp(log_kappa)
    total = 0.0
    for k in range(starts.shape[0]):
        difference = temperature(kappa, starts[k], steps) - observed[k]
        total += np.sum(difference * difference)
    return total + 1e-7 * np.sum((log_kappa[1:] - log_kappa[:-1]) ** 2)


def main():
    n, steps = 40, 400
    x = np.linspace(0.0, 1.0, n)
    true = 0.1 + 0.08 * np.sin(4.0 * x[:-1])
    starts = np.stack([np.exp(-100.0 * (x - centre) ** 2) for centre in (0.1, 0.4, 0.7, 0.95)])
    observed = np.stack([temperature(true, start, steps) for start in starts])
    guess = np.full(n - 1, np.log(0.1))
    fit = minimize(misfit, guess, args=(starts, observed, steps), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    error = np.max(np.abs(np.exp(fit.x) - true) / true)
    print(f"misfit {misfit.primal(guess, starts, observed, steps):.2e} -> {fit.fun:.2e} in {fit.nit} iterations")
    print(f"largest relative error of the diffusivity {error:.1%}")


if __name__ == "__main__":
    main()
