"""Lists of numbers in memory: searched, sorted, items put in and taken out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.containers import list_memory
from srcgrad.primitives.library import library

Numbers = NDArray[np.floating]


@library(list_memory.first_place)
def first_place(values: Numbers, x: float) -> int:
    place = -1
    for i in range(values.shape[0]):
        if place < 0 and values[i] == x:
            place = i
    if place < 0:
        raise ValueError("the value is not in the list")
    return place


@library(list_memory.how_many)
def how_many(values: Numbers, x: float) -> int:
    count = 0
    for i in range(values.shape[0]):
        if values[i] == x:
            count += 1
    return count


@library(list_memory.move_last)
def move_last(memory: Numbers, place: int, length: int) -> None:
    """A place is counted from the right side and moved into the list as Python does."""
    before = length - 1
    k = max(place + before, 0) if place < 0 else min(place, before)
    last = memory[before]
    for i in range(before, k, -1):
        memory[i] = memory[i - 1]
    memory[k] = last


@library(list_memory.close_gap)
def close_gap(memory: Numbers, place: int, length: int) -> None:
    k = place + length if place < 0 else place
    for i in range(k, length - 1):
        memory[i] = memory[i + 1]


@library(list_memory.reverse_first)
def reverse_first(memory: Numbers, length: int) -> None:
    for i in range(length // 2):
        j = length - 1 - i
        memory[i], memory[j] = memory[j], memory[i]


@library(list_memory.sort_first)
def sort_first(memory: Numbers, length: int, reverse: bool) -> None:
    ordered = np.sort(memory[:length])
    for i in range(length):
        memory[i] = ordered[length - 1 - i] if reverse else ordered[i]
