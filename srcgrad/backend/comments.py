"""The user's line as a comment over the statements that come from it, and blank lines between sweeps."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from srcgrad.ir.core import Location

INDENT = "    "
HEADER = re.compile(r"(for|while|if|elif|else)\b")
SILENT = re.compile(r"(elif|else|raise|break|pass)\b|\"|\)")
OWN_FILES = str(Path(__file__).parents[1])


@dataclass(frozen=True)
class Line:
    depth: int
    text: str
    location: Location | None


def with_comments(lines: Sequence[Line]) -> str:
    """The text, with a comment over each group of statements unless it would only repeat them."""
    out: list[str] = []
    said: dict[int, str] = {}  # the user's line that stands over the statements of each depth
    for k, line in enumerate(lines):
        if k and _ends_sweep(lines, k):
            out.append("")
        said = {depth: user for depth, user in said.items() if depth <= line.depth}
        user = user_line(line.location)
        if user and user not in said.values() and not (HEADER.match(user) or SILENT.match(line.text)):
            if not _repeats(lines, k, user):
                out.append(f"{INDENT * line.depth}# {user}")
            said[line.depth] = user
        out.append(INDENT * line.depth + line.text)
    return "\n".join(out) + "\n"


def _ends_sweep(lines: Sequence[Line], k: int) -> bool:
    """Does a loop of the outermost level end before line ``k``?"""
    if lines[k].depth != 1 or lines[k - 1].depth == 1:
        return False
    head = next(line for line in reversed(lines[:k]) if line.depth == 1)
    return head.text.startswith(("for ", "while "))


def _repeats(lines: Sequence[Line], k: int, user: str) -> bool:
    """Is the group at line ``k`` one statement that reads as the user wrote it?"""
    group = [line for line in lines[k : k + 2] if user_line(line.location) == user]
    return len(group) == 1 and _bare(group[0].text) == _bare(user)


def _bare(text: str) -> str:
    """Without spaces, parentheses and remarks."""
    return re.sub(r"[\s()]", "", text.partition("  #")[0])


def user_line(location: Location | None) -> str:
    """The text of the user's line; nothing for rules and library functions of srcgrad's own."""
    if location is None or location.file.startswith(OWN_FILES):
        return ""
    return linecache.getline(location.file, location.line).strip().partition("  #")[0]
