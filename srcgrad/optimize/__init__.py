"""IR to better IR: one pass per file, Function -> Function."""
