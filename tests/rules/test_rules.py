"""The rules of reverse mode, each taken away: its program is right with the rule and wrong without.

A rule that can be wrong silently is one named predicate. Replacing it must change the number that its program gives,
or the program does not test the rule.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import differentiable
from oracle.dual_numpy import DualNumPy, value_and_gradients
from oracle.programs import relative_error

import srcgrad
from rules import programs

X = np.array([0.7, -0.4, 1.1, 0.5])
M = np.array([[0.2, 1.3, -0.6], [0.8, -0.3, 0.9]])
PLACES = np.array([2, 0, 2, 3])
LONG = np.linspace(-0.9, 1.1, 16)
EFFECTS = "srcgrad.analysis.effects"
STORES = "srcgrad.frontend.arrays.stores"
IN_PLACE = "srcgrad.differentiate.in_place"
FORWARD_SUMS = "srcgrad.optimize.forward_sums"
RULE = "srcgrad.differentiate.rules.Linker"
HANDED_ON = "srcgrad.analysis.handed_on"
STATE = "srcgrad.differentiate.checkpoints.state"
SHADOWS, TURNS = "srcgrad.differentiate.shadows", "srcgrad.differentiate.turns"
FUSE = "srcgrad.optimize.fuse_temporaries"


def never(*_: Any) -> bool:
    return False


def always(*_: Any) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """A rule's number and name, its program, and the predicate with what is put in its place."""

    name: str
    program: Callable[..., Any]
    args: tuple[Any, ...]
    predicate: str
    instead: Callable[..., Any]


RULES = [
    Rule("cleared_for_the_next", programs.halved, (X,), f"{SHADOWS}.is_filled", always),
    Rule("starts_with_its_own", programs.changed_while_new, (X,), f"{SHADOWS}.is_its_own", always),
    Rule("copies_what_it_leaves_alone", programs.changed_while_new, (X,), f"{TURNS}.may_copy", always),
    Rule("handed_on_by_the_chain_alone", programs.remembered, (X,), f"{TURNS}.stays_inside", always),
    Rule("kept_by_a_rule", programs.changed_after_its_rule_kept_it, (X,), f"{RULE}.unchanged", always),
    Rule("07_right_side_first", programs.shifted_onto_itself, (X,), f"{STORES}.unaffected", always),
    Rule("11_dead_store", programs.dead_store, (X,), "srcgrad.differentiate.reverse.clears_shadow", never),
    Rule("14_later_ops", programs.changed_after, (X,), f"{EFFECTS}.runs_later", never),
    Rule("14_next_iterations", programs.changed_by_next_iteration, (X,), f"{EFFECTS}.Effects.may_meet_later", never),
    Rule("14_old_changed_loop", programs.old_changed_loop, (X,), f"{EFFECTS}.born_later", always),
    Rule("14_one_instance", programs.changed_in_its_own_iteration, (X,), f"{EFFECTS}.distinct_instances", always),
    Rule("15_read_ahead", programs.read_ahead, (X,), f"{EFFECTS}.never_meets", always),
    Rule("15_bound_of_a_loop", programs.written_behind, (X,), f"{EFFECTS}.never_equal", always),
    Rule("15_bound_of_a_later_loop", programs.written_ahead, (X,), f"{EFFECTS}.grows_apart", always),
    Rule("15_reference_from_outside", programs.other_memory_each_time, (X,), f"{EFFECTS}.defined_outside", always),
    Rule("stored_then_changed", programs.stored_then_changed, (X,), f"{EFFECTS}.Effects.rereadable", always),
    Rule("stored_in_place", programs.stored_in_place_then_changed, (X,), f"{IN_PLACE}.InPlace._stays", always),
    Rule("17_chosen_alias", programs.chosen_alias, (X, 0.6), "srcgrad.analysis.distinct.Distinct.__call__", always),
    Rule("17_swapped_alias", programs.swapped_alias, (X,), "srcgrad.analysis.distinct.Distinct._holds", always),
    Rule("in_place_a_product", programs.running_product, (X,), f"{IN_PLACE}.carried_over", never),
    Rule("in_place_a_partial_sums", programs.partial_sums_read, (X,), f"{IN_PLACE}.carried_over", never),
    Rule("in_place_b_recurrence", programs.recurrence, (X,), f"{IN_PLACE}.InPlace._never_read", always),
    Rule(
        "in_place_b_scratch_kept", programs.scratch_kept, (X,), "srcgrad.optimize.privatize.written_before_read", always
    ),
    Rule("in_place_last_write", programs.last_write, (X, PLACES), f"{IN_PLACE}.last_write_wins", never),
    Rule("mirror_turned_round", programs.prefix, (X,), "srcgrad.optimize.run_forwards._collide", never),
    Rule("mirror_in_place", programs.filled_beside, (X,), "srcgrad.differentiate.fuse._leaves_memory", never),
    Rule("shadow_skipped", programs.difference_changed, (M,), f"{FORWARD_SUMS}._Pass.only_added", always),
    Rule(
        "shadow_skipped_in_part",
        programs.difference_in_part,
        (M,),
        "srcgrad.analysis.extents.Extents.runs_over",
        always,
    ),
    Rule("store_dropped", programs.dead_store, (X,), "srcgrad.optimize.remove_dead_stores._read_later", never),
    Rule("temporary_fused", programs.temporary_of_changed, (X,), f"{FUSE}._Fuser.unchanged", always),
    Rule("snapshot_of_what_changes", programs.diffused_in_place, (X,), f"{STATE}.same_memory", never),
    Rule(
        "chosen_then_changed",
        programs.chosen_then_changed,
        (X,),
        "srcgrad.analysis.running_choice.Choice._changed",
        never,
    ),
    Rule("buffer_changed_by_others", programs.overwritten_under_another_name, (X,), f"{HANDED_ON}._is_late", never),
    Rule("buffer_handed_on", programs.state_before, (X,), f"{HANDED_ON}._stays", always),
    Rule("row_at_the_start", programs.changed_before_it_is_read, (X,), f"{EFFECTS}.Effects.may_have_changed", never),
    Rule(
        "in_place_c_changed", programs.changed_before_reversal, (X,), f"{IN_PLACE}.InPlace._reads_what_changes", never
    ),
]

# Right with all rules, and hard: no single predicate decides.
HARD = [
    (programs.emptied_into_what_changes, (X,)),
    (programs.backwards_range, (1.3, 5, 2)),
    (programs.backwards_range, (1.3, 2, 5)),
    (programs.mixed_activity, (X, 0.6)),
    (programs.mixed_activity, (X, -0.6)),
    (programs.alias_through_swap, (X,)),
    (programs.swap_under_if, (X,)),
    (programs.second_branch, (X, 0.6)),
    (programs.carried_out, (X,)),
    (programs.carried_out_by_if, (X,)),
    (programs.sliding_slice, (LONG,)),
    (programs.histogram, (X,)),
    (programs.forces, (X,)),
    (programs.scratch, (X,)),
    (programs.chained_loops, (X,)),
    (programs.scratch_zero_trips, (X, 1)),
    (programs.scratch_zero_trips, (X, 0)),
]


def exact(program: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, list[Any]]:
    assert isinstance(program, types.FunctionType)
    dual_program = types.FunctionType(program.__code__, {**program.__globals__, "np": DualNumPy()})
    return value_and_gradients(dual_program, args)


def error(program: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The larger one of the gradient alone, and of the gradient together with the value."""
    wrt = differentiable(args)
    alone = srcgrad.grad(program, argnums=wrt, jit=False, cache=False)(*args)
    value, beside = srcgrad.value_and_grad(program, argnums=wrt, jit=False, cache=False)(*args)
    expected_value, expected = exact(program, args)
    return max(relative_error([value, *got], [expected_value, *expected]) for got in (alone, beside))


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_right_with_the_rule(rule: Rule) -> None:
    assert error(rule.program, rule.args) < 1e-12


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_wrong_without_the_rule(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule.predicate, rule.instead)
    assert error(rule.program, rule.args) > 1e-6


@pytest.mark.parametrize(("program", "args"), HARD, ids=lambda x: getattr(x, "__name__", None))
def test_hard(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert error(program, args) < 1e-12


def test_rule_18_overlapping_arguments_are_refused() -> None:
    z = X.copy()
    apart = srcgrad.grad(programs.same_argument_twice, argnums=(0, 1), jit=False)
    assert relative_error(apart(z, z.copy()), exact(programs.same_argument_twice, (z, z.copy()))[1]) < 1e-12
    with pytest.raises(srcgrad.Error, match=r"'a' and 'b' overlap"):
        apart(z, z)
