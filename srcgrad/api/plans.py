"""What is asked of a function: itself, its gradient, its derivative along a direction, or backwards from one."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.api.binding import Argnums
from srcgrad.frontend.structure import Structure

Structures = tuple[Structure, ...]


@dataclass(frozen=True)
class Primal:
    """The function itself; its writes to its arguments reach the caller only if ``keeps_effects``."""

    keeps_effects: bool = True


@dataclass(frozen=True)
class Gradient:
    """The gradient of a scalar result with respect to some arguments, from one sweep with the value if wanted."""

    argnums: Argnums = 0
    has_aux: bool = False
    with_value: bool = False


@dataclass(frozen=True)
class Tangent:
    """The function and its derivative along a direction; tangents of the floating leaves follow the arguments."""

    argnums: tuple[int, ...]


@dataclass(frozen=True)
class Reverse:
    """The gradients from a cotangent; cotangents of the floating leaves of the result follow the arguments."""

    argnums: tuple[int, ...]


Plan = Primal | Gradient | Tangent | Reverse
