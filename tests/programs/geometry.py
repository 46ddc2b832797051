"""Geometry and the sky: rays, orbits, transits, rotations."""

# ruff: noqa: N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import math

import numpy as np

from programs.program import program


@program(lambda: (np.array([0.1, 0.2, -3.0]), np.array([0.05, -0.02, 1.0]), 0.9, 0.4))
def ray_marcher(origin, direction, radius, blend):
    """Sphere tracing of two blended spheres: the distance at which the ray meets them, and the shade there."""

    def smooth_min(a, b, k):
        h = max(k - abs(a - b), 0.0) / k
        return min(a, b) - h * h * k * 0.25

    def distance(p):
        first = math.sqrt(p[0] ** 2 + p[1] ** 2 + p[2] ** 2) - radius
        second = math.sqrt((p[0] - 0.7) ** 2 + p[1] ** 2 + p[2] ** 2) - 0.5 * radius
        return smooth_min(first, second, blend)

    d = direction / np.sqrt(np.dot(direction, direction))
    t = 0.0
    for _ in range(60):
        step = distance(origin + t * d)
        if step < 1e-9:
            break
        t += step
        if t > 20.0:
            return 20.0, 0.0
    p = origin + t * d
    eps = 1e-3
    normal = np.zeros(3)
    for axis in range(3):
        offset = np.zeros(3)
        offset[axis] = eps
        normal[axis] = (distance(p + offset) - distance(p - offset)) / (2 * eps)
    return t, max(0.0, -(normal @ d) / np.linalg.norm(normal))


@program(lambda: (0.8, 0.3))
def kepler(mean_anomaly, eccentricity):
    E = mean_anomaly if eccentricity < 0.8 else math.pi
    while True:
        delta = (E - eccentricity * math.sin(E) - mean_anomaly) / (1 - eccentricity * math.cos(E))
        E -= delta
        if abs(delta) < 1e-15:
            break
    return 2 * math.atan2(math.sqrt(1 + eccentricity) * math.sin(E / 2), math.sqrt(1 - eccentricity) * math.cos(E / 2))


def stumpff(z):
    if z > 1e-6:
        s = math.sqrt(z)
        return (1 - math.cos(s)) / z, (s - math.sin(s)) / s**3
    if z < -1e-6:
        s = math.sqrt(-z)
        return (math.cosh(s) - 1) / -z, (math.sinh(s) - s) / s**3
    return 0.5 - z / 24, 1 / 6 - z / 120


@program(lambda: (np.array([0.5, 1.0, 0.2]), np.array([-1.4, 0.3, 0.7]), 2.1), rtol=1e-5)
def lambert_by_universal_variables(r1, r2, flight):
    """The velocities that lead from one place to the other in the given time; Newton on z."""
    n1, n2 = np.linalg.norm(r1), np.linalg.norm(r2)
    cos_nu = np.dot(r1, r2) / (n1 * n2)
    a = np.sqrt(n1 * n2 * (1.0 + cos_nu))
    z = 0.0
    for _ in range(30):
        c, s = stumpff(z)
        y = n1 + n2 + a * (z * s - 1.0) / np.sqrt(c)
        x = np.sqrt(y / c)
        time = x**3 * s + a * np.sqrt(y)
        h = 1e-4
        ch, sh = stumpff(z + h)
        yh = n1 + n2 + a * ((z + h) * sh - 1.0) / np.sqrt(ch)
        slope = ((yh / ch) ** 1.5 * sh + a * np.sqrt(yh) - time) / h
        z += (flight - time) / slope
    f, g, gdot = 1.0 - y / n1, a * np.sqrt(y), 1.0 - y / n2
    return (r2 - f * r1) / g, (gdot * r2 - r1) / g


@program(lambda: (np.linspace(-0.09, 0.09, 9) + 0.003, 0.1, 8.0, 0.3, np.array([0.4, 0.2])))
def transit_light_curve(time, k, a, b, u):
    """A small planet before a star with quadratic limb darkening; partly covered at the limb."""
    flux = np.ones(time.shape[0])
    for i, t in enumerate(time):
        z = math.sqrt((a * math.sin(2.0 * math.pi * t / 3.0)) ** 2 + b * b)
        if z >= 1.0 + k:
            continue
        if z <= 1.0 - k:
            area = math.pi * k * k
        else:
            k0 = math.acos((k * k + z * z - 1.0) / (2.0 * k * z))
            k1 = math.acos((1.0 - k * k + z * z) / (2.0 * z))
            kite = 0.5 * math.sqrt(4.0 * z * z - (1.0 + z * z - k * k) ** 2)
            area = k * k * k0 + k1 - kite
        mu = math.sqrt(max(1.0 - z * z, 0.0)) if z < 1.0 - 0.5 * k else math.sqrt(0.5 * k)
        intensity = 1.0 - u[0] * (1.0 - mu) - u[1] * (1.0 - mu) ** 2
        flux[i] -= area * intensity / (math.pi * (1.0 - u[0] / 3.0 - u[1] / 6.0))
    return flux


@program(lambda: (np.array([0.9, 0.1, -0.3, 0.2]), np.array([[1.0, 0.0, 2.0], [0.5, -1.0, 0.3]])))
def rotated_by_quaternion(q, points):
    w, x, y, z = q / np.linalg.norm(q)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return points @ R.T


@program(lambda: (-0.55, 0.57), rtol=1e-5)
def smooth_escape_time(cx, cy):
    zx = zy = 0.0
    for n in range(100):
        zx, zy = zx * zx - zy * zy + cx, 2.0 * zx * zy + cy
        if zx * zx + zy * zy > 1e3:
            return n + 1 - math.log(0.5 * math.log(zx * zx + zy * zy)) / math.log(2.0)
    return 0.0


@program(lambda: (np.array([[0.0, 0.0], [2.0, 0.1], [2.2, 1.7], [0.9, 2.4], [-0.2, 1.1]]), np.array([0.8, 0.9])))
def mean_value_coordinates(polygon, p):
    n = polygon.shape[0]
    weights = np.zeros(n)
    for i in range(n):
        before, here, after = polygon[i - 1] - p, polygon[i] - p, polygon[(i + 1) % n] - p
        r = np.hypot(here[0], here[1])
        for other in (before, after):
            area = abs(here[0] * other[1] - here[1] * other[0])
            length = np.hypot(other[0], other[1])
            weights[i] += area / (r * length + here[0] * other[0] + here[1] * other[1])
        weights[i] /= r
    return weights / weights.sum()


@program(
    lambda: (
        np.array([[0.0, 0.0], [2.0, 0.2], [1.8, 1.9], [0.1, 1.5]]),
        np.array([[1.0, -0.5], [3.0, 1.1], [0.9, 2.8]]),
    )
)
def clipped_area(subject, clip):
    """Sutherland and Hodgman: a polygon cut by the edges of a convex one."""
    polygon = np.empty((subject.shape[0] + clip.shape[0], 2))
    polygon[: subject.shape[0]] = subject
    size = subject.shape[0]
    for e in range(clip.shape[0]):
        kept = np.empty_like(polygon)
        count = 0
        edge = clip[(e + 1) % clip.shape[0]] - clip[e]
        for i in range(size):
            p, q = polygon[i - 1 if i > 0 else size - 1], polygon[i]
            dp = edge[0] * (p[1] - clip[e, 1]) - edge[1] * (p[0] - clip[e, 0])
            dq = edge[0] * (q[1] - clip[e, 1]) - edge[1] * (q[0] - clip[e, 0])
            if (dp < 0.0) != (dq < 0.0):
                kept[count] = p + dp / (dp - dq) * (q - p)
                count += 1
            if dq >= 0.0:
                kept[count] = q
                count += 1
        polygon, size = kept, count
    area = 0.0
    for i in range(size):
        j = (i + 1) % size
        area += polygon[i, 0] * polygon[j, 1] - polygon[j, 0] * polygon[i, 1]
    return 0.5 * area
