"""A handler for each kind of node of the syntax tree that is neither loop nor comprehension."""
