"""The methods: gradient descent with momentum, Adam and its kin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.updates import adam_update

Group = dict[str, Any]
State = dict[str, Any]


def _checked(lr: float) -> float:
    if not lr >= 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")
    return lr


class SGD(Optimizer):
    """Gradient descent, with momentum, Nesterov's variant of it, and weight decay.

    Parameters
    ----------
    params : iterable of tensors, or of dicts with ``params`` and options
    lr, momentum, dampening, weight_decay : float
    nesterov, maximize : bool

    Examples
    --------
    >>> x = srcgrad.tensor(4.0, requires_grad=True)
    >>> descent = srcgrad.optim.SGD([x], lr=0.25)
    >>> (x * x).backward()
    >>> descent.step()
    >>> x
    tensor(2., requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = {"momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {"lr": _checked(lr), **options, "nesterov": nesterov, "maximize": maximize})

    def _changed(self, group: Group, state: State, value: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        gradient = -gradient if group["maximize"] else gradient
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        if group["momentum"]:
            before = state.get("momentum_buffer")
            kept = (1 - group["dampening"]) * gradient
            velocity = np.array(gradient) if before is None else group["momentum"] * before + kept
            state["momentum_buffer"] = velocity
            gradient = gradient + group["momentum"] * velocity if group["nesterov"] else velocity
        return value - group["lr"] * gradient  # type: ignore[no-any-return]  # an array


class Adam(Optimizer):
    """Kingma and Ba, 2015.

    Parameters
    ----------
    params : iterable of tensors, or of dicts with ``params`` and options
    lr : float
    betas : (float, float)
        Of the running means of the gradient and of its square.
    eps, weight_decay : float
    amsgrad, maximize : bool
    """

    decoupled = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        for k, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {k}: {beta}")
        options = {"betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {"lr": _checked(lr), **options, "amsgrad": amsgrad, "maximize": maximize})

    def _changed(self, group: Group, state: State, value: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        if not state:
            state.update(step=0, exp_avg=np.zeros_like(value), exp_avg_sq=np.zeros_like(value))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = np.zeros_like(value)
        gradient = -gradient if group["maximize"] else gradient
        decay = group["weight_decay"]
        if decay:
            if self.decoupled:
                value = value * value.dtype.type(1 - group["lr"] * decay)
            else:
                gradient = gradient + decay * value
        state["step"] += 1
        largest = state.get("max_exp_avg_sq")
        return adam_update(group, state["step"], value, gradient, (state["exp_avg"], state["exp_avg_sq"]), largest)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient; Loshchilov and Hutter, 2019."""

    decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class RMSprop(Optimizer):
    """Steps divided by a running root mean square of the gradient; Hinton, 2012."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        options = {"alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {"lr": _checked(lr), **options, "centered": centered})

    def _changed(self, group: Group, state: State, value: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        alpha = group["alpha"]
        state["square_avg"] = square = alpha * state.get("square_avg", 0) + (1 - alpha) * gradient * gradient
        if group["centered"]:
            state["grad_avg"] = mean = alpha * state.get("grad_avg", 0) + (1 - alpha) * gradient
            square = square - mean * mean
        step = gradient / (np.sqrt(square) + group["eps"])
        if group["momentum"]:
            state["momentum_buffer"] = step = group["momentum"] * state.get("momentum_buffer", 0) + step
        return value - group["lr"] * step  # type: ignore[no-any-return]  # an array


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients; Duchi, Hazan and Singer, 2011."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        options = {"lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        super().__init__(params, {"lr": _checked(lr), **options, "start": initial_accumulator_value})

    def _changed(self, group: Group, state: State, value: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        state["step"] = steps = state.get("step", 0) + 1
        state["sum"] = total = state.get("sum", np.full_like(value, group["start"])) + gradient * gradient
        rate = group["lr"] / (1 + (steps - 1) * group["lr_decay"])
        return value - rate * gradient / (np.sqrt(total) + group["eps"])  # type: ignore[no-any-return]  # an array
