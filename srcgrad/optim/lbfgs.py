"""L-BFGS through SciPy: each step is a whole minimisation of bounded length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from srcgrad.optim.optimizer import Closure, Optimizer
from srcgrad.tensors.modes import enable_grad


class LBFGS(Optimizer):
    """Quasi-Newton steps with SciPy's line search, so that ``lr`` and ``line_search_fn`` have no effect.

    Parameters
    ----------
    params : iterable of tensors
    max_iter, max_eval : int
        Bounds for one call of `step`.
    tolerance_grad, tolerance_change : float
    history_size : int
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        super().__init__(params, {"lr": lr, "max_iter": max_iter})
        self._options = {
            "maxiter": max_iter,
            "maxfun": max_eval or max_iter * 5 // 4 + 20,
            "gtol": tolerance_grad,
            "ftol": tolerance_change,
            "maxcor": history_size,
        }

    def step(self, closure: Closure | None = None) -> Any:
        """Minimise what ``closure`` computes, which has to call ``backward``; returns the first loss."""
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the loss and calls backward()")
        parameters = self._parameters()
        losses: list[Any] = []

        def evaluate(flat: np.ndarray) -> tuple[float, np.ndarray]:
            self._set(flat)
            with enable_grad():
                loss = closure()
            losses.append(loss)
            gradients = [
                np.zeros(p.numel()) if p.grad is None else p.grad.array().astype(np.float64).reshape(-1)
                for p in parameters
            ]
            return float(loss), np.concatenate(gradients)

        start = np.concatenate([p.array().astype(np.float64).reshape(-1) for p in parameters])
        minimum: Any = minimize  # its stubs know no function that gives value and gradient
        found = minimum(evaluate, start, jac=True, method="L-BFGS-B", options=self._options)
        self._set(found.x)
        return losses[0]

    def _set(self, flat: np.ndarray) -> None:
        start = 0
        for parameter in self._parameters():
            stop = start + parameter.numel()
            parameter.set_value(flat[start:stop].reshape(parameter.shape).astype(parameter.node.dtype))
            start = stop
