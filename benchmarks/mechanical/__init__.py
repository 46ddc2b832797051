"""Adjoints in the form that a compiler can produce mechanically from the plain loop, written out by hand.

What generated code is to come near to. Independent iterations stand side by side as lanes: every scalar is a buffer on
the stack, the loop over lanes is innermost, and its trip count is known to LLVM as a multiple of 8 alone (a literal
would be unrolled before it is vectorised).
"""
