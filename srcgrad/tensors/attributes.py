"""What a tensor shows of itself beside its values: its size, its device, and what made it."""

from __future__ import annotations

import numpy as np

from srcgrad.tensors.graph import Node


class Size(tuple[int, ...]):
    """A shape; ``numel`` counts the elements."""

    def numel(self) -> int:
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"srcgrad.Size({list(self)})"


class Device:
    """Where tensors are: always the CPU."""

    def __init__(self, name: object = "cpu", index: int | None = None) -> None:
        if str(name).partition(":")[0] != "cpu":
            raise RuntimeError(f"srcgrad computes on the CPU only, got device {name!r}")
        self.type = "cpu"
        self.index = index

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return str(other) == "cpu"

    def __hash__(self) -> int:
        return hash("cpu")


class GradFn:
    """What made a tensor, as ``grad_fn`` shows it."""

    def __init__(self, node: Node) -> None:
        assert node.form is not None
        self._node = node

    def name(self) -> str:
        assert self._node.form is not None
        shown = self._node.inputs[0].form if self._node.form.name == "Item" else self._node.form
        assert shown is not None
        return shown.name if shown.name == "CopySlices" else f"{shown.name}Backward0"

    @property
    def next_functions(self) -> tuple[tuple[GradFn | None, int], ...]:
        """Of the operands that need a gradient; None for a leaf."""
        return tuple((GradFn(n) if n.form else None, 0) for n in self._node.inputs if n.needs_grad)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self._node):#x}>"
