"""One program with arguments to run it at, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A function, and a maker of fresh arguments at which it is smooth; ``jitted`` in the default suite as well."""

    function: Function
    arguments: Callable[[], tuple[Any, ...]]
    jitted: bool
    rtol: float

    @property
    def name(self) -> str:
        return str(self.function.__name__)


PROGRAMS: list[Program] = []


def program(
    arguments: Callable[[], tuple[Any, ...]], *, jitted: bool = False, rtol: float = 1e-6
) -> Callable[[Function], Function]:
    """Add a row; the function itself stays as it is."""

    def add(function: Function) -> Function:
        PROGRAMS.append(Program(function, arguments, jitted, rtol))
        return function

    return add
