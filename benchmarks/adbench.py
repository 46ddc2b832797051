"""Reads the problems of ADBench that ``data`` holds: text, numbers separated by white space or colons."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.gradbench.ht import Model
from benchmarks.gradbench.tasks import Indices
from benchmarks.problem import Array

DATA = Path(__file__).parent / "data"
BONE = 34  # fields of a bone: name, parent, two homogeneous matrices
VERTEX = 9  # fields of a vertex before the pairs of bone and weight: place, normal, texture, how many


def numbers(path: Path) -> list[float]:
    return [float(word) for word in path.read_text(encoding="ascii").split()]


def lstm(name: str) -> tuple[Array, Array, Array, Array]:
    """Weights and biases, those of input and output, the state, and the sequence."""
    words = numbers(DATA / "lstm" / f"lstm_{name}.txt")
    layers, length, b = (int(word) for word in words[:3])
    shapes = (2 * layers, 4 * b), (3, b), (2 * layers, b), (length, b)
    main, extra, state, sequence = split(words[3:], shapes)
    return main, extra, state, sequence


def bundle() -> dict[str, object]:
    """As GradBench sends it: one camera, point and observation, and how many copies there are of each."""
    words = numbers(DATA / "ba" / "ba1_n49_m7776_p31843.txt")
    n, m, p = (int(word) for word in words[:3])
    return {"n": n, "m": m, "p": p, "cam": words[3:14], "x": words[14:17], "w": words[17], "feat": words[18:20]}


def hand(form: str) -> tuple[Array, Array, Indices, Array]:
    """``theta``, ``us`` (empty in the simple form), the vertices or triangles of the points, and the points."""
    words = numbers(DATA / "hand" / form / "hand1_t26_c100.txt")
    count, angles = int(words[0]), int(words[1])
    rows, us, theta = split(words[2:], ((count, 4), (count, 2 if form == "complicated" else 0), (angles,)))
    return theta, us, rows[:, 0].astype(np.int64), rows[:, 1:].copy()


def model() -> tuple[Model, Indices]:
    """The hand, and the vertices of its triangles."""
    folder = DATA / "hand" / "model"
    bones = [line.split(":") for line in (folder / "bones.txt").read_text(encoding="ascii").splitlines()]
    matrices = np.array([bone[2:BONE] for bone in bones], dtype=float).reshape(-1, 2, 4, 4)
    vertices = [line.split(":") for line in (folder / "vertices.txt").read_text(encoding="ascii").splitlines()]
    positions = np.ones((len(vertices), 4))
    weights = np.zeros((len(vertices), len(bones)))
    for v, fields in enumerate(vertices):
        positions[v, :3] = [float(field) for field in fields[:3]]
        pairs = fields[VERTEX : VERTEX + 2 * int(fields[VERTEX - 1])]
        for bone, weight in zip(pairs[::2], pairs[1::2], strict=True):
            weights[v, int(bone)] = float(weight)
    parents = np.array([int(bone[1]) for bone in bones])
    triangles = np.loadtxt(folder / "triangles.txt", delimiter=":", dtype=np.int64)
    relatives, inverses = matrices[:, 0].copy(), matrices[:, 1].copy()
    return Model(parents, relatives, inverses, positions, weights, False), triangles


def split(words: list[float], shapes: tuple[tuple[int, ...], ...]) -> list[Array]:
    """Consecutive arrays of these shapes, which hold all the words there are."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    assert ends[-1] == len(words), f"{len(words)} numbers, where {ends[-1]} are expected"
    return [
        part.reshape(shape).copy() for part, shape in zip(np.split(np.array(words), ends[:-1]), shapes, strict=True)
    ]
