"""Random array programs (views, overlapping stores, swaps, masks, callees that write): values and gradients."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

# Slices of a vector of five elements, by how many elements they have.
SLICES = {5: ["", "::-1"], 4: ["1:", ":-1"], 3: ["::2", "1:-1", "-3:", "2::"], 2: ["1::2", ":2", "3:", "-1:-3:-1"]}

HEADER = """
import numpy as np

def write(p, q):
    p[0] = np.sum(q) * 0.3
    p[1:] *= 0.5
    return np.tanh(q)

"""


class Writer:
    """Writes one program; ``names`` are the vectors of five elements in scope."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = ["x", "y", "a"]
        self.views: dict[str, int] = {}

    def program(self) -> str:
        body = ["a = x * y", "s = 0.5", *self.block(3, 5), "return np.sum(np.sin(a)) + np.sum(x * y) + s"]
        return HEADER + "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)

    def block(self, depth: int, length: int) -> list[str]:
        return [line for _ in range(self.rng.randint(2, length)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        kinds = [
            "fresh",
            "store",
            "store",
            "update",
            "update",
            "view",
            "swap",
            "mask",
            "gather",
            "call",
            "sum",
            "element",
        ]
        kind = self.rng.choice(kinds + ["loop", "branch"] * (depth > 0))
        name = self.rng.choice(self.names)
        size = self.rng.choice([5, 4, 3, 2])
        place = self.sliced(name, size)
        match kind:
            case "fresh":
                return [f"a = {self.vector(5)}"]
            case "store":
                return [f"{place} = {self.rng.choice([self.vector(size), self.scalar()])}"]
            case "update":
                return [f"{place} {self.rng.choice(['+=', '-=', '*='])} {self.vector(size)}"]
            case "view":
                return [f"v = {place}", f"v[0] = {self.scalar()}", f"v *= {self.scalar()}"]
            case "swap":
                p, q = self.rng.sample(self.names, 2)
                return [f"{p}, {q} = {q}, {p}"]
            case "mask":
                return [f"{name}[{self.rng.choice(self.names)} > 0.1] {self.rng.choice(['=', '*='])} {self.scalar()}"]
            case "gather":
                picked = [self.rng.randint(-5, 4) for _ in range(size)]
                return [f"{place} = {self.rng.choice(self.names)}[np.array({picked})] * 0.7"]
            case "call":
                p, q = self.rng.sample(self.names, 2)
                return [f"a = write({p}, {q}) + {self.rng.choice(self.names)} * 0.5"]
            case "sum":
                return [f"s = np.tanh(s + {self.scalar()})"]
            case "element":
                return [f"{name}[{self.rng.randint(-5, 4)}] += {self.scalar()}"]
            case "loop":
                return [f"for i in range({self.rng.randint(0, 3)}):", *self.indented(depth)]
        return [f"if np.sum({name}) > {self.rng.uniform(-1, 1):.2f}:", *self.indented(depth), *self.otherwise(depth)]

    def indented(self, depth: int) -> list[str]:
        return ["    " + line for line in self.block(depth - 1, 3)]

    def otherwise(self, depth: int) -> list[str]:
        return ["else:", *self.indented(depth)] if self.rng.random() < 0.5 else []

    def sliced(self, name: str, size: int) -> str:
        return f"{name}[{self.rng.choice(SLICES[size]) or ':'}]"

    def vector(self, size: int, depth: int = 2) -> str:
        leaf = self.sliced(self.rng.choice(self.names), size)
        if depth == 0:
            return leaf
        match self.rng.randint(0, 5):
            case 0:
                return f"np.sin({self.vector(size, depth - 1)})"
            case 1:
                return f"np.tanh({self.vector(size, depth - 1)} + {self.vector(size, depth - 1)})"
            case 2:
                return f"{self.vector(size, depth - 1)} * {leaf}"
            case 3:
                return f"np.where({leaf} > 0.0, {self.vector(size, depth - 1)}, {leaf} * 0.5)"
            case 4:
                return f"{leaf} * {self.scalar()}"
        return leaf

    def scalar(self) -> str:
        name = self.rng.choice(self.names)
        return self.rng.choice(["0.5", "s", f"{name}[{self.rng.randint(-5, 4)}] * 0.5", f"np.sum({name}) * 0.2"])


def compiled(source: str, seed: int) -> Callable[..., float]:
    file = f"<random array program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Callable[..., float]] = {}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def slopes(f: Callable[..., float], x: np.ndarray, y: np.ndarray) -> list[np.ndarray] | None:
    """Differences of two widths, or None where they disagree: a branch or mask changes nearby."""
    found = []
    for k in range(2):
        gradient = np.zeros(5)
        for i in range(5):
            at: list[float] = []
            for h in (1e-5, 1e-6):
                values = []
                for step in (h, -h):
                    arguments = [x.copy(), y.copy()]
                    arguments[k][i] += step
                    values.append(f(*arguments))
                at.append((values[0] - values[1]) / (2 * h))
            if abs(at[0] - at[1]) > 1e-5 * max(1.0, abs(at[0])):
                return None
            gradient[i] = at[0]
        found.append(gradient)
    return found


def check(seed: int) -> bool:
    """Whether the program was worth something: its differences are trustworthy."""
    source = Writer(seed).program()
    f = compiled(source, seed)
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=5), rng.normal(size=5)
    with np.errstate(all="ignore"):
        expected = f(x.copy(), y.copy())
        differences = slopes(f, x, y)
    if not np.isfinite(expected) or abs(expected) > 1e6:
        return False
    value, found = srcgrad.value_and_grad(f, argnums=(0, 1), jit=False)(x, y)
    np.testing.assert_allclose(value, expected, rtol=1e-10, err_msg=source)
    if differences is None:
        return False
    for g, d in zip(found, differences, strict=True):
        np.testing.assert_allclose(g, d, rtol=1e-5, atol=1e-5, err_msg=source)
    return True


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_array_programs(start: int) -> None:
    assert sum(check(seed) for seed in range(start, start + 20)) > 10


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 2000, 50))
def test_more_random_array_programs(start: int) -> None:
    assert sum(check(seed) for seed in range(start, start + 50)) > 25
