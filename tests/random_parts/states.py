"""Integers that decide which memory is touched: permutations, counts, places computed, variables that loops leave."""

from __future__ import annotations

from random_parts.containers import Containers


class States(Containers):
    """Statements whose reversal needs integers again that were overwritten since."""

    def permute(self) -> None:
        """Rows exchanged as in pivoting: by an integer array that changes while it is used."""
        a = self.array_name(rank=1, least=2)
        if a is None or self.deep():
            return
        size, perm, i = self.scope.arrays[a][0], self.fresh("perm"), self.fresh("i")
        self.write(f"{perm} = np.arange({size})")
        self.write(f"for {i} in range({size} - 1):")
        self.scope.counters[i] = (0, size - 2)
        self.write(f"    if {self.rng.choice([self.test(), f'{a}[{perm}[{i}]] < {a}[{perm}[{i} + 1]]'])}:")
        self.write(f"        {perm}[{i}], {perm}[{i} + 1] = {perm}[{i} + 1], {perm}[{i}]")
        self.write(f"    {a}[{perm}[{i}]] = {a}[{perm}[{i}]] * {self.factor()} + np.sin({a}[{perm}[{i} + 1]])")
        del self.scope.counters[i]

    def count(self) -> None:
        """How often each place was found, where the places come from numbers with derivatives."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        size = self.scope.arrays[a][0]
        counts, m, i = self.fresh("counts"), self.fresh("m"), self.fresh("i")
        self.write(f"{counts} = np.zeros({size}, dtype=np.int64)")
        self.write(f"for {i} in range({self.rng.randint(1, 4)}):")
        self.write(f"    {m} = int(abs(3.1 * {self.leaf()})) % {size}")
        self.write(f"    {counts}[{m}] += 1")
        self.write(f"    {a}[{m}] = np.sin({a}[{m}]) * {self.leaf()} + 0.1 * {counts}[{m}] * {a}[{m} - 1]")

    def leave_variables(self) -> None:
        """A loop's variables, used after the loop: its counter, and a number that each iteration binds."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        size, i, s = self.scope.arrays[a][0], self.fresh("i"), self.fresh("s")
        self.write(f"for {i} in range({self.extent(size)}):")
        self.scope.counters[i] = (0, size - 1)
        self.write(f"    {s} = {self.scalar(1)}")
        self.write(f"    if {self.test()}:")
        leave = self.rng.choice(["break", "continue", f"{a}[{i}] *= {self.factor()}"])
        self.write(f"        {leave}")
        if leave == "continue" or self.rng.random() < 0.5:
            self.write(f"    {self.element_of(a)} = {s} * {self.leaf()} * 0.5")
        self.scope.scalars.append(s)

    def replace_argument(self) -> None:
        """A loop that makes a new array of the last one, under its name."""
        a = self.array_name(rank=1)
        if a is None or self.deep() or a in self.scope.fixed:
            return
        before = self.fresh("a")
        self.write(f"{before} = {a}")
        self.write(f"for {self.fresh('i')} in range({self.rng.randint(0, 3)}):")
        self.write(f"    {a} = {self.array(self.scope.arrays[a])}")
        self.write(f"    {self.element_of(a)} += {self.scalar(1)}")
        self.scope.arrays[before] = self.scope.arrays[a]

    def newton(self) -> None:
        """A state that is iterated until it hardly changes."""
        if self.deep():
            return
        v, d, k, target = self.fresh("s"), self.fresh("s"), self.fresh("k"), self.scalar(1)
        self.write(f"{v}, {d}, {k} = {self.leaf()}, 1.0, 0")
        self.write(f"while abs({d}) > 0.00137 and {k} < {self.rng.randint(1, 6)}:")
        self.write(f"    {d} = ({v} - 0.3 * np.sin({v}) - {target}) / (1.0 - 0.3 * np.cos({v}))")
        self.write(f"    {v} -= {d}")
        self.write(f"    {k} += 1")
        self.scope.scalars += [v, d]
