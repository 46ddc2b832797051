"""Constants that other modules take from here."""

import math

G = 9.81
TABLE = (1.0, 2.0, 3.0)
CHOICES = {"a": 1.5, "b": 2.5}
HALF_PI = math.pi / 2
