"""Gradients of Python functions, as generated Python source compiled with Numba."""

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
from srcgrad.primitives.custom import custom_jvp, custom_vjp, stop_gradient
from srcgrad.testing import check_grads

__version__ = "0.1.0"

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
