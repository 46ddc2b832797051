"""The whole compiler on one page: which steps make a program, in which order.

A step is ``Function -> Function``; its name is what one prints, times or stops after (``watch`` does all that).
The order is the one that the rules of reverse mode need: common loads are shared before reversal, so that a value
is not kept twice, and contributions that nobody uses are pruned before ``recall`` decides what to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce, wraps

from srcgrad import library  # fills the registry that the front end reads
from srcgrad.differentiate import forward, pullbacks
from srcgrad.differentiate.all_directions import all_cotangents, all_directions
from srcgrad.differentiate.checkpoints.budgets import set_budgets
from srcgrad.differentiate.choose_again import choose_again
from srcgrad.differentiate.fuse import fuse_values
from srcgrad.differentiate.recall import recall
from srcgrad.differentiate.regions import drop_repeated_checks
from srcgrad.differentiate.reuse import reuse
from srcgrad.differentiate.split import Halves, split
from srcgrad.frontend.boundary.structure import Structure
from srcgrad.frontend.lower import Lowered
from srcgrad.frontend.lower import lower as lower_function
from srcgrad.ir.core import Function
from srcgrad.ir.rewrite import map_functions
from srcgrad.optimize.add_carried_last import add_carried_last
from srcgrad.optimize.adopt_shadows import adopt_shadows
from srcgrad.optimize.carry_elements import carry_elements
from srcgrad.optimize.carry_in_buffers import carry_in_buffers
from srcgrad.optimize.carry_sums import carry_sums
from srcgrad.optimize.check_finite import check_finite
from srcgrad.optimize.clamp_extents import clamp_extents
from srcgrad.optimize.collect_terms import collect_terms
from srcgrad.optimize.copy_arguments import copy_arguments
from srcgrad.optimize.copy_columns import copy_columns
from srcgrad.optimize.count_while import count_while
from srcgrad.optimize.decide_comparisons import decide_comparisons
from srcgrad.optimize.fold_constants import fold_constants
from srcgrad.optimize.forward_sums import forward_sums
from srcgrad.optimize.fuse_temporaries import fuse_temporaries
from srcgrad.optimize.hide_rows import hide_rows
from srcgrad.optimize.hoist_allocations import hoist_allocations
from srcgrad.optimize.hoist_checks import hoist_checks
from srcgrad.optimize.hoist_invariants import hoist_invariants
from srcgrad.optimize.hold_in_numbers import hold_in_numbers
from srcgrad.optimize.limit_storage import limit_storage
from srcgrad.optimize.look_through_views import look_through_views
from srcgrad.optimize.privatize import privatize
from srcgrad.optimize.prove_indices import prove_indices
from srcgrad.optimize.relabel_shadows import relabel_shadows
from srcgrad.optimize.remove_dead import remove_dead
from srcgrad.optimize.remove_dead_stores import remove_dead_stores
from srcgrad.optimize.resolve_extents import resolve_extents
from srcgrad.optimize.run_along_diagonals import run_along_diagonals
from srcgrad.optimize.run_forwards import run_forwards
from srcgrad.optimize.run_in_lanes import run_in_lanes
from srcgrad.optimize.run_in_threads import run_in_threads
from srcgrad.optimize.run_row_by_row import run_row_by_row
from srcgrad.optimize.run_together import run_together
from srcgrad.optimize.share_common import share_common
from srcgrad.optimize.shorten_recurrences import shorten_recurrences
from srcgrad.optimize.simplify_loops import simplify_loops
from srcgrad.optimize.sink_into_branches import sink_into_branches
from srcgrad.optimize.skip_rows import skip_rows
from srcgrad.optimize.spread_factors import spread_factors
from srcgrad.optimize.store_first import store_first, store_part_first
from srcgrad.optimize.trust_indices import trust_indices
from srcgrad.optimize.unify_extents import unify_extents
from srcgrad.optimize.unroll_for_lanes import unroll_for_lanes
from srcgrad.optimize.unroll_short import unroll_short
from srcgrad.optimize.write_out_products import write_out_products, write_out_thin_products
from srcgrad.settings import Options
from srcgrad.watch import announcing, warn_of_unknown_steps

Pass = Callable[[Function], Function]


@dataclass(frozen=True)
class Step:
    """A step on the whole program, its callees among it."""

    name: str
    run: Pass


def each(*passes: Pass, name: str = "") -> tuple[Step, ...]:
    """Steps that treat one function at a time."""
    return tuple(Step(name or run.__name__, partial(map_functions, step=run)) for run in passes)


def followed(first: Pass, *then: Pass) -> Pass:
    """A pass, and after it others where it has changed anything."""

    @wraps(first)
    def both(function: Function) -> Function:
        changed = first(function)
        return changed if changed is function else reduce(lambda current, run: run(current), then, changed)

    return both


# On the primal, before it is differentiated: what reverse mode need not keep, it should not see.
PREPARE = each(
    fold_constants,
    # Extents, elements and arrays have one name each, so that what is equal is seen to be.
    resolve_extents,
    look_through_views,
    share_common,
    unify_extents,
    # What is carried keeps the extents that were found to be equal, which may then be found equal to others.
    resolve_extents,
    unify_extents,
    write_out_products,
    # Loops are counted where they can be, which proves indices, and what is proved is a constant.
    count_while,
    simplify_loops,
    decide_comparisons,
    prove_indices,
    fold_constants,
    share_common,
    fold_constants,
    # What stays the same is not computed, nor checked, in each iteration.
    hoist_invariants,
    hoist_checks,
    unify_extents,
    resolve_extents,
)
# Then, of what is compiled where sums may be reordered, as for `LANES`: statements about all rows are one loop over the
# rows, which may run in lanes; also products of matrices.
ROWS = each(
    # An index that is only counted, as `np.arange(n)` in `x[np.arange(n), y]`, is seen to be the row's.
    fuse_temporaries,
    prove_indices,
    fold_constants,
    remove_dead,
    followed(run_row_by_row, resolve_extents, look_through_views, share_common, hoist_invariants, remove_dead),
)
# Then what is in memory is small, or a number.
CONTRACT = each(
    # Small arrays that are new in each iteration are one place in memory.
    carry_in_buffers,
    share_common,
    # Numbers take the place of small arrays, so that they are recomputed and not stored.
    fuse_temporaries,
    privatize,
    unroll_short,
    fold_constants,
    share_common,
    remove_dead,
)
# Where there are many directions: each row of a product with a small matrix is a matrix itself.
THIN = each(followed(write_out_thin_products, unroll_short, fold_constants, share_common))
# Where it is differentiated: a running minimum keeps the place, and not the history of what it chose.
CHOICES = each(choose_again)
# After reversal: forward values are named out of scope until recall brings them back.
APART = (*each(remove_dead, name="prune"), *each(drop_repeated_checks, remove_dead, reuse, recall))
# Where value and gradient are asked for together, their loops may be one.
RECALL = (*each(fuse_values), *APART)
# On what is to be emitted.
IMPROVE = each(
    # As before: differentiation has made new extents, views and indices.
    resolve_extents,
    look_through_views,
    fold_constants,
    share_common,
    decide_comparisons,
    prove_indices,
    fold_constants,
    simplify_loops,
    # What only one branch needs is computed there; loops count up where they may.
    sink_into_branches,
    run_forwards,
    # What nobody reads again is not written; a shadow that is only emptied into another is that one.
    remove_dead_stores,
    forward_sums,
    hoist_invariants,
    share_common,
)
# Where `parallel` asks for it, before lanes: these then run in each chunk.
THREADS = (Step(run_in_threads.__name__, run_in_threads),)
# What Numba compiles where sums may be reordered; readers are shown the loops as they were.
LANES = each(
    # What is added several times is multiplied; what that leaves unused need not go through the steps behind it.
    collect_terms,
    remove_dead,
    # Independent iterations side by side, with inner loops unrolled for that first.
    unroll_for_lanes,
    run_in_lanes,
    skip_rows,
    # Tables of which an element is made of earlier ones.
    followed(run_along_diagonals, fold_constants, hoist_invariants, share_common),
    # Pairs of points: coordinates in columns, sums in registers.
    copy_columns,
    carry_sums,
    # Stencils and recurrences: what an iteration hands on is a number, and the next waits for little of it.
    carry_elements,
    shorten_recurrences,
    add_carried_last,
    spread_factors,
    # Small arrays that an iteration fills and empties.
    hold_in_numbers,
    # Rows of one array, which LLVM would take to overlap.
    hide_rows,
    # What these steps have left in loops, or made twice.
    hoist_invariants,
    share_common,
)
# Allocations leave loops, a shadow that ends as the copy of another is that one. Storing comes behind the others, which
# take it that a shadow is filled with zeros.
TIDY = each(hoist_allocations, remove_dead, relabel_shadows, adopt_shadows, store_first, remove_dead)
# Where lanes are: the same for loops that leave out elements, in more lines than a reader should see.
# Then loops are one where the second reads what the first has just stored.
LAST = each(store_part_first, run_together)
# All names there are, in order, for who asks to see what a step makes.
STEPS = tuple(
    dict.fromkeys(
        (
            "lower",
            trust_indices.__name__,
            *(step.name for step in (*PREPARE, *ROWS, *CONTRACT)),
            set_budgets.__name__,
            *(step.name for step in (*THIN, *CHOICES)),
            "reverse",
            "forward",
            all_directions.__name__,
            all_cotangents.__name__,
            *(step.name for step in RECALL),
            copy_arguments.__name__,
            *(step.name for step in (*IMPROVE, *THREADS, *LANES, *TIDY, *LAST)),
            clamp_extents.__name__,
            check_finite.__name__,
            "drop_value",
            limit_storage.__name__,
        )
    )
)


def lower(function: Callable[..., object], arguments: tuple[Structure, ...]) -> Lowered:
    """The IR of a Python function for arguments of these structures."""
    library.load_special()
    warn_of_unknown_steps(STEPS)
    with announcing() as announce:
        lowered = lower_function(function, arguments)
        announce("lower", lowered.function)
    return lowered


def primal(function: Function, options: Options) -> Function:
    """The function itself."""
    return run(function, (*preparing(options), *finishing(options)))


def gradient(function: Function, wrt: Sequence[int], with_value: bool, options: Options) -> Function:
    """``(value?, *further results, *gradients)`` of the first result, a real scalar."""
    # The check is of all that the function computes, also of what the gradient alone would do without.
    checks_value = options.check_nan and not with_value
    differentiate = Step("reverse", partial(pullbacks.gradient, wrt=wrt, with_value=with_value or checks_value))
    dropping = (Step("drop_value", drop_value),) if checks_value else ()
    limit = options.storage_limit
    limiting = () if limit is None else (Step(limit_storage.__name__, partial(limit_storage, budget=limit)),)
    last = (*finishing(options), *dropping, *limiting)
    return run(function, (*preparing(options), *CHOICES, differentiate, *RECALL, *last))


def drop_value(function: Function) -> Function:
    """The same computation without its first result."""
    return replace(function, body=replace(function.body, yields=function.results[1:]))


def tangents(function: Function, wrt: Sequence[int], options: Options) -> Function:
    """``(*results, *tangents)`` from ``(*primals, *tangents)``."""
    differentiate = Step("forward", partial(forward.forward, wrt=wrt))
    return run(function, (*preparing(options), *CHOICES, differentiate, *finishing(options)))


def columns(function: Function, position: int, options: Options) -> Function:
    """The Jacobian of the only result by the array parameter at ``position``, direction by direction in one loop."""
    # Of the function alone: what its callees write to is their caller's business.
    copying = () if options.mutates else (Step(copy_arguments.__name__, copy_arguments),)
    prepared = run(function, preparing(options))
    value = run(prepared, copying)
    differentiate = Step("forward", partial(forward.forward, wrt=(position,)))
    looping = Step(all_directions.__name__, partial(all_directions, value=value, position=position))
    steps = (*THIN, differentiate, *each(remove_dead), *copying, looping)
    return run(prepared, (*steps, *finishing(options)))


def rows(function: Function, position: int, options: Options) -> Function:
    """The Jacobian of the only result, an array, by the array parameter at ``position``, row by row in one loop."""
    copying = () if options.mutates else (Step(copy_arguments.__name__, copy_arguments),)
    prepared = run(function, preparing(options))
    value = run(prepared, copying)
    differentiate = Step("reverse", partial(pullbacks.pullback, wrt=(position,)))
    looping = Step(all_cotangents.__name__, partial(all_cotangents, value=value, position=position))
    return run(prepared, (*CHOICES, differentiate, *RECALL, *copying, looping, *finishing(options)))


def pullback(function: Function, wrt: Sequence[int], options: Options) -> Function:
    """The gradients from ``(*primals, *cotangents)``, one cotangent per floating result."""
    differentiate = Step("reverse", partial(pullbacks.pullback, wrt=wrt))
    return run(function, (*preparing(options), *CHOICES, differentiate, *RECALL, *finishing(options)))


def halves(function: Function, wrt: Sequence[int], options: Options) -> Halves:
    """The forward sweep with the values it keeps, and the pullback that takes them.

    Where the pullback cannot be cut off, nothing is kept and it runs the forward sweep again.
    """
    differentiate = Step("reverse", partial(pullbacks.value_and_pullback, wrt=wrt))
    whole = run(function, (*preparing(options), *CHOICES, differentiate, *APART, *finishing(options)))
    cut = split(whole, len(function.parameters), len(function.results))
    if cut is None:
        return Halves(primal(function, options), pullback(function, wrt, options), ())
    return Halves(run(cut.forward, each(remove_dead)), run(cut.backward, each(remove_dead)), cut.kept)


def preparing(options: Options) -> tuple[Step, ...]:
    """What comes before differentiation."""
    trusting = () if options.boundscheck else each(trust_indices)
    budgets = partial(set_budgets, default=options.budget, everywhere=options.checkpoints_everywhere)
    rows = ROWS if options.reorders else ()
    return (*trusting, *PREPARE, *rows, *CONTRACT, *each(budgets, name=set_budgets.__name__))


def finishing(options: Options) -> tuple[Step, ...]:
    """From a correct program to the one that is emitted."""
    # A derivative leaves the caller's arguments as they are, unless told otherwise.
    copying = () if options.mutates else (Step("copy_arguments", copy_arguments),)
    checking = each(check_finite) if options.check_nan else ()
    threads = THREADS if options.threads else ()
    lanes, last = (LANES, LAST) if options.reorders else ((), ())
    return (*copying, *IMPROVE, *threads, *lanes, *TIDY, *last, *each(clamp_extents), *checking)


def run(function: Function, steps: Sequence[Step]) -> Function:
    with announcing() as announce:
        for step in steps:
            function = step.run(function)
            announce(step.name, function)
    return function
