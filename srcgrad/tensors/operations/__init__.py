"""The operations on tensors, each registered by name; importing this package puts them on the class."""

from srcgrad.tensors.operations import in_place, indexing, operators, pointwise, products, reductions, shapes
from srcgrad.tensors.operations.registry import FUNCTIONS

__all__ = ["FUNCTIONS", "in_place", "indexing", "operators", "pointwise", "products", "reductions", "shapes"]
