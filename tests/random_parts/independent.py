"""Loops of random programs whose iterations exchange nothing but sums: what is reversed in place and runs in lanes."""

from __future__ import annotations

from random_parts.expressions import Scope
from random_parts.functions import Functions


class Independent(Functions):
    """``rows`` names the matrix whose rows the iterations work on."""

    rows = "P"

    def independent(self) -> None:
        """Each iteration has numbers and an array of its own, reads all that is around, and adds to a sum."""
        if self.rows not in self.scope.arrays or self.trips > 1 or self.deep():
            return
        (count, width), outer = self.scope.arrays[self.rows], self.scope
        p, total, own, made = (self.fresh(stem) for stem in ("p", "s", "s", "w"))
        self.write(f"{total} = 0.0")
        out = self.fresh("out") if self.rng.random() < 0.4 else ""
        if out:
            self.write(f"{out} = {self.new('zeros', (count,))}")
        self.write(f"for {p} in range({self.rng.choice([f'{self.rows}.shape[0]', str(count)])}):")
        self.scope = self.inside(outer, p)
        leaving, self.in_loop = self.in_loop, 0
        self.indent += 1
        self.write(f"{own} = {self.scalar(1)} * {self.rows}[{p}, {self.index(width)}]")
        self.scope.scalars.append(own)
        if self.rng.random() < 0.6:
            self.write(f"{made} = {self.new(self.rng.choice(['zeros', 'zeros', 'ones']), (width,))}")
            self.scope.arrays[made] = (width,)
        self.indent -= 1
        self.block(count, 4)
        self.write(f"    {total} += {own} * {self.scalar(1)}")
        if out:
            self.write(f"    {out}[{p}] = {self.scalar(1)}")
        self.in_loop, self.scope = leaving, outer
        self.scope.scalars.append(total)
        if out:
            self.scope.arrays[out] = (count,)

    def inside(self, outer: Scope, p: str) -> Scope:
        """Of what is around only elements are read, and no name is assigned to."""
        scope = Scope(scalars=list(outer.scalars), fixed={*outer.scalars}, readable=dict(outer.arrays))
        scope.counters = {**outer.counters, p: (0, outer.arrays[self.rows][0] - 1)}
        return scope
