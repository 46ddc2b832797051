"""Independent iterations side by side: which loops, what differs between lanes, and the widened loop."""
