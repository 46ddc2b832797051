"""Functions inside random programs, which see the names around as they are when they are called."""

from __future__ import annotations

from random_parts.states import States

TWICE = "def twice(g, t):\n    return g(0.5 * g(t))\n"


class Functions(States):
    """Closures that read and write what is around them."""

    def closure(self) -> None:
        """A function of a number, to be called anywhere later on."""
        g, t, u = self.fresh("g"), self.fresh("t"), self.fresh("u")
        self.write(f"def {g}({t}):")
        kind = self.rng.choice(["plain", "plain", "writes", "loops"])
        a = self.array_name()
        if kind == "writes" and a is not None:
            self.write(f"    {self.element_of(a)} = 0.5 * {t} + 0.25 * {self.leaf()}")
        if kind == "loops":
            self.write(f"    {u} = {t}")
            self.write(f"    for _ in range({self.rng.randint(0, 3)}):")
            self.write(f"        {u} = np.sin({u} + {self.leaf()}) * {self.leaf()}")
            self.write(f"    return np.tanh({u})")
        else:
            self.write(f"    return np.sin({t} * {self.leaf()}) + 0.5 * np.tanh({self.leaf()})")
        self.scope.functions.append(g)

    def apply(self) -> None:
        """A function given to another; calls of it stand beside what it may write to."""
        functions = self.scope.functions
        if not functions:
            self.closure()
            return
        g, result = self.rng.choice(functions), self.fresh("s")
        forms = [f"twice({g}, {self.leaf()})", f"{g}({self.scalar(1)}) + {self.leaf()}", f"{self.leaf()} * {g}(0.3)"]
        text = self.rng.choice(forms)
        if text.startswith("twice"):
            self.helpers.add("twice")
        self.write(f"{result} = np.tanh({text})")
        self.scope.scalars.append(result)
