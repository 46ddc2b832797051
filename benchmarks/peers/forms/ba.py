"""Bundle adjustment: the Jacobian of one observation's error, reversed, over all observations at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


def reprojection(xp: Any, camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    rotation, p = camera[:3], point - camera[3:6]
    angle = xp.sqrt(xp.sum(rotation * rotation))
    axis = rotation / angle
    across = xp.stack(
        (
            axis[1] * p[2] - axis[2] * p[1],
            axis[2] * p[0] - axis[0] * p[2],
            axis[0] * p[1] - axis[1] * p[0],
        )
    )
    turned = p * xp.cos(angle) + across * xp.sin(angle) + axis * (xp.sum(axis * p) * (1.0 - xp.cos(angle)))
    seen = turned[:2] / turned[2]
    radius = xp.sum(seen * seen)
    distortion = camera[6] * (1.0 + camera[9] * radius + camera[10] * radius * radius)
    return weight * (seen * distortion + camera[7:9] - feature)


def blocks(xp: Any, jacrev: Any, vmap: Any) -> Callable[..., Any]:
    rows = vmap(jacrev(partial(reprojection, xp), (0, 1, 2)))

    def jacobian(cameras: Any, points: Any, weights: Any, seen: Any, features: Any) -> Any:
        by_camera, by_point, by_weight = rows(cameras[seen[:, 0]], points[seen[:, 1]], weights, features)
        return xp.concatenate((by_camera, by_point, by_weight[:, :, None]), 2), -2.0 * weights

    return jacobian


def with_jax() -> Callable[..., Any]:
    import jax

    return jax.jit(blocks(jax.numpy, jax.jacrev, jax.vmap))


def with_torch() -> Callable[..., Any]:
    import torch

    return blocks(torch, torch.func.jacrev, torch.func.vmap)


DERIVATIVES = {"jax": with_jax, "torch": with_torch}
