"""Complex numbers in random programs: scalars and arrays, taken apart and put together, bounded as all else."""

from __future__ import annotations

from random_parts.independent import Independent


class Complexes(Independent):
    """Statements on complex names; what they come to is real numbers, which the rest of the program uses."""

    def complex_leaf(self) -> str:
        choices = [*self.scope.complexes]
        for name, n in self.scope.complex_arrays.items():
            choices += [f"{name}[{self.index(n)}]"] * 2
        if not choices or self.rng.random() < 0.2:
            return self.rng.choice([f"complex({self.leaf()}, {self.leaf()})", f"({self.leaf()} + 0.5j)", "0.3j"])
        return self.rng.choice(choices)

    def complex_scalar(self) -> str:
        """A bounded expression."""
        form = self.rng.choice(
            [
                "0.5 * {w} + 0.25 * {v}",
                "{w} * {v} / (1.0 + np.abs({w} * {v}))",
                "np.exp(1j * {a}) * 0.7",
                "np.exp(0.4 * {w} / (1.0 + {w}.real ** 2 + {w}.imag ** 2))",
                "np.conj({w}) * np.exp(-0.3j * {a})",
                "complex(np.sin({a}), {b} * 0.5)",
                "{w} / (1.5 + np.abs({v}))",
                "np.sqrt(2.0 + {w} / (1.0 + np.abs({w})))",
                "{w} ** 2 / (1.0 + np.abs({w}) ** 2)",
                "{a} / (2.0 + 1j * {w} / (1.0 + np.abs({w})))",
                "({w} if {test} else {a} * 0.5j)",
                "np.tanh({a}) - 1j * {w}.real",
            ]
        )
        w, v = self.complex_leaf(), self.complex_leaf()
        return form.format(w=w, v=v, a=self.leaf(), b=self.leaf(), test=self.test())

    def assign_complex(self) -> None:
        known = self.scope.complexes
        if known and self.rng.random() < 0.6:
            update = self.rng.choice(["{0} = {1}", "{0} = {1}", "{0} += 0.5 * {1}", "{0} *= {2}"])
            name, turn = self.rng.choice(known), f"np.exp(0.5j * {self.leaf()})"
            self.write(update.format(name, self.complex_scalar(), turn))
            return
        name = self.fresh("z")
        self.write(f"{name} = {self.complex_scalar()} + 0j")
        known.append(name)

    def make_complex_array(self) -> None:
        source = self.array_name(rank=1)
        if source is None:
            return
        name, n = self.fresh("w"), self.scope.arrays[source][0]
        same = [a for a, size in self.scope.complex_arrays.items() if size == n]
        choices = [f"np.zeros({self.extent(n)}, dtype=np.complex128)", f"{source} * {self.complex_leaf()} * 0.5"]
        choices += [f"np.exp(1j * {source})", f"{source} + 0.25j"]
        choices += [f"np.conj({a}) * {source}" for a in same] + [f"{a}[::-1] * 0.5" for a in same] + same
        self.write(f"{name} = {self.rng.choice(choices)}")
        self.scope.complex_arrays[name] = n

    def write_complex_element(self) -> None:
        arrays = self.scope.complex_arrays
        if not arrays:
            self.make_complex_array()
            return
        name = self.rng.choice(list(arrays))
        target = f"{name}[{self.index(arrays[name])}]"
        value = self.rng.choice([self.complex_scalar(), self.complex_scalar(), self.scalar(1)])
        form = self.rng.choice(["{0} = {1}", "{0} = {1}", "{0} += 0.5 * {1}", "{0} -= 0.25 * {1}", "{0} = 0.0"])
        self.write(form.format(target, value))

    def write_complex_slice(self) -> None:
        """A part of a vector, from another part of it or of another."""
        arrays = self.scope.complex_arrays
        if not arrays:
            self.make_complex_array()
            return
        name = self.rng.choice(list(arrays))
        n, turn = arrays[name], f"np.exp(0.5j * {self.leaf()})"
        other = self.rng.choice([a for a, size in arrays.items() if size == n])
        forms = ["{0}[:] = {1}[::-1]", "{0} *= {2}", "{0} += 0.5 * np.conj({1})", "{0}[1:] = {1}[:-1] * {2}"]
        forms += ["{0}[::2] = 0.5j * {1}[::2]", "{0}, {1} = {1}, {0}", "{0} = {1} * {2}", "{0}[:-1] -= 0.25 * {1}[1:]"]
        self.write(self.rng.choice(forms).format(name, other, turn))

    def rotate_complexes(self) -> None:
        known = self.scope.complexes
        if len(known) > 1:
            a, b = self.rng.sample(known, 2)
            self.write(self.rng.choice([f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b} * 1j, np.conj({a}) * 0.7"]))

    def take_apart(self) -> None:
        """A real number or array made of complex ones."""
        if self.scope.complex_arrays and self.rng.random() < 0.4:
            z, n = self.rng.choice(list(self.scope.complex_arrays.items()))
            form = self.rng.choice(["np.sin(np.real({}))", "np.tanh(np.imag({}))", "1.0 / (1.0 + np.abs({}))"])
            name = self.target((n,))
            self.write(f"{name} = {form.format(z)}")
            self.scope.arrays[name] = (n,)
            return
        form = self.rng.choice(["{0}.real", "np.sin({0}.imag)", "np.tanh(np.abs({0}))", "np.sin(({0} * {1}).imag)"])
        vectors = list(self.scope.complex_arrays)
        if vectors and self.rng.random() < 0.3:
            form = self.rng.choice(["np.tanh(np.sum({0} * {1}).imag)", "np.tanh(np.vdot({0}, {0} * 0.3j).imag)"])
            form = form.replace("{0}", self.rng.choice(vectors))
        name = self.fresh("s")
        self.write(f"{name} = {form.format(self.complex_leaf(), self.complex_leaf())}")
        self.scope.scalars.append(name)

    def complex_terms(self) -> list[str]:
        """What the result counts of the complex names."""
        terms = [f"np.sin({z}.real + 2.0 * {z}.imag)" for z in self.scope.complexes[:3]]
        arrays = list(self.scope.complex_arrays)[:3]
        return terms + [f"np.sum(np.real({w}) * np.cos(np.imag({w})))" for w in arrays]
