"""Patterns that single random statements rarely make: helpers, time steps with two buffers, scratch arrays."""

from __future__ import annotations

from random import Random

from random_parts.control import ControlFlow

HELPERS = {
    "bump": "def bump(a, i, v):\n    a[i] += 0.5 * v\n    return a[i] * v\n",
    "smooth": (
        "def smooth(a, b):\n    for i in range(1, a.shape[0]):\n        a[i] = 0.5 * a[i - 1] + np.sin(b[i]) * a[i]\n"
    ),
    "larger": "def larger(a, b):\n    if a[0] > b[0]:\n        return a\n    return b\n",
    "pair": "def pair(s, t):\n    return np.sin(t), 0.5 * s * np.cos(t)\n",
    "exchange": "def exchange(a, i, j):\n    a[i], a[j] = a[j], a[i]\n",
    "decay": "def decay(s, n):\n    for k in range(n):\n        if s > 0.713:\n            return s * s\n"
    "        s = 0.5 * s + 0.3\n    return np.sin(s)\n",
}


class Patterns(ControlFlow):
    """Statements that belong together."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.helpers: set[str] = set()

    def call_helper(self) -> None:
        a = self.array_name(rank=1)
        if a is None:
            return
        size = self.scope.arrays[a][0]
        others = self.same_shape(a)
        helper = self.rng.choice(sorted(HELPERS))
        local = [s for s in self.scope.scalars if s not in self.scope.fixed]
        enough = {"larger": bool(others), "smooth": bool(others), "pair": len(local) > 1, "decay": bool(local)}
        if not enough.get(helper, True):
            return
        self.helpers.add(helper)
        if helper == "bump":
            self.write(f"{self.fresh('s')} = bump({a}, {self.index(size)}, {self.scalar(1)})")
            self.scope.scalars.append(f"s{self.names}")
        elif helper == "smooth":
            self.write(f"smooth({a}, {self.rng.choice([a, *others])})")
        elif helper == "larger":
            name = self.target((size,))
            self.write(f"{name} = larger({a}, {self.rng.choice(others)})")
            self.scope.arrays[name] = (size,)
        elif helper == "exchange":
            self.write(f"exchange({a}, {self.index(size)}, {self.index(size)})")
        elif helper == "pair":
            s, t = self.rng.sample(local, 2)
            self.write(f"{s}, {t} = pair({s}, {self.scalar(1)})")
        else:
            self.write(f"{self.rng.choice(local)} = decay({self.scalar(1)}, {self.rng.randint(0, 3)})")

    def time_steps(self) -> None:
        """A time loop with two buffers, or with one allocated in each step and carried out."""
        u = self.array_name(rank=1, least=2)
        if u is None or self.deep() or u in self.scope.fixed:
            return
        size = self.scope.arrays[u][0]
        fresh = self.rng.random() < 0.5
        new, t, i = self.fresh("w"), self.fresh("t"), self.fresh("i")
        allocation = (
            f"{new} = {self.rng.choice([self.new('zeros', (size,)), f'{u}.copy()', self.new('empty', (size,))])}"
        )
        if not fresh:
            self.write(allocation)
        self.write(f"for {t} in range({self.rng.randint(1, 3)}):")
        if fresh:
            self.write(f"    {allocation}")
        self.write(f"    for {i} in range({size}):")
        self.scope.counters[i] = (0, size - 1)
        self.write(f"        {new}[{i}] = 0.5 * {u}[{i}] + 0.3 * np.sin({self.scalar(1)}) * {u}[{i} - 1]")
        del self.scope.counters[i]
        self.write(f"    {u} = {new}" if fresh else f"    {u}, {new} = {new}, {u}")
        if not fresh:
            self.scope.arrays[new] = (size,)

    def use_scratch(self) -> None:
        """Scratch outside a loop, overwritten in each iteration."""
        u = self.array_name(rank=1)
        if u is None or self.deep():
            return
        size = self.scope.arrays[u][0]
        scratch, total, i, j = self.fresh("w"), self.fresh("s"), self.fresh("i"), self.fresh("j")
        reads = {**self.scope.counters, i: (0, 2), j: (0, size - 1)}
        lines = [f"{scratch} = {self.new('empty', (size,))}", f"{total} = 0.0", f"for {i} in range(3):"]
        outer, self.scope.counters = self.scope.counters, reads
        lines += [
            f"    for {j} in range({size}):",
            f"        {scratch}[{j}] = {self.scalar(2)}",
            f"    for {j} in range({size}):",
            f"        {total} += {scratch}[{j}] * np.sin({scratch}[{self.index(size)}])",
        ]
        self.scope.counters = outer
        for line in lines:
            self.write(line)
        self.scope.scalars.append(total)
        self.scope.arrays[scratch] = (size,)

    def track_best(self) -> None:
        """An index that is found out by comparing, and used afterwards."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        size, best, i = self.scope.arrays[a][0], self.fresh("m"), self.fresh("i")
        lines = [f"{best} = 0", f"for {i} in range(1, {size}):", f"    if {a}[{i}] > {a}[{best}]:"]
        for line in (*lines, f"        {best} = {i}"):
            self.write(line)
        self.scope.counters[best] = (0, size - 1)

    def wander(self) -> None:
        """An integer state that decides which element each iteration touches."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        size, m, i = self.scope.arrays[a][0], self.fresh("m"), self.fresh("i")
        self.write(f"{m} = {self.rng.randrange(size)}")
        self.write(f"for {i} in range({self.rng.randint(1, 4)}):")
        self.write(f"    {a}[{m}] = {a}[{m}] * {self.factor()} + np.sin({a}[{m} - 1])")
        self.write(f"    {m} = ({m} * 2 + {i}) % {size}")
        self.scope.counters[m] = (0, size - 1)

    def flagged(self) -> None:
        """A truth value that is carried from one iteration to the next."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        seen, i = self.fresh("seen"), self.fresh("i")
        self.write(f"{seen} = False")
        self.write(f"for {i} in range({self.scope.arrays[a][0]}):")
        self.write(f"    if {seen} and {a}[{i}] < 0.713:")
        self.write(f"        {a}[{i}] = np.cos({a}[{i}]) * {self.leaf()}")
        self.write(f"    if {a}[{i}] > 0.137:")
        self.write(f"        {seen} = {self.rng.choice(['True', f'not {seen}'])}")
