"""Hand tracking: how far the vertices of a posed hand are from measured points, and the tall Jacobian.

``theta`` has 26 numbers: the global rotation (3, axis times angle) and translation (3), then four angles a finger. In
the complicated form a measured point lies in a triangle, at barycentric coordinates ``us`` that are unknown, too: each
point has its own two, so that two columns, which come first, hold the derivatives by all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.flags import plain_njit
from benchmarks.gradbench.tasks import Array, Indices, Task
from srcgrad import jacfwd, jit

FINGERS, BONES_OF_FINGER = 5, 4
FIRST_FINGER_BONE = 2  # after the wrist and the first bone of the thumb: the first of a finger does not bend


ARRAYS_OF_MODEL = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")


class Model(NamedTuple):
    parents: Indices
    base_relatives: Array
    inverse_base_absolutes: Array
    base_positions: Array
    weights: Array
    mirrored: bool


@plain_njit
def bone_angles(theta: Array, bones: int) -> Array:
    """The angles of each bone about x, z and y: of a finger's four bones the first bends in two directions."""
    angles = np.zeros((bones, 3))
    t = 6
    for finger in range(FINGERS):
        bone = FIRST_FINGER_BONE + BONES_OF_FINGER * finger
        angles[bone, 0] = theta[t]
        angles[bone, 1] = theta[t + 1]
        angles[bone + 1, 0] = theta[t + 2]
        angles[bone + 2, 0] = theta[t + 3]
        t += 4
    return angles


@plain_njit
def bone_rotation(angles: Array) -> Array:
    """About x, then y, then z, as a homogeneous matrix."""
    cx, sx = np.cos(angles[0]), np.sin(angles[0])
    cz, sz = np.cos(angles[1]), np.sin(angles[1])
    cy, sy = np.cos(angles[2]), np.sin(angles[2])
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
            [-sy, cy * sx, cy * cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


@plain_njit
def global_rotation(r: Array) -> Array:
    """Rodrigues' formula; a rotation that is hardly one is none."""
    angle = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = np.sin(angle), np.cos(angle)
    return np.array(
        [
            [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
            [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
            [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
        ]
    )


@plain_njit
def vertices(theta: Array, model: Model) -> Array:
    """Of the posed hand, a row each: the vertex follows its bones, by weights."""
    bones = model.parents.shape[0]
    angles = bone_angles(theta, bones)
    absolutes = np.empty((bones, 4, 4))
    positions = np.zeros((model.base_positions.shape[0], 3))
    for bone in range(bones):
        relative = model.base_relatives[bone] @ bone_rotation(angles[bone])
        if model.parents[bone] < 0:
            absolutes[bone] = relative
        else:
            absolutes[bone] = absolutes[model.parents[bone]] @ relative
        transform = absolutes[bone] @ model.inverse_base_absolutes[bone]
        for v in range(positions.shape[0]):
            if model.weights[v, bone] != 0.0:
                for i in range(3):
                    for j in range(4):
                        positions[v, i] += model.weights[v, bone] * transform[i, j] * model.base_positions[v, j]
    if model.mirrored:
        positions[:, 0] *= -1.0
    return positions @ global_rotation(theta[:3]).T + theta[3:6]


def simple(theta: Array, model: Model, correspondences: Indices, points: Array) -> Array:
    """Three numbers for each measured point, which corresponds to a vertex."""
    return (points - vertices(theta, model)[correspondences]).ravel()


@plain_njit
def complicated(theta: Array, us: Array, model: Model, triangles: Indices, points: Array) -> Array:
    """The same for points in triangles; ``triangles`` has the three vertices of each."""
    v = vertices(theta, model)
    last = 1.0 - us[:, :1] - us[:, 1:]
    found = us[:, :1] * v[triangles[:, 0]] + us[:, 1:] * v[triangles[:, 1]] + last * v[triangles[:, 2]]
    return (points - found).ravel()


def shifted(shifts: Array, us: Array, model: Model, triangles: Indices, points: Array) -> Array:
    """``complicated`` with two shifts of all ``us`` at the front of ``theta``."""
    return complicated(shifts[2:], us + shifts[:2], model, triangles, points)


objective_of = {"simple": jit(simple), "complicated": jit(complicated)}
jacobian_of = {"simple": jacfwd(simple), "complicated": jacfwd(shifted)}


def objective(form: str, *arguments: Any) -> Array:
    values: Array = objective_of[form](*arguments)
    return values


def jacobian(form: str, theta: Array, *arguments: Any) -> object:
    front = theta if form == "simple" else np.concatenate((np.zeros(2), theta))
    return jacobian_of[form](front, *arguments)


def prepare(given: dict[str, Any]) -> tuple[Any, ...]:
    described, data = given["data"]["model"], given["data"]
    relatives, inverses, positions, weights = (np.array(described[name], dtype=float) for name in ARRAYS_OF_MODEL)
    parents, mirrored = np.array(described["parents"]), bool(described["is_mirrored"])
    model = Model(parents, relatives, inverses, positions, weights, mirrored)
    theta, points = np.array(given["theta"], dtype=float), np.array(data["points"], dtype=float)
    correspondences, us = np.array(data["correspondences"]), np.array(given["us"], dtype=float)
    if not us.size:
        return "simple", theta, model, correspondences, points
    return "complicated", theta, us.reshape(-1, 2), model, np.array(described["triangles"])[correspondences], points


TASKS = {"objective": Task(prepare, objective), "jacobian": Task(prepare, jacobian)}
