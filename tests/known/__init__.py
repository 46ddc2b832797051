"""Small functions with known gradients, each after the kind of fault in a public bug report or a documented limit."""
