"""What ``grad`` and ``value_and_grad`` return."""

from __future__ import annotations

import functools
from dataclasses import replace

from srcgrad.api.compiled import Compiled
from srcgrad.api.plans import Forward, Gradient
from srcgrad.errors import AtTheCall
from srcgrad.ir.core import Function


class Derivative(Compiled):
    """A gradient function; see `srcgrad.grad`.

    Attributes
    ----------
    value_and_grad : Derivative
        The function that returns ``(value, gradient)``, from one sweep.
    primal : Compiled
        The function itself, compiled.
    """

    @functools.cached_property
    def value_and_grad(self) -> Derivative:
        plan = self._table.plan
        assert isinstance(plan, Gradient)
        other = Derivative(self._table.function, replace(plan, with_value=True), self._table.options)
        self._relative("value_and_grad", other)
        return other

    @AtTheCall()
    def backward_source(self, *args: object, level: str = "readable", **kwargs: object) -> str:
        """The generated adjoint, one function with the forward and the reverse sweep, for arguments like these.

        ``level="readable"`` is meant to be read, ``level="compiled"`` is exactly the text that is compiled.
        """
        return self.source(*args, level=level, **kwargs)

    @AtTheCall()
    def forward_source(self, *args: object, level: str = "readable", **kwargs: object) -> str:
        """The generated forward sweep of `vjp`, which returns the result and what the backward sweep needs."""
        plan = self._table.plan
        assert isinstance(plan, Gradient)
        argnums = (plan.argnums,) if isinstance(plan.argnums, int) else tuple(plan.argnums)
        forward = Compiled(self.function, Forward(argnums), self._table.options)
        return forward.source(*args, level=level, **kwargs)

    @AtTheCall()
    def explain(self, *args: object, **kwargs: object) -> str:
        """What the reverse sweep keeps of the forward sweep, as a table with bytes in the sizes of the arguments.

        What is not in the table is at hand in the reverse sweep, read again, or computed again. Then, for each loop:
        whether it is reversed in place and whether it runs in lanes or in threads, and if not, what forbids it.
        """
        from srcgrad.analysis.written import written_parameters
        from srcgrad.api.explain import explain
        from srcgrad.api.loops import loop_lines
        from srcgrad.watch import watching

        steps: list[tuple[str, Function]] = []
        with watching(lambda step, function: steps.append((step, function))):
            program = self._table.for_values(self._table.bound(args, kwargs), self._table.program)
        at = next(k for k, (step, _) in enumerate(steps) if step == "recall")
        written = () if self._table.options.mutates else sorted(written_parameters(program.lowered.function))
        copied = [repr(program.lowered.function.parameters[k].name) for k in written]
        loops = loop_lines(steps, self._table.options)
        return explain(f"The gradient of {self._parameters.name}()", steps[at - 1][1], steps[at][1], copied, loops)
