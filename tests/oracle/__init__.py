"""Right derivatives that owe nothing to srcgrad: dual numbers and numeric differences."""
