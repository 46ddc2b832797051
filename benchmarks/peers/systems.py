"""How each system takes arguments, makes a gradient, and gives it back as NumPy arrays."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

Form = Callable[..., Any]
Call = Callable[[], Any]
ABSENT = "cannot express it in reasonable time"
TITLES = {"jax": "JAX", "torch": "PyTorch", "autograd": "HIPS autograd"}


def forms_of(problem: str) -> ModuleType:
    return importlib.import_module(f"benchmarks.peers.forms.{problem.split(':')[0]}")


def absent(problem: str, system: str) -> str:
    """Why a system has no part in a problem; empty if it has."""
    if importlib.util.find_spec(f"benchmarks.peers.forms.{problem.split(':')[0]}") is None:
        return ABSENT
    module = forms_of(problem)
    if system not in {**getattr(module, "FORMS", {}), **getattr(module, "DERIVATIVES", {})}:
        return ABSENT
    return "" if importlib.util.find_spec(system) else "not installed"


def ready(
    problem: str, system: str, arguments: tuple[Any, ...], argnums: tuple[int, ...]
) -> tuple[Call, Callable[[Any], Any]]:
    """A call without arguments, and what makes NumPy arrays of its result."""
    module = forms_of(problem)
    convert, differentiate, finish, to_numpy = PARTS[system]()
    given = tuple(converted(a, convert) for a in arguments)
    derivatives: dict[str, Callable[[], Form]] = getattr(module, "DERIVATIVES", {})
    if system in derivatives:
        gradient = derivatives[system]()
        return lambda: finish(gradient(*given)), partial(tree_map, to_numpy)
    gradient = differentiate(module.FORMS[system], given, argnums)
    return lambda: finish(gradient(*given)), partial(tree_map, to_numpy)


def converted(argument: Any, convert: Callable[[Any], Any]) -> Any:
    """Floats and arrays are the system's; integers and flags decide what is compiled."""
    if isinstance(argument, tuple):
        return tuple(converted(part, convert) for part in argument)
    return argument if isinstance(argument, bool | int) else convert(argument)


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, tuple | list):
        found = tuple(tree_map(function, part) for part in value)
        return found[0] if len(found) == 1 else found
    return function(value)


def with_jax() -> tuple[Any, ...]:
    import jax
    import jax.numpy as jnp

    def differentiate(form: Form, given: tuple[Any, ...], argnums: tuple[int, ...]) -> Form:
        fixed = [k for k, a in enumerate(given) if isinstance(a, bool | int)]
        return jax.jit(jax.grad(partial(form, jnp), argnums), static_argnums=fixed)

    return jnp.asarray, differentiate, jax.block_until_ready, np.asarray


def with_torch() -> tuple[Any, ...]:
    import torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)

    def differentiate(form: Form, given: tuple[Any, ...], argnums: tuple[int, ...]) -> Form:
        leaves = [given[k].requires_grad_() for k in argnums]

        def gradient(*arguments: Any) -> Any:
            return torch.autograd.grad(form(torch, *arguments), leaves)

        return gradient

    return torch.as_tensor, differentiate, lambda found: found, lambda found: found.detach().numpy()


def with_autograd() -> tuple[Any, ...]:
    import autograd
    import autograd.numpy as anp

    def differentiate(form: Form, given: tuple[Any, ...], argnums: tuple[int, ...]) -> Form:
        return autograd.grad(partial(form, anp), argnums)

    return lambda found: found, differentiate, lambda found: found, lambda found: found


PARTS: dict[str, Callable[[], tuple[Any, ...]]] = {"jax": with_jax, "torch": with_torch, "autograd": with_autograd}
