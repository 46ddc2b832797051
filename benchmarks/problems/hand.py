"""Hand tracking: the tall Jacobian of the distances between measured points and a posed hand.

A finger's angle moves only the bones after it, and a bone's transform is a product: its derivative by an angle is that
of one factor. By hand, ``corners`` are the vertices that a point depends on, one or three, and ``shares`` how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks import adbench
from benchmarks.flags import njit
from benchmarks.gradbench.ht import (
    BONES_OF_FINGER,
    FINGERS,
    FIRST_FINGER_BONE,
    Model,
    bone_angles,
    bone_rotation,
    global_rotation,
    shifted,
    simple,
)
from benchmarks.gradbench.tasks import Indices
from benchmarks.problem import Array, Problem
from srcgrad import jacfwd

ANGLES = 4 * FINGERS
Jacobian = Callable[[Array, Array, Indices, Model], Array]


@njit
def bone_of(angle: int) -> int:
    """The first bone of a finger has two angles, the next two have one."""
    return FIRST_FINGER_BONE + BONES_OF_FINGER * (angle // 4) + max(angle % 4 - 1, 0)


@njit
def bone_rotation_by(angles: Array, second: bool) -> Array:
    """The derivative of a bone's rotation about x and z, by the first angle or the second."""
    cx, sx = math.cos(angles[0]), math.sin(angles[0])
    cz, sz = math.cos(angles[1]), math.sin(angles[1])
    by = np.zeros((4, 4))
    if second:
        by[0, 0], by[0, 1], by[0, 2] = -sz, -cz * cx, cz * sx
        by[1, 0], by[1, 1], by[1, 2] = cz, -sz * cx, sz * sx
    else:
        by[0, 1], by[0, 2] = sz * sx, sz * cx
        by[1, 1], by[1, 2] = -cz * sx, -cz * cx
        by[2, 1], by[2, 2] = cx, -sx
    return by


@njit
def product(a: Array, b: Array, out: Array) -> None:
    for i in range(4):
        for j in range(4):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j]


@njit
def pose(theta: Array, model: Model) -> tuple[Array, Array, Array, Array]:
    """Angles of each bone; its matrix relative to its parent, absolute, and from the hand at rest."""
    bones = model.parents.shape[0]
    angles = bone_angles(theta, bones)
    relatives, absolutes, transforms = np.empty((bones, 4, 4)), np.empty((bones, 4, 4)), np.empty((bones, 4, 4))
    for bone in range(bones):
        product(model.base_relatives[bone], bone_rotation(angles[bone]), relatives[bone])
        if model.parents[bone] < 0:
            absolutes[bone] = relatives[bone]
        else:
            product(absolutes[model.parents[bone]], relatives[bone], absolutes[bone])
        product(absolutes[bone], model.inverse_base_absolutes[bone], transforms[bone])
    return angles, relatives, absolutes, transforms


@njit
def pose_by(
    angle: int,
    last: int,
    angles: Array,
    relatives: Array,
    absolutes: Array,
    model: Model,
    by: Array,
    transforms_by: Array,
) -> None:
    """Derivatives of the transforms by an angle, of the bones from its own up to ``last``; ``by`` is room."""
    first = bone_of(angle)
    relative_by = np.empty((4, 4))
    product(model.base_relatives[first], bone_rotation_by(angles[first], angle % 4 == 1), relative_by)
    product(absolutes[model.parents[first]], relative_by, by[first])
    product(by[first], model.inverse_base_absolutes[first], transforms_by[first])
    for bone in range(first + 1, last):
        if model.parents[bone] >= first:
            product(by[model.parents[bone]], relatives[bone], by[bone])
        else:
            by[bone] = 0.0
        product(by[bone], model.inverse_base_absolutes[bone], transforms_by[bone])


@njit
def turned_by(r: Array, p: Array, out: Array) -> None:
    """``out[k]`` is the derivative of the turned point by ``r[k]``, for a rotation that is one."""
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    s, c = math.sin(angle), math.cos(angle)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    along = x * p[0] + y * p[1] + z * p[2]
    u, v, w = y * p[2] - z * p[1], z * p[0] - x * p[2], x * p[1] - y * p[0]
    for k in range(3):
        axis = x if k == 0 else (y if k == 1 else z)
        d0, d1, d2 = (k == 0) - x * axis, (k == 1) - y * axis, (k == 2) - z * axis
        towards = (d0 * p[0] + d1 * p[1] + d2 * p[2]) * (1.0 - c)
        away = along * (1.0 - c)
        out[k, 0] = axis * (u * c + (x * along - p[0]) * s)
        out[k, 1] = axis * (v * c + (y * along - p[1]) * s)
        out[k, 2] = axis * (w * c + (z * along - p[2]) * s)
        out[k, 0] += ((d1 * p[2] - d2 * p[1]) * s + d0 * away + x * towards) / angle
        out[k, 1] += ((d2 * p[0] - d0 * p[2]) * s + d1 * away + y * towards) / angle
        out[k, 2] += ((d0 * p[1] - d1 * p[0]) * s + d2 * away + z * towards) / angle


@njit
def plain_jacobian(theta: Array, shares: Array, corners: Indices, model: Model) -> Array:
    """Forward mode, a direction at a time, over all vertices."""
    bones, vertices, points, count = len(model.parents), len(model.weights), len(corners), corners.shape[1]
    front = 2 if count == 3 else 0
    out = np.zeros((3 * points, front + theta.shape[0]))
    angles, relatives, absolutes, transforms = pose(theta, model)
    rotation, sign = global_rotation(theta[:3]), -1.0 if model.mirrored else 1.0
    placed, by, transforms_by = np.empty((vertices, 3)), np.zeros((bones, 4, 4)), np.zeros((bones, 4, 4))
    turned = np.empty((3, 3))
    place(transforms, model, 0, bones, placed)
    own = np.empty(3)
    for i in range(points):
        gather(placed, shares[i], corners[i], sign, own)
        turned_by(theta[:3], own, turned)
        for a in range(3):
            for k in range(3):
                out[3 * i + a, front + k] = -turned[k, a]
            out[3 * i + a, front + 3 + a] = -1.0
            for k in range(front):
                for b in range(3):
                    difference = placed[corners[i, k], b] - placed[corners[i, 2], b]
                    out[3 * i + a, k] -= rotation[a, b] * (sign if b == 0 else 1.0) * difference
    for angle in range(ANGLES):
        first = bone_of(angle)
        pose_by(angle, bones, angles, relatives, absolutes, model, by, transforms_by)
        place(transforms_by, model, first, bones, placed)
        for i in range(points):
            gather(placed, shares[i], corners[i], sign, own)
            for a in range(3):
                for b in range(3):
                    out[3 * i + a, front + 6 + angle] -= rotation[a, b] * own[b]
    return out


@njit
def place(transforms: Array, model: Model, first: int, last: int, placed: Array) -> None:
    """The vertices as far as they follow these bones."""
    placed[:] = 0.0
    for v in range(placed.shape[0]):
        for bone in range(first, last):
            add_bone(transforms[bone], model.weights[v, bone], model.base_positions[v], placed[v])


@njit
def add_bone(transform: Array, weight: float, position: Array, placed: Array) -> None:
    if weight != 0.0:
        for a in range(3):
            moved = 0.0
            for b in range(4):
                moved += transform[a, b] * position[b]
            placed[a] += weight * moved


@njit
def gather(placed: Array, shares: Array, corners: Indices, sign: float, own: Array) -> None:
    own[:] = 0.0
    for c in range(corners.shape[0]):
        for a in range(3):
            own[a] += shares[c] * placed[corners[c], a]
    own[0] *= sign


@njit
def best_jacobian(theta: Array, shares: Array, corners: Indices, model: Model) -> Array:
    """Only the vertices that are asked for, and of these only the bones that an angle moves."""
    bones, points, count = model.parents.shape[0], corners.shape[0], corners.shape[1]
    front = 2 if count == 3 else 0
    out = np.zeros((3 * points, front + theta.shape[0]))
    angles, relatives, absolutes, transforms = pose(theta, model)
    rotation, sign = global_rotation(theta[:3]), -1.0 if model.mirrored else 1.0
    by, transforms_by = np.empty((bones, 4, 4)), np.empty((ANGLES, bones, 4, 4))
    for angle in range(ANGLES):
        last = FIRST_FINGER_BONE + BONES_OF_FINGER * (angle // 4) + 3
        pose_by(angle, last, angles, relatives, absolutes, model, by, transforms_by[angle])
    placed, own, by_angle, turned = np.empty((count, 3)), np.empty(3), np.empty((ANGLES, 3)), np.empty((3, 3))
    for i in range(points):
        by_angle[:] = 0.0
        placed[:] = 0.0
        for c in range(count):
            position, weights = model.base_positions[corners[i, c]], model.weights[corners[i, c]]
            for bone in range(bones):
                add_bone(transforms[bone], weights[bone], position, placed[c])
            for angle in range(ANGLES):
                first, last = bone_of(angle), FIRST_FINGER_BONE + BONES_OF_FINGER * (angle // 4) + 3
                for bone in range(first, last):
                    add_bone(transforms_by[angle, bone], shares[i, c] * weights[bone], position, by_angle[angle])
        own[:] = 0.0
        for c in range(count):
            for a in range(3):
                own[a] += shares[i, c] * placed[c, a]
        own[0] *= sign
        turned_by(theta[:3], own, turned)
        for a in range(3):
            row = out[3 * i + a]
            r0, r1, r2 = sign * rotation[a, 0], rotation[a, 1], rotation[a, 2]
            for k in range(front):
                row[k] = r0 * (placed[2, 0] - placed[k, 0]) + r1 * (placed[2, 1] - placed[k, 1])
                row[k] += r2 * (placed[2, 2] - placed[k, 2])
            for k in range(3):
                row[front + k] = -turned[k, a]
            row[front + 3 + a] = -1.0
            for k in range(ANGLES):
                row[front + 6 + k] = -(r0 * by_angle[k, 0] + r1 * by_angle[k, 1] + r2 * by_angle[k, 2])
    return out


def of_simple(jacobian: Jacobian, theta: Array, model: Model, correspondences: Indices, points: Array) -> Array:
    return jacobian(theta, np.ones((len(points), 1)), correspondences.reshape(-1, 1), model)


def of_shifted(jacobian: Jacobian, shifts: Array, us: Array, model: Model, triangles: Indices, points: Array) -> Array:
    u = us + shifts[:2]
    shares = np.column_stack((u, 1.0 - u.sum(axis=1)))
    return jacobian(shifts[2:], shares, triangles, model)


def problem(form: str) -> Problem:
    theta, us, correspondences, points = adbench.hand(form)
    model, triangles = adbench.model()
    arguments: tuple[object, ...] = theta, model, correspondences, points
    primal: Callable[..., Array] = simple
    by_hand: Callable[..., Array] = of_simple
    if form == "complicated":
        arguments = np.concatenate((np.zeros(2), theta)), us, model, triangles[correspondences], points
        primal, by_hand = shifted, of_shifted
    return Problem(
        f"Hand tracking, {form}, {len(points)} points, {len(theta)} angles",
        primal,
        arguments,
        0,
        partial(by_hand, plain_jacobian),
        partial(by_hand, best_jacobian),
        derivative=lambda: jacfwd(primal, cache=False),
    )
