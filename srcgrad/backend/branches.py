"""Branches in their shortest form: no empty side, ``elif`` for a branch inside ``else``, conditional expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from srcgrad.backend.comments import Line

ASSIGNMENT = re.compile(r"(\w+) = (.+)")
LONGEST = 88


def shortest_branch(head: Line, then: Sequence[Line], otherwise: Sequence[Line], negated: str) -> list[Line]:
    """The lines of a branch, given its ``if`` line, its sides and its condition denied."""
    if _empty(otherwise):
        return [head, *then]
    if _empty(then):
        return [replace(head, text=f"if {negated}:"), *otherwise]
    both = _conditional_expression(head, then, otherwise)
    if both is not None:
        return [both]
    if _is_one_branch(otherwise):
        return [head, *then, *_as_elif(otherwise)]
    return [head, *then, replace(head, text="else:"), *otherwise]


def _empty(side: Sequence[Line]) -> bool:
    return [line.text for line in side] == ["pass"]


def _conditional_expression(head: Line, then: Sequence[Line], otherwise: Sequence[Line]) -> Line | None:
    """``x = a if c else b`` where each side only assigns ``x``."""
    if len(then) != 1 or len(otherwise) != 1:
        return None
    first, second = ASSIGNMENT.fullmatch(then[0].text), ASSIGNMENT.fullmatch(otherwise[0].text)
    if first is None or second is None or first[1] != second[1]:
        return None
    condition = head.text.removeprefix("if ").removesuffix(":")
    text = f"{first[1]} = {first[2]} if {condition} else {second[2]}"
    if " if " in condition + first[2] or len(text) > LONGEST:
        return None
    return replace(head, text=text)


def _is_one_branch(side: Sequence[Line]) -> bool:
    """Does the side consist of one ``if`` with its ``elif`` and ``else``?"""
    outer = [line for line in side if line.depth == side[0].depth]
    starts = [line.text.split()[0].rstrip(":") for line in outer]
    return starts[0] == "if" and all(start in ("elif", "else") for start in starts[1:])


def _as_elif(side: Sequence[Line]) -> list[Line]:
    lines = [replace(line, depth=line.depth - 1) for line in side]
    return [replace(lines[0], text="el" + lines[0].text), *lines[1:]]
