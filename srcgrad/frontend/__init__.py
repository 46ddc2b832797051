"""Python source to IR: a typed partial evaluator over the syntax tree."""
