"""Gradients of Python functions, as generated Python source compiled with Numba."""

from importlib import import_module

from srcgrad.annotations.checkpoint import checkpoint
from srcgrad.annotations.custom import custom_jvp, custom_vjp, stop_gradient
from srcgrad.api import (
    Compiled,
    Derivative,
    Jacobian,
    Pullback,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    value_and_grad,
    vjp,
)
from srcgrad.errors import (
    ArgumentTypeError,
    Error,
    InternalError,
    ShapeError,
    SourceError,
    UnboundError,
    UnsupportedError,
    UnsupportedSyntaxError,
)
from srcgrad.testing import check_grads

__version__ = "0.1.0"

tensor_jit = "auto"  # how expressions of tensors run: "auto", "always" jitted or "never"


def __getattr__(name: str) -> object:
    """PyTorch's names, imported when one is first asked for."""
    if name.startswith("__"):
        raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")
    if name in ("autograd", "nn", "optim"):
        return import_module(f"srcgrad.{name}")
    from srcgrad.tensors import names

    found = names()
    if name not in found:
        raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")
    globals().update({key: value for key, value in found.items() if key not in globals()})
    return globals()[name]


__all__ = [
    "ArgumentTypeError",
    "Compiled",
    "Derivative",
    "Error",
    "InternalError",
    "Jacobian",
    "Pullback",
    "ShapeError",
    "SourceError",
    "UnboundError",
    "UnsupportedError",
    "UnsupportedSyntaxError",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
