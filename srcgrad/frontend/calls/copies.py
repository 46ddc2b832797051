"""How much of the program is copies of one function, lowered where it is called.

Fifty calls of a function of two hundred ops are ten thousand ops, which take minutes to compile: from some size on,
further calls are calls of one function. What is lowered several times in one place, as the body of a loop is until its
types agree, counts once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.frontend.boundary.structure import Structure

SEVERAL = 4
MANY_OPS = 1500


@dataclass(eq=False)
class Copies:
    """The copies of a function for arguments of one structure.

    ``sizes`` has the ops of each by the way there, the locations of the calls; with ``stay`` the function must be
    lowered in place.
    """

    identity: object
    parameters: dict[str, Structure]
    sizes: dict[object, int] = field(default_factory=dict)
    stay: bool = False

    def are_many(self) -> bool:
        return len(self.sizes) >= SEVERAL and sum(self.sizes.values()) > MANY_OPS


def copies_of(known: list[Copies], identity: object, parameters: dict[str, Structure]) -> Copies:
    """The record of a function, made when it is first called."""
    for copies in known:
        if copies.identity == identity and copies.parameters == parameters:
            return copies
    known.append(Copies(identity, parameters))
    return known[-1]
