"""Python objects that cross into a program and out of it: their structure and leaves, the places of captured ones."""
