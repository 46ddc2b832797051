"""When to keep the state of a loop: sizes from a budget of memory, and the optimal schedule of recomputation.

A loop of ``trips`` iterations is cut into *units* of equal length. A unit is reversed with all it needs in memory;
*snapshots* are the states at the starts of some units. With ``slots`` snapshots for ``units`` units the least number
of units that have to be run again is that of Griewank and Walther, "Algorithm 799: Revolve" (2000). The functions
are Python, and also what generated programs run: each divisor is put as what cannot be 0, so that none is checked.
"""

from __future__ import annotations

IN_CACHE = 1_000_000  # bytes that a unit keeps, if it may: reading them back is then cheap
FEW = 8  # iterations of which a snapshot costs next to nothing
FEWEST_SLOTS = 8  # with fewer a long loop would take days: a budget that is too small costs memory instead


def first_advance(units: int, slots: int) -> int:
    """From a snapshot at the start of ``units`` units, how far to go before the next snapshot is taken.

    ``slots`` counts the snapshots that these units may have, that at the start among them. All the way, where there
    is no other.

    With ``b(s, r)`` units, the binomial coefficient of s + r over s, each is run again at most r times. For the r
    with ``b(s, r-1) < units <= b(s, r)`` the least total is convex and has slope r there, so that any split into a
    left part of ``b(s, r-2) .. b(s, r-1)`` units and a right one of ``b(s-1, r-1) .. b(s-1, r)`` is optimal.
    """
    if units < 2 or slots < 2:
        return units
    reached, before, repeats = 1, 1, 0
    while reached < units:
        before = reached
        repeats += 1
        reached = reached * (slots + repeats) // max(repeats, 1)
    least_right = before * slots // max(slots + repeats - 1, 1)
    return min(before, units - least_right)


def unit_length(trips: int, budget: int, state: int, step: int) -> int:
    """How many iterations make a unit, given the bytes of a state and those that one iteration keeps.

    As few as let every unit have its snapshot, but enough to fill a cache. Where not even several fit there, all
    of them, if the budget allows; where it is too small for a snapshot of every unit, half of it is for the unit.
    """
    step = max(step, 1)
    cached = IN_CACHE // step
    if trips <= 1 or (cached < FEW and trips * step + state <= budget):
        return max(1, trips)
    room = float(budget) * budget - 4.0 * step * state * trips
    if room < 0.0:
        return max(1, budget // (2 * step))
    root = int(room**0.5)
    fewest = (budget - root) // (2 * step) + 1
    most = (budget + root) // (2 * step)
    return max(1, min(max(fewest, cached), most, trips))


def units_of(trips: int, length: int) -> int:
    """How many units there are; the last may be shorter."""
    units = (trips + length - 1) // max(length, 1)
    return units


def slots_for(units: int, length: int, budget: int, state: int, step: int) -> int:
    """How many snapshots there is room for beside one unit: some at least, and none that nobody needs."""
    slots = max(1, min(units, max(FEWEST_SLOTS, (budget - length * step) // max(state, 1))))
    return slots


def iterations_in(advance: int, at: int, trips: int, length: int) -> int:
    """How many iterations there are in so many units from ``at`` on."""
    return min(advance * length, trips - at * length)
