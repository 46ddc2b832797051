"""Operations of tensors that are more than an expression, in the language that both NumPy and the compiler run."""
