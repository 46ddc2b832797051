"""What is asked of a function: itself, its gradient, its derivative along a direction, or backwards from one."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.api.binding import Argnums
from srcgrad.frontend.boundary.structure import Structure

Structures = tuple[Structure, ...]


@dataclass(frozen=True)
class Primal:
    """The function itself, with its effects on its arguments."""

    title = "jit"


@dataclass(frozen=True)
class Gradient:
    """The gradient of a scalar result with respect to some arguments, from one sweep with the value if wanted."""

    argnums: Argnums = 0
    has_aux: bool = False
    with_value: bool = False
    holomorphic: bool = False

    @property
    def title(self) -> str:
        return "value_and_grad" if self.with_value else "grad"


@dataclass(frozen=True)
class Tangent:
    """The function and its derivative along a direction; tangents of the floating leaves follow the arguments."""

    argnums: tuple[int, ...]
    title = "jvp"


@dataclass(frozen=True)
class Columns:
    """The Jacobian of an array or number by one array argument, of which all directions are swept in one call."""

    position: int
    title = "jacfwd"


@dataclass(frozen=True)
class Rows:
    """The Jacobian of an array by one array argument, of which all cotangents are swept in one call."""

    position: int
    title = "jacrev"


@dataclass(frozen=True)
class Forward:
    """The function and what its pullback needs to know of this call: ``(result, kept)``."""

    argnums: tuple[int, ...]
    title = "vjp"


@dataclass(frozen=True)
class Backward:
    """The gradients from a cotangent; what was kept, then the cotangent's leaves follow the arguments."""

    argnums: tuple[int, ...]
    title = "vjp"


Plan = Primal | Gradient | Tangent | Columns | Rows | Forward | Backward
