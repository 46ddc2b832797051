"""Random programs that take steps with small arrays: made anew, renamed, exchanged, changed in place, turned round."""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c")
STARTS = {
    "a": ("np.zeros(3) + x", "np.zeros(3)", "x * np.ones(3)", "np.ones(3) * x[0]", "x"),
    "b": ("x * np.full(3, 0.2)", "a", "a", "np.ones(3)", "np.zeros(3)", "x[::-1] * 0.3"),
    "c": ("np.ones(3) * 0.3", "b", "a", "np.zeros(3) + x + 0.1"),
}
MADE = (
    "{p} * {q}",
    "np.sin({p})",
    "0.5 * {p} + {q} * s",
    "w @ {p}",
    "{p}.copy()",
    "{p} + 0.1 * np.tanh({q})",
    "{p}[::-1] * 0.9",
    "np.zeros(3) + {q}[1]",
    "{p} - np.outer({q}, {p})[1]",
)
STATEMENTS = (
    "{p} = {q}",
    "{p}, {q} = {q}, {p}",
    "{p}[{i}] = {q}[{j}] * {r}[{k}]",
    "{p}[{i}] += 0.3 * {q}[{j}]",
    "{p}[:] = {q} * 0.7",
    "{p} = {q}[::-1]",
    "s = s * 0.8 + {p}[{i}] * {q}[{j}]",
    "s += np.sum({p} * {q}) * 0.1",
)


def random_states(seed: int) -> str:
    """The text of ``f(x, w, n)`` for three numbers, a matrix of three by three, and a number of steps."""
    rng = Random(seed)
    lines = ["def f(x, w, n):", "    s = 0.5"]
    lines += [f"    {name} = {rng.choice(starts)}" for name, starts in STARTS.items()]
    lines.append(f"    for t in range({rng.choice(('n', '3', '2'))}):")
    lines += _block(rng, 2, "ij", rng.randrange(2, 7))
    lines += _block(rng, 1, "", rng.randrange(0, 3))
    lines.append("    return s + np.sum(a * 0.3 + b * b * 0.2 - c * 0.1)")
    return "\n".join(lines) + "\n"


def _block(rng: Random, indent: int, counters: str, count: int) -> list[str]:
    """So many statements; ``counters`` are those of the loops that may stand inside."""
    pad = "    " * indent
    lines: list[str] = []
    for _ in range(count):
        p, q, r = rng.choices(NAMES, k=3)
        i, j, k = rng.choices(range(3), k=3)
        kind = rng.random()
        if kind < 0.1 and counters:
            lines.append(f"{pad}for {counters[0]} in range({rng.choice(('0', '1', '2', '3', 'n'))}):")
            lines += _block(rng, indent + 1, counters[1:], rng.randrange(1, 4))
        elif kind < 0.18:
            lines.append(f"{pad}if {p}[{i}] > {rng.choice(('0.0', '0.3', 's'))}:")
            lines += _block(rng, indent + 1, "", rng.randrange(1, 3))
        elif kind < 0.55:
            lines.append(f"{pad}{p} = {rng.choice(MADE).format(p=q, q=r)}")
        else:
            lines.append(pad + rng.choice(STATEMENTS).format(p=p, q=q, r=r, i=i, j=j, k=k))
    return lines
