"""Modules and parameters in sequences."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.nn.module import Module, Parameter
from srcgrad.tensors.tensor import Tensor


class Sequential(Module):
    """Modules one after the other, given as arguments or as one ordered dict.

    Examples
    --------
    >>> srcgrad.nn.Sequential(srcgrad.nn.Linear(2, 3), srcgrad.nn.Tanh())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): Tanh()
    )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], OrderedDict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self.children():
            input = module(input)
        return input

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, key: Any) -> Any:
        modules = list(self.children())[key]
        return Sequential(*modules) if isinstance(key, slice) else modules

    def append(self, module: Module) -> Sequential:
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Module):
    """A list of modules, whose parameters are found."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> ModuleList:
        self.add_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, key: int) -> Module:
        return list(self.children())[key]


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Tensor] = ()) -> None:
        super().__init__()
        for k, value in enumerate(values):
            self.register_parameter(str(k), value if isinstance(value, Parameter) else Parameter(value))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def __getitem__(self, key: int) -> Parameter:
        return list(self._parameters.values())[key]  # type: ignore[no-any-return]  # a parameter
