"""``numba.typed.List`` and ``numba.typed.Dict`` made in the function: lists and dicts like any other."""

from __future__ import annotations

from numba.typed import Dict, List

from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.keyed import new_dict
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue


@function(List, least=0, most=1)
def _list(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    items = sequence_items(lowering, settle(lowering, arguments[0])) if arguments else ()
    return growing.new_list(lowering, growing.place(lowering, "list"), items)


@function(List.empty_list)
def _empty_list(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """The type of the items is that of what comes in."""
    return _list(lowering, (), {})


@function(Dict, Dict.empty)
def _empty_dict(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return new_dict(lowering, (lowering.path, lowering.builder.location, "dict"), [])
