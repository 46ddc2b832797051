"""The user's line as a comment over the statements that come from it."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import dataclass

from srcgrad.ir.core import Location

INDENT = "    "


@dataclass(frozen=True)
class Line:
    depth: int
    text: str
    location: Location | None


def with_comments(lines: Sequence[Line]) -> str:
    """The text, a comment over each group of statements unless it would only repeat them."""
    out: list[str] = []
    for line in lines:
        out.append(INDENT * line.depth + line.text)
    return "\n".join(out) + "\n"


def user_line(location: Location) -> str:
    return linecache.getline(location.file, location.line).strip()
