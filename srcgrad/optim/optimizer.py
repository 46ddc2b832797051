"""What optimizers have in common: groups of parameters with options, and state for each parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcgrad.tensors.modes import enable_grad
from srcgrad.tensors.tensor import Tensor

Closure = Callable[[], Any]


class Optimizer:
    """Changes parameters by their gradients; see the subclasses.

    Attributes
    ----------
    param_groups : list of dict
        Each with ``params`` and the options for them, which may be changed between steps.
    state : dict
        What is kept for each parameter, by parameter.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got Tensor"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        for group in groups:
            self.add_param_group(group)
        self.state: dict[Tensor, dict[str, Any]] = {}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More parameters, with options of their own."""
        members = param_group["params"]
        params = [members] if isinstance(members, Tensor) else [p[1] if isinstance(p, tuple) else p for p in members]
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(parameter)}")
            if not parameter.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        self.param_groups.append({**self.defaults, **param_group, "params": params})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad.zero_()

    def step(self, closure: Closure | None = None) -> Any:
        """Change the parameters; ``closure`` computes the loss and gradients first."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    value, gradient = parameter.array(), parameter.grad.array()
                    with np.errstate(all="ignore"):
                        changed = self._changed(group, self._state_of(parameter), value, gradient)
                    parameter.set_value(changed)
        return loss

    def _state_of(self, parameter: Tensor) -> dict[str, Any]:
        return self.state.setdefault(parameter, {})

    def _changed(
        self, group: dict[str, Any], state: dict[str, Any], value: np.ndarray, gradient: np.ndarray
    ) -> np.ndarray:
        """The parameter after a step."""
        raise NotImplementedError

    # -- saving -------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters by their position."""
        order = {id(p): k for k, p in enumerate(self._parameters())}
        groups = [{**g, "params": [order[id(p)] for p in g["params"]]} for g in self.param_groups]
        return {"state": {order[id(p)]: dict(s) for p, s in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        parameters = self._parameters()
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({key: value for key, value in saved.items() if key != "params"})
        self.state = {parameters[int(k)]: dict(s) for k, s in state_dict["state"].items()}

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def __repr__(self) -> str:
        options = ", ".join(f"{key}: {value}" for key, value in self.param_groups[0].items() if key != "params")
        return f"{type(self).__name__} ({options})"
