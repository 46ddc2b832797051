"""What checks of a program say, by which those who catch their exceptions tell them apart."""

# Of an IndexError; {0} is the index as written, {1} the extent.
OUT_OF_RANGE = "index {0} is out of range for an axis of extent {1}"

# Of a MemoryError; {0} is what a sweep would store, {1} what it may.
TOO_MUCH = "the reverse sweep would keep {0} bytes, and may keep {1}; see the option checkpoint"

# Of a ValueError that no caller sees: the code for large matrices takes over. {0} and {1} are the extents.
TOO_LARGE = "matrices were taken to be small, and one has {0} rows and {1} columns"

# So begin those of a ValueError where extents were taken to be equal and are not.
UNEQUAL, UNFIT = "operands could not be broadcast together: extents", "an array of extent"
