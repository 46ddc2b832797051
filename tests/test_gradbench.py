"""The tool for GradBench: its messages, and each function of each problem against an independent form.

Functions run as plain Python here; in the tests marked slow they are compiled.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal, wishart

from benchmarks.gradbench.protocol import PROBLEMS, respond
from srcgrad.api import transforms
from srcgrad.demo.problem import DATA, read_problem
from srcgrad.demo.reference import directional_error

ROOT = Path(__file__).parents[1]
RNG = np.random.default_rng(7)
STEP = 1e-6
# The mode outside, the mode inside; in plain Python each takes ten seconds.
MODES = ["fr", *(pytest.param(modes, marks=pytest.mark.slow) for modes in ("ff", "rf", "rr"))]


@pytest.fixture(params=["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def ask(request, monkeypatch):
    """Asks for the value of a function of a problem."""
    if request.param == "plain":
        make = transforms.make_options
        monkeypatch.setattr(transforms, "make_options", lambda options: make({**options, "jit": False}))
        forget()

    def asked(module: str, function: str, given: Any) -> Any:
        message = {"id": 3, "kind": "evaluate", "module": module, "function": function, "input": given}
        response = json.loads(json.dumps(respond(message)))
        assert response["success"], response["error"]
        return response["output"]

    yield asked
    if request.param == "plain":
        forget()


def forget() -> None:
    """The problems' modules are imported anew, and their functions are made with the options of then."""
    for name in PROBLEMS:
        sys.modules.pop(f"benchmarks.gradbench.{name}", None)


def slope(f, x: np.ndarray) -> np.ndarray:
    """Central differences of a function of an array, the array's axes last."""
    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size)
        unit[k] = STEP * max(1.0, abs(x.ravel()[k]))
        high, low = f(x + unit.reshape(x.shape)), f(x - unit.reshape(x.shape))
        columns.append((np.asarray(high) - low) / (2.0 * unit[k]))
    return np.stack(columns, axis=-1).reshape(np.shape(columns[0]) + x.shape)


# -- messages --------------------------------------------------------------------------------------------------


def test_session() -> None:
    """As GradBench drives a tool: a message on a line, a response on a line."""
    messages = [
        {"id": 0, "kind": "start", "eval": "hello", "config": {}},
        {"id": 1, "kind": "define", "module": "hello"},
        {"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 3.0, "description": "3.0"},
        {"id": 3, "kind": "analysis", "of": 2, "valid": True},
        {"id": 4, "kind": "evaluate", "module": "hello", "function": "double", "input": 8},
        {"id": 5, "kind": "define", "module": "no such module"},
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.gradbench"], input=text, capture_output=True, text=True, cwd=ROOT, check=True
    )
    responses = [json.loads(line) for line in run.stdout.splitlines()]
    assert [response["id"] for response in responses] == list(range(6))
    assert responses[0] == {"id": 0, "tool": "srcgrad"}
    assert responses[1]["success"]
    assert (responses[2]["output"], responses[4]["output"]) == (9.0, 16.0)
    assert responses[3] == {"id": 3}
    assert not responses[5]["success"]
    assert "hello" in responses[5]["error"]


@pytest.mark.parametrize(("runs", "seconds"), [(3, 0.0), (1, 0.02)])
def test_runs(runs, seconds) -> None:
    given = {"x": [1.0], "n": 3, "min_runs": runs, "min_seconds": seconds}
    message = {"id": 1, "kind": "evaluate", "module": "llsq", "function": "primal", "input": given}
    first, *timings = respond(message)["timings"]
    assert first["name"] == "prepare"
    assert {timing["name"] for timing in timings} == {"evaluate"}
    assert len(timings) >= runs
    assert sum(timing["nanoseconds"] for timing in timings) >= 1e9 * seconds


@pytest.mark.parametrize(("function", "given"), [("no such function", 1.0), ("square", "no number")])
def test_fault(function, given) -> None:
    response = respond({"id": 9, "kind": "evaluate", "module": "hello", "function": function, "input": given})
    assert (response["id"], response["success"]) == (9, False)
    assert "Error" in response["error"]


def test_all_problems_have_functions() -> None:
    for name in PROBLEMS:
        assert importlib.import_module(f"benchmarks.gradbench.{name}").TASKS


# -- problems --------------------------------------------------------------------------------------------------


def test_hello(ask) -> None:
    assert (ask("hello", "square", 1.5), ask("hello", "double", 1.5)) == (2.25, 3.0)


def test_llsq(ask) -> None:
    given = {"x": [0.3, -0.2, 0.5, 0.1], "n": 12}
    t = -1.0 + 2.0 * np.arange(12) / 11
    powers = np.vander(t, 4, increasing=True)
    residual = np.sign(t) - powers @ given["x"]
    assert ask("llsq", "primal", given) == pytest.approx(0.5 * residual @ residual)
    np.testing.assert_allclose(ask("llsq", "gradient", given), -powers.T @ residual)


@pytest.mark.parametrize("shift", [0.0, 900.0])
def test_lse(ask, shift) -> None:
    x = RNG.normal(size=9) + shift
    assert ask("lse", "primal", {"x": x.tolist()}) == pytest.approx(logsumexp(x))
    np.testing.assert_allclose(ask("lse", "gradient", {"x": x.tolist()}), softmax(x))


@pytest.mark.parametrize("steps", [1, 3])
def test_ode(ask, steps) -> None:
    """The solution is a polynomial of time; the method is exact up to the fourth power."""
    x = RNG.random(4) + 0.5
    given = {"x": x.tolist(), "s": steps}
    expected = [np.prod(x[: i + 1]) * 2.0 ** (i + 1) / math.factorial(i + 1) for i in range(4)]
    np.testing.assert_allclose(ask("ode", "primal", given), expected)
    np.testing.assert_allclose(ask("ode", "gradient", given), expected[-1] / x)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_det(ask, size) -> None:
    a = RNG.normal(size=(size, size))
    given = {"A": a.ravel().tolist(), "ell": size}
    assert ask("det", "primal", given) == pytest.approx(np.linalg.det(a))
    np.testing.assert_allclose(ask("det", "gradient", given), (np.linalg.det(a) * np.linalg.inv(a).T).ravel())


def test_kmeans(ask) -> None:
    """Newton's step leads to the mean of the points that are nearest."""
    points = RNG.random((40, 3))
    centroids = points[-4:]
    distances = np.sum((points[:, None] - centroids) ** 2, axis=2)
    nearest = np.argmin(distances, axis=1)
    given = {"points": points.tolist(), "centroids": centroids.tolist()}
    assert ask("kmeans", "cost", given) == pytest.approx(np.sum(np.min(distances, axis=1)))
    means = np.array([points[nearest == k].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(ask("kmeans", "dir", given), centroids - means, atol=1e-14)


def log_posterior(alpha, mu, q, lower, x, gamma, m) -> float:
    """The logarithm of the posterior from SciPy's distributions."""
    k, d = mu.shape
    likelihood, prior = np.empty((k, len(x))), 0.0
    for c in range(k):
        factor = np.diag(np.exp(q[c]))
        factor.T[np.triu_indices(d, 1)] = lower[c]  # column by column
        precision = factor.T @ factor
        likelihood[c] = multivariate_normal.logpdf(x, mu[c], np.linalg.inv(precision))
        prior += wishart.logpdf(precision, d + m + 1, np.eye(d) / gamma**2)
    return np.sum(logsumexp(likelihood.T + alpha - logsumexp(alpha), axis=1)) + prior


def test_gmm(ask) -> None:
    d, k, n = 3, 2, 5
    shapes = {"alpha": k, "mu": (k, d), "q": (k, d), "l": (k, d * (d - 1) // 2), "x": (n, d)}
    arrays = {name: 0.5 * RNG.normal(size=shape) for name, shape in shapes.items()}
    given = {name: array.tolist() for name, array in arrays.items()} | {"d": d, "k": k, "n": n, "gamma": 1.3, "m": 2}
    assert ask("gmm", "objective", given) == pytest.approx(log_posterior(*arrays.values(), 1.3, 2))
    gradient = ask("gmm", "jacobian", given)
    assert set(gradient) == {"alpha", "mu", "q", "l"}
    for name in gradient:
        expected = slope(lambda x: log_posterior(*{**arrays, name: x}.values(), 1.3, 2), arrays[name])  # noqa: B023  # called here
        np.testing.assert_allclose(gradient[name], expected, rtol=1e-6, atol=1e-7)


def test_gmm_of_adbench(ask) -> None:
    problem = read_problem(DATA)
    problem = problem._replace(points=problem.points[:4])
    names = ("alpha", "means", "icf", "x")
    given = {name: part.tolist() for name, part in zip(names, problem[:4], strict=True)}
    given |= {"gamma": problem.gamma, "m": problem.m}
    flat = np.array(ask("gmm", "jacobian", given))
    sizes = [part.size for part in problem[:3]]
    parts = np.split(flat, np.cumsum(sizes)[:-1])
    gradient = tuple(part.reshape(like.shape) for part, like in zip(parts, problem[:3], strict=True))
    assert directional_error(problem, gradient) < 1e-12
    assert np.isfinite(ask("gmm", "objective", given))


def network_loss(main, extra, state, sequence) -> complex:
    """The loss of the network in array style, for complex numbers too."""

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    hidden, cell = list(state[::2]), list(state[1::2])
    total = 0.0
    for now, following in itertools.pairwise(sequence):
        signal = now * extra[0]
        for k in range(len(hidden)):
            weight, bias = np.split(main[2 * k], 4), np.split(main[2 * k + 1], 4)
            forget, outgate = (sigmoid(signal * weight[g] + bias[g]) for g in (0, 2))
            ingate, change = sigmoid(hidden[k] * weight[1] + bias[1]), np.tanh(hidden[k] * weight[3] + bias[3])
            cell[k] = cell[k] * forget + ingate * change
            signal = hidden[k] = outgate * np.tanh(cell[k])
        predicted = signal * extra[1] + extra[2]
        total = total + np.sum(following * (predicted - np.log(np.sum(np.exp(predicted)) + 2.0)))
    return -total / sequence[1:].size


def test_lstm(ask) -> None:
    layers, b, length = 2, 3, 4
    shapes = {"main_params": (2 * layers, 4 * b), "extra_params": (3, b), "state": (2 * layers, b)}
    arrays = {name: RNG.normal(size=shape) for name, shape in (shapes | {"sequence": (length, b)}).items()}
    given = {name: array.tolist() for name, array in arrays.items()}
    assert ask("lstm", "objective", given) == pytest.approx(network_loss(*arrays.values()))
    expected = []
    for name in ("main_params", "extra_params"):
        for index in np.ndindex(arrays[name].shape):
            moved = arrays[name].astype(complex)
            moved[index] += 1e-30j
            expected.append(network_loss(*{**arrays, name: moved}.values()).imag / 1e-30)
    np.testing.assert_allclose(ask("lstm", "jacobian", given), expected, rtol=1e-11, atol=1e-15)


def reprojection(own: np.ndarray, feature: np.ndarray) -> np.ndarray:
    u, v, w = Rotation.from_rotvec(own[:3]).apply(own[11:14] - own[3:6])
    flat = np.array([u, v]) / w
    radius = flat @ flat
    image = flat * (1.0 + own[9] * radius + own[10] * radius**2) * own[6] + own[7:9]
    return own[14] * (image - feature)


@pytest.mark.parametrize("rotated", [True, False])
def test_ba(ask, rotated) -> None:
    n, m, p = 2, 3, 5
    cam = np.array([0.3, -0.2, 0.5, 0.1, 0.2, -4.0, 300.0, 5.0, -3.0, 0.02, -0.01])
    cam[:3] *= rotated
    x, weight, feature = np.array([0.4, -0.3, 0.6]), 0.8, np.array([10.0, -20.0])
    given = {"n": n, "m": m, "p": p, "cam": cam.tolist(), "x": x.tolist(), "w": weight, "feat": feature.tolist()}
    own = np.concatenate((cam, x, [weight]))
    errors = ask("ba", "objective", given)
    np.testing.assert_allclose(errors["reproj_error"]["elements"], reprojection(own, feature))
    assert errors["reproj_error"]["repeated"] == errors["w_err"]["repeated"] == p
    assert errors["w_err"]["element"] == pytest.approx(1.0 - weight**2)
    jacobian = ask("ba", "jacobian", given)
    expected = slope(lambda own: reprojection(own, feature), own)
    np.testing.assert_allclose(jacobian["vals"][:30], expected.ravel(), rtol=1e-6, atol=1e-6)
    assert jacobian["vals"][30] == pytest.approx(-2.0 * weight)
    block = [*range(11), *range(11 * n, 11 * n + 3), 11 * n + 3 * m]
    assert jacobian["cols"] == [*block, *block, 11 * n + 3 * m + p - 1]


def test_ba_matrix() -> None:
    """The compressed rows as a whole, against the blocks in a dense matrix."""
    from benchmarks.gradbench import ba

    n, m, p = 2, 3, 5
    parts = [RNG.random((n, 11)) + 0.1, RNG.random((m, 3)) + 5.0, RNG.random(p)]
    seen, features = np.stack((np.arange(p) % n, np.arange(p) % m), axis=1), RNG.random((p, 2))

    def residuals(flat: np.ndarray) -> np.ndarray:
        cameras, points, weights = np.split(flat, [11 * n, 11 * n + 3 * m])
        of_camera, of_point = cameras.reshape(n, 11)[seen[:, 0]], points.reshape(m, 3)[seen[:, 1]]
        own = np.column_stack((of_camera, of_point, weights))
        found = [reprojection(row, feature) for row, feature in zip(own, features, strict=True)]
        return np.concatenate((*found, 1.0 - weights**2))

    rows, columns, values = ba.sparse_jacobian(*parts, seen, features)
    expected = slope(residuals, np.concatenate([part.ravel() for part in parts]))
    dense = np.zeros(expected.shape)
    for i in range(3 * p):
        dense[i, columns[rows[i] : rows[i + 1]]] = values[rows[i] : rows[i + 1]]
    np.testing.assert_allclose(dense, expected, rtol=1e-5, atol=1e-6)


def hand(vertices: int, mirrored: bool) -> dict[str, Any]:
    """A hand of some shape with 22 bones: a wrist, five fingers of four, and a forearm."""
    bones = 22
    parents = [-1, *(0 if k % 4 == 0 else k for k in range(20)), 0]
    base = np.tile(np.eye(4), (2, bones, 1, 1))
    base[:, :, :3] += 0.3 * RNG.normal(size=(2, bones, 3, 4))
    positions = np.ones((vertices, 4))
    positions[:, :3] = RNG.normal(size=(vertices, 3))
    weights = RNG.random((vertices, bones)) * (RNG.random((vertices, bones)) < 0.3)
    return {
        "bone_count": bones,
        "bone_names": [f"bone{k}" for k in range(bones)],
        "parents": parents,
        "base_relatives": base[0].tolist(),
        "inverse_base_absolutes": base[1].tolist(),
        "base_positions": positions.tolist(),
        "weights": weights.tolist(),
        "triangles": [[0, 1, 2], [2, 3, 0]],
        "is_mirrored": mirrored,
    }


def hand_vertices(theta: np.ndarray, model: dict[str, Any]) -> np.ndarray:
    angles = np.zeros((22, 3))
    for finger, (a, b, c, d) in enumerate(theta[6:].reshape(5, 4)):
        first = 2 + 4 * finger
        angles[first], angles[first + 1, 0], angles[first + 2, 0] = (a, b, 0.0), c, d
    absolutes: list[np.ndarray] = []
    positions = np.zeros((len(model["base_positions"]), 4))
    for bone, parent in enumerate(model["parents"]):
        turn = np.eye(4)
        turn[:3, :3] = Rotation.from_euler("xyz", angles[bone, [0, 2, 1]]).as_matrix()
        relative = np.array(model["base_relatives"][bone]) @ turn
        absolutes.append(relative if parent < 0 else absolutes[parent] @ relative)
        moved = np.array(model["base_positions"]) @ (absolutes[-1] @ model["inverse_base_absolutes"][bone]).T
        positions += np.array(model["weights"])[:, bone : bone + 1] * moved
    signs = np.array([-1.0 if model["is_mirrored"] else 1.0, 1.0, 1.0])
    return Rotation.from_rotvec(theta[:3]).apply(positions[:, :3] * signs) + theta[3:6]


@pytest.mark.parametrize("mirrored", [False, True])
def test_ht_simple(ask, mirrored) -> None:
    model, theta, points = hand(4, mirrored), 0.4 * RNG.normal(size=26), RNG.normal(size=(2, 3))
    data = {"model": model, "correspondences": [3, 1], "points": points.tolist()}
    given = {"theta": theta.tolist(), "data": data, "us": []}

    def expected(theta):
        return (points - hand_vertices(theta, model)[[3, 1]]).ravel()

    np.testing.assert_allclose(ask("ht", "objective", given), expected(theta))
    np.testing.assert_allclose(ask("ht", "jacobian", given), slope(expected, theta), rtol=1e-6, atol=1e-7)


def test_ht_complicated(ask) -> None:
    model, theta, points = hand(4, False), 0.4 * RNG.normal(size=26), RNG.normal(size=(3, 3))
    us, triangles = RNG.random((3, 2)), np.array(model["triangles"])[[1, 0, 1]]
    data = {"model": model, "correspondences": [1, 0, 1], "points": points.tolist()}
    given = {"theta": theta.tolist(), "data": data, "us": us.tolist()}

    def expected(numbers):
        own = us + numbers[:2]
        weights = np.column_stack((own, 1.0 - own.sum(axis=1)))
        corners = hand_vertices(numbers[2:], model)[triangles]
        return (points - np.einsum("ij,ijk->ik", weights, corners)).ravel()

    numbers = np.concatenate((np.zeros(2), theta))
    np.testing.assert_allclose(ask("ht", "objective", given), expected(numbers))
    np.testing.assert_allclose(ask("ht", "jacobian", given), slope(expected, numbers), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("modes", MODES)
def test_particle(ask, modes) -> None:
    """GradBench's own value; and the particle does meet the origin."""
    found = ask("particle", modes, {"w": 0.0})
    assert found == pytest.approx(0.2071918746486116, rel=1e-9)


@pytest.mark.parametrize("modes", MODES)
def test_saddle(ask, modes) -> None:
    assert ask("saddle", modes, {"start": [1.0, 1.0]}) == pytest.approx([8.246324826140356e-06] * 4, rel=1e-9)
