"""What users write into and around their functions: derivatives of their own, checkpoints, constants."""
