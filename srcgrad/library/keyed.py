"""Dicts and sets whose keys are known at run time only: lists beside each other, searched from the first item on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from srcgrad.frontend.containers import keyed
from srcgrad.primitives.library import library

Key = int | float | tuple[int | float, ...]


class RunTimeDict:
    """A dict; entries keep the order in which they came, as in Python.

    Its keys are gone through by their places: entries may be given other values meanwhile, but none may be added.
    """

    def __init__(self) -> None:
        self.known: list[Key] = []
        self.held: list[float] = []

    def place(self, key: Key) -> int:
        for k in range(len(self.known)):
            if self.known[k] == key:
                return k
        return -1

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, key: Key) -> bool:
        return self.place(key) >= 0

    def __iter__(self) -> Iterator[Key]:
        return (self.known[k] for k in range(len(self.known)))

    def __getitem__(self, key: Key) -> float:
        at = self.place(key)
        if at < 0:
            raise KeyError(key)
        return self.held[at]

    def __setitem__(self, key: Key, value: float) -> None:
        at = self.place(key)
        if at < 0:
            self.known.append(key)
            self.held.append(value)
        else:
            self.held[at] = value

    def __delitem__(self, key: Key) -> None:
        at = self.place(key)
        if at < 0:
            raise KeyError(key)
        self.known.pop(at)
        self.held.pop(at)

    def get(self, key: Key, default: float | None = None) -> float | None:
        at = self.place(key)
        return default if at < 0 else self.held[at]

    def setdefault(self, key: Key, default: float) -> float:
        if self.place(key) < 0:
            self[key] = default
        return self[key]

    def pop(self, key: Key, *default: float) -> float:
        at = self.place(key)
        if at < 0:
            if default:
                return default[0]
            raise KeyError(key)
        self.known.pop(at)
        return self.held.pop(at)

    def clear(self) -> None:
        self.known.clear()
        self.held.clear()

    def copy(self) -> RunTimeDict:
        other = RunTimeDict()
        other.known, other.held = self.known.copy(), self.held.copy()
        return other

    def keys(self) -> list[Key]:
        return [self.known[k] for k in range(len(self.known))]

    def values(self) -> list[float]:
        return self.held

    def items(self) -> Iterable[tuple[Key, float]]:
        return ((self.known[k], self.held[k]) for k in range(len(self.known)))


class RunTimeSet:
    """A set of numbers, gone through in ascending order: CPython does so for small integers, and promises none."""

    def __init__(self) -> None:
        self.known: list[float] = []

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, value: float) -> bool:
        return value in self.known

    def __iter__(self) -> Iterator[float]:
        return iter(sorted(self.known))

    def add(self, value: float) -> None:
        if value not in self.known:
            self.known.append(value)

    def update(self, values: Iterable[float]) -> None:
        for value in values:
            self.add(value)

    def discard(self, value: float) -> None:
        if value in self.known:
            self.known.remove(value)

    def remove(self, value: float) -> None:
        if value not in self.known:
            raise KeyError(value)
        self.known.remove(value)

    def clear(self) -> None:
        self.known.clear()

    def union(self, other: Iterable[float]) -> RunTimeSet:
        both = RunTimeSet()
        both.update(self.known)
        both.update(other)
        return both

    def intersection(self, other: Iterable[float]) -> RunTimeSet:
        common = RunTimeSet()
        for value in other:
            if value in self.known:
                common.add(value)
        return common

    def difference(self, other: Iterable[float]) -> RunTimeSet:
        rest = RunTimeSet()
        rest.update(self.known)
        for value in other:
            rest.discard(value)
        return rest

    __or__, __and__, __sub__ = union, intersection, difference


@library(keyed.new_run_time_dict)
def new_run_time_dict() -> RunTimeDict:
    return RunTimeDict()


@library(keyed.new_run_time_set)
def new_run_time_set() -> RunTimeSet:
    return RunTimeSet()
