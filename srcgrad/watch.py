"""Watching the compiler work: a callback sees the program after every step.

All printing, timing and verifying is done by such callbacks; a step knows none of them.
"""

from __future__ import annotations

import difflib
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from srcgrad import settings
from srcgrad.ir.core import Function

Watcher = Callable[[str, Function], None]

_watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Show every step of every compilation inside the ``with`` to ``watcher(step_name, function)``."""
    token = _watchers.set((*_watchers.get(), watcher))
    try:
        yield
    finally:
        _watchers.reset(token)


def anyone() -> bool:
    """Whether anyone watches."""
    return bool(_watchers.get() or settings.time_steps() or settings.steps_to_print())


@contextmanager
def announcing() -> Iterator[Watcher]:
    """One compilation: yields what its steps call, which passes the news on to everyone who watches."""
    watchers = (*_from_environment(), *_watchers.get())

    def announce(step: str, function: Function) -> None:
        for watcher in watchers:
            watcher(step, function)

    yield announce


@contextmanager
def timed(name: str, stage: str) -> Iterator[None]:
    """What is not a step on IR: its cost is printed like that of a step."""
    start = time.perf_counter()
    yield
    if settings.time_steps():
        print_time(name, stage, time.perf_counter() - start)


def print_time(name: str, step: str, seconds: float) -> None:
    """A line of ``SRCGRAD_TIME=1``."""
    print(f"{name}: {step:<20} {seconds * 1e3:8.2f} ms", file=sys.stderr)


def _from_environment() -> Iterator[Watcher]:
    # The timer comes first, so that printing is not timed.
    if settings.time_steps():
        yield _Timer()
    wanted = _wanted()
    if "diff" in wanted:
        yield _Differ()
    elif wanted:
        yield _Printer(wanted)


def warn_of_unknown_steps(known: Collection[str]) -> None:
    """Say which steps there are, where others are asked for: those would print nothing."""
    unknown = _wanted() - {"diff", *known}
    if unknown:
        names = ", ".join(sorted(unknown))
        warnings.warn(f"SRCGRAD_PRINT: no step is called {names}; it takes diff or {', '.join(known)}", stacklevel=2)


def _wanted() -> frozenset[str]:
    return frozenset(part.strip() for part in settings.steps_to_print().split(",") if part.strip())


@dataclass
class _Timer:
    last: float = field(default_factory=time.perf_counter)

    def __call__(self, step: str, function: Function) -> None:
        print_time(function.name, step, time.perf_counter() - self.last)
        self.last = time.perf_counter()


@dataclass(frozen=True)
class _Printer:
    steps: frozenset[str]

    def __call__(self, step: str, function: Function) -> None:
        if step in self.steps:
            from srcgrad.ir.text import to_text

            print(f"# after {step}\n{to_text(function)}", file=sys.stderr)


@dataclass
class _Differ:
    before: list[str] = field(default_factory=list)

    def __call__(self, step: str, function: Function) -> None:
        from srcgrad.ir.text import to_text

        after = to_text(function).splitlines()
        lines = list(difflib.unified_diff(self.before, after, "before", step, lineterm=""))
        print("\n".join(lines) if lines else f"# {step}: no change", file=sys.stderr)
        self.before = after
