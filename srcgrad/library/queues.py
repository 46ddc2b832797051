"""Python's ``collections.deque`` and ``defaultdict``, the functions of ``heapq``, and ``bin`` where ones are counted.

They are written in srcgrad's own language, as what a program makes when it calls them.
"""

from __future__ import annotations

import collections
import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import FrontValue
from srcgrad.library.keyed import Key, RunTimeDict

Items = list[Any]  # numbers, or tuples that begin with one


def stands_for(function: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Calls of ``function`` are calls of a Python function in its place; lists are handed on as they are."""

    def add(written: Callable[..., Any]) -> Callable[..., Any]:
        def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
            return call_object(lowering, written, arguments, keywords)

        FUNCTIONS[function] = handler
        return written

    return add


class Queue:
    """A list that is added to and taken from at both ends; with ``maxlen`` the far end falls off."""

    def __init__(self, items: Iterable[Any], maxlen: int | None) -> None:
        self.held: Items = []
        self.maxlen = maxlen
        for item in items:
            self.append(item)

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)

    def __getitem__(self, k: int) -> Any:
        return self.held[k]

    def __setitem__(self, k: int, item: Any) -> None:
        self.held[k] = item

    def append(self, item: Any) -> None:
        self.held.append(item)
        if self.maxlen is not None and len(self.held) > self.maxlen:
            self.held.pop(0)

    def appendleft(self, item: Any) -> None:
        self.held.insert(0, item)
        if self.maxlen is not None and len(self.held) > self.maxlen:
            self.held.pop()

    def extend(self, items: Iterable[Any]) -> None:
        for item in items:
            self.append(item)

    def extendleft(self, items: Iterable[Any]) -> None:
        for item in items:
            self.appendleft(item)

    def pop(self) -> Any:
        if len(self.held) == 0:
            raise IndexError("pop from an empty deque")
        return self.held.pop()

    def popleft(self) -> Any:
        if len(self.held) == 0:
            raise IndexError("pop from an empty deque")
        return self.held.pop(0)

    def rotate(self, n: int = 1) -> None:
        for _ in range(n):
            self.held.insert(0, self.held.pop())
        for _ in range(-n):
            self.held.append(self.held.pop(0))

    def clear(self) -> None:
        self.held.clear()


@stands_for(collections.deque)
def deque(iterable: Iterable[Any] = (), maxlen: int | None = None) -> Queue:
    return Queue(iterable, maxlen)


class DefaultDict(RunTimeDict):
    """A dict that makes the entries which are missing."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.known: list[Key] = []
        self.held: list[Any] = []
        self.factory = factory

    def __getitem__(self, key: Key) -> Any:
        at = self.place(key)
        if at < 0:
            at = len(self.known)
            self.known.append(key)
            self.held.append(self.factory())
        return self.held[at]


@stands_for(collections.defaultdict)
def defaultdict(default_factory: Callable[[], Any]) -> DefaultDict:
    return DefaultDict(default_factory)


@stands_for(heapq.heappush)
def heappush(heap: Items, item: Any) -> None:
    heap.append(item)
    rise(heap, len(heap) - 1)


@stands_for(heapq.heappop)
def heappop(heap: Items) -> Any:
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    sink(heap, 0)
    return first


@stands_for(heapq.heapreplace)
def heapreplace(heap: Items, item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    sink(heap, 0)
    return first


@stands_for(heapq.heappushpop)
def heappushpop(heap: Items, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


@stands_for(heapq.heapify)
def heapify(heap: Items) -> None:
    for k in range(len(heap) // 2):
        sink(heap, len(heap) // 2 - 1 - k)


def rise(heap: Items, at: int) -> None:
    while at > 0 and heap[at] < heap[(at - 1) // 2]:
        above = (at - 1) // 2
        heap[at], heap[above] = heap[above], heap[at]
        at = above


def sink(heap: Items, at: int) -> None:
    """Between two equal children Python's own takes the right one, and sinks to the bottom first: the order of items
    that are not equal is the same."""
    going = True
    while going:
        least = 2 * at + 1
        if least + 1 < len(heap) and not heap[least] < heap[least + 1]:
            least += 1
        going = least < len(heap) and heap[least] < heap[at]
        if going:
            heap[at], heap[least] = heap[least], heap[at]
            at = least


@stands_for(heapq.nsmallest)
def nsmallest(n: int, iterable: Iterable[Any]) -> Items:
    return sorted(iterable)[:n]


@stands_for(heapq.nlargest)
def nlargest(n: int, iterable: Iterable[Any]) -> Items:
    return sorted(iterable, reverse=True)[:n]


class BinaryDigits:
    """What ``bin(n)`` gives, to be counted."""

    def __init__(self, n: int) -> None:
        self.n = n

    def count(self, digit: str) -> int:
        if digit != "1":
            refuse("a digit of bin() that is counted", "Count the ones.")
        rest, ones = abs(self.n), 0
        while rest > 0:
            rest &= rest - 1
            ones += 1
        return ones


@stands_for(bin)
def binary_digits(n: int) -> BinaryDigits:
    return BinaryDigits(n)


@stands_for(int.bit_count)
def bit_count(n: int) -> int:
    return BinaryDigits(n).count("1")
