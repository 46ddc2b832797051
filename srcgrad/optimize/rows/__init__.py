"""What array statements do for all rows, one statement after another, as one loop over the rows."""
