"""Copies that happen at once, as the fewest assignments: in an order where one suffices, as a tuple where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# A target, the text it is given, and the names that text reads.
Move = tuple[str, str, frozenset[str]]


def in_order(moves: Sequence[Move]) -> Iterator[Sequence[Move]]:
    """Groups of moves; those of a group happen at once, the groups one after the other.

    A move must come before any move that writes what it reads; moves that wait for each other form a group.
    """
    pending = list(moves)
    while pending:
        ready = [m for m in pending if not _waiting(m, pending)]
        if ready:
            yield from ([m] for m in ready[:1])
            pending.remove(ready[0])
            continue
        group = _smallest_cycle(pending)
        yield group
        pending = [m for m in pending if m not in group]


def _waiting(move: Move, pending: Sequence[Move]) -> list[Move]:
    """The moves that still read what this one overwrites."""
    return [m for m in pending if m is not move and move[0] in m[2]]


def _smallest_cycle(pending: Sequence[Move]) -> list[Move]:
    """The smallest set of moves that is closed under waiting."""
    closures = []
    for move in pending:
        closure = [move]
        for member in closure:
            closure += [m for m in _waiting(member, pending) if m not in closure]
        closures.append(closure)
    smallest = min(closures, key=len)
    return [m for m in pending if m in smallest]
