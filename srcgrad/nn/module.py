"""Modules: layers that hold parameters, and other modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from srcgrad.tensors.graph import given
from srcgrad.tensors.tensor import Cell, Tensor


class Parameter(Tensor):
    """A tensor that a module trains: a leaf that requires a gradient."""

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        value = np.zeros(0) if data is None else data.detach().array()
        self._cell = Cell(given(value, self if requires_grad else None))


class Module:
    """A layer: subclasses register parameters and modules by assigning them, and define ``forward``.

    Examples
    --------
    >>> class Line(srcgrad.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = srcgrad.nn.Parameter(srcgrad.ones(1))
    ...
    ...     def forward(self, x):
    ...         return self.slope * x
    >>> [name for name, _ in Line().named_parameters()]
    ['slope']
    """

    training: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", OrderedDict())
        object.__setattr__(self, "_buffers", OrderedDict())
        object.__setattr__(self, "_modules", OrderedDict())
        object.__setattr__(self, "training", True)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    # -- what it holds ------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameters before Module.__init__() call")
        for table in (self._parameters, self._modules, self._buffers):
            if name in table and not (table is self._buffers and isinstance(value, Tensor)):
                del table[name]
        if isinstance(value, Parameter | Module):
            self.__dict__.pop(name, None)  # or it would hide what is registered
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        elif name in self._buffers:
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(table, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None) -> None:
        """Keep a tensor that is saved but not trained."""
        self._buffers[name] = tensor

    def add_module(self, name: str, module: Module | None) -> None:
        self._modules[name] = module

    def children(self) -> Iterator[Module]:
        return iter([m for m in self._modules.values() if m is not None])

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """The module itself and all within, with their paths."""
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        return (module for _, module in self.named_modules())

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths, each once."""
        seen: set[int] = set()
        for path, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for name, parameter in module._parameters.items():
                if parameter is not None and id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield (f"{path}.{name}" if path else name), parameter

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def buffers(self) -> Iterator[Tensor]:
        return (b for m in self.modules() for b in m._buffers.values() if b is not None)

    # -- training -----------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set whether dropout and the like are active."""
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> Self:
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to zero."""
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.zero_()

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call a function on all modules, inner ones first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """With parameters of another dtype; the only device is the CPU."""
        for module in self.modules():
            for parameter in module._parameters.values():
                if parameter is not None:
                    value = parameter.detach().to(*args, **kwargs)
                    parameter._cell = Cell(given(value.array(), parameter if parameter.requires_grad else None))
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.is_floating_point():
                    module._buffers[name] = buffer.to(*args, **kwargs)
        return self

    def double(self) -> Self:
        return self.to(np.float64)

    def float(self) -> Self:
        return self.to(np.float32)

    # -- saving -------------------------------------------------------------------------------------------

    def state_dict(self, prefix: str = "") -> OrderedDict[str, Tensor]:
        """Parameters and buffers by their paths; the tensors share memory with the module's."""
        found: OrderedDict[str, Tensor] = OrderedDict()
        for path, module in self.named_modules(prefix.rstrip(".")):
            for table in (module._parameters, module._buffers):
                for name, tensor in table.items():
                    if tensor is not None:
                        found[f"{path}.{name}" if path else name] = tensor.detach()
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> None:
        """Take over values by their paths.

        Raises
        ------
        RuntimeError
            If paths are missing or unknown, unless ``strict`` is False, or shapes differ.
        """
        own = self.state_dict()
        missing, unknown = [k for k in own if k not in state_dict], [k for k in state_dict if k not in own]
        problems = []
        if strict and unknown:
            problems.append(f"Unexpected key(s) in state_dict: {', '.join(map(repr, unknown))}. ")
        if strict and missing:
            problems.append(f"Missing key(s) in state_dict: {', '.join(map(repr, missing))}. ")
        for key, tensor in own.items():
            if key in state_dict and tuple(state_dict[key].shape) != tuple(tensor.shape):
                problems.append(
                    f"size mismatch for {key}: copying a param with shape {state_dict[key].shape} from checkpoint, the "
                    f"shape in current model is {tensor.shape}."
                )
        if problems:
            lines = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        for key, tensor in own.items():
            if key in state_dict:
                value = state_dict[key]
                array = value.detach().array() if isinstance(value, Tensor) else np.asarray(value)
                tensor._root().set_value(array.astype(tensor.node.dtype))

    # -- shown --------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What the printed form says of the module itself."""
        return ""

    def __repr__(self) -> str:
        inner = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
            if module is not None
        ]
        if not inner:
            return f"{type(self).__name__}({self.extra_repr()})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(inner) + "\n)"
