"""Hand tracking: the Jacobian by forward mode, all directions at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

Model = tuple[Any, ...]


def rotation(xp: Any, x: Any, z: Any, y: Any) -> Any:
    """About x, then y, then z, as a homogeneous matrix."""
    cx, sx, cz, sz, cy, sy = xp.cos(x), xp.sin(x), xp.cos(z), xp.sin(z), xp.cos(y), xp.sin(y)
    nothing, one = 0.0 * x, 0.0 * x + 1.0
    rows = (
        (cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, nothing),
        (sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, nothing),
        (-sy, cy * sx, cy * cx, nothing),
        (nothing, nothing, nothing, one),
    )
    return xp.stack([xp.stack(row) for row in rows])


def global_rotation(xp: Any, r: Any) -> Any:
    angle = xp.sqrt(xp.sum(r * r))
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = xp.sin(angle), xp.cos(angle)
    rows = (
        (x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s),
        (x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s),
        (x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c),
    )
    return xp.stack([xp.stack(row) for row in rows])


def vertices(xp: Any, theta: Any, model: Model) -> Any:
    parents, relatives, inverses, positions, weights, mirrored = model
    nothing = 0.0 * theta[0]
    absolutes: list[Any] = []
    for bone in range(len(parents)):
        angles = [nothing, nothing]
        finger, joint = divmod(bone - 2, 4)
        if 0 <= finger < 5 and joint < 3:
            first = 6 + 4 * finger
            angles = [theta[first], theta[first + 1]] if joint == 0 else [theta[first + 1 + joint], nothing]
        relative = relatives[bone] @ rotation(xp, angles[0], angles[1], nothing)
        parent = int(parents[bone])
        absolutes.append(relative if parent < 0 else absolutes[parent] @ relative)
    transforms = xp.stack(absolutes) @ inverses
    placed = xp.einsum("vb,bij,vj->vi", weights, transforms[:, :3], positions)
    if mirrored:
        placed = placed * xp.asarray([-1.0, 1.0, 1.0])
    return placed @ global_rotation(xp, theta[:3]).T + theta[3:6]


def simple(xp: Any, theta: Any, model: Model, correspondences: Any, points: Any) -> Any:
    return (points - vertices(xp, theta, model)[correspondences]).reshape(-1)


def shifted(xp: Any, shifts: Any, us: Any, model: Model, triangles: Any, points: Any) -> Any:
    v = vertices(xp, shifts[2:], model)
    u = us + shifts[:2]
    first, second = u[:, :1], u[:, 1:]
    found = first * v[triangles[:, 0]] + second * v[triangles[:, 1]] + (1.0 - first - second) * v[triangles[:, 2]]
    return (points - found).reshape(-1)


def residual(xp: Any, parents: tuple[int, ...], mirrored: bool, *arguments: Any) -> Any:
    """Which bone moves which, and whether the hand is a left one, decides what is compiled."""
    whole = tuple((parents, *a[1:-1], mirrored) if isinstance(a, tuple) else a for a in arguments)
    return (simple if len(arguments) == 4 else shifted)(xp, *whole)


def fixed(arguments: tuple[Any, ...]) -> tuple[tuple[int, ...], bool]:
    model: Model = next(a for a in arguments if isinstance(a, tuple))
    return tuple(int(parent) for parent in model[0]), bool(model[-1])


def with_jax() -> Callable[..., Any]:
    import jax

    @partial(jax.jit, static_argnums=(0, 1))
    def compiled(parents: tuple[int, ...], mirrored: bool, *arguments: Any) -> Any:
        return jax.jacfwd(partial(residual, jax.numpy, parents, mirrored))(*arguments)

    return lambda *arguments: compiled(*fixed(arguments), *arguments)


def with_torch() -> Callable[..., Any]:
    import torch

    def jacobian(*arguments: Any) -> Any:
        return torch.func.jacfwd(partial(residual, torch, *fixed(arguments)))(*arguments)

    return jacobian


DERIVATIVES = {"jax": with_jax, "torch": with_torch}
