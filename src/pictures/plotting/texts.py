"""Numbers in words."""
import numpy as np


def metres(value):
    """To the centimetre, with all digits of a map's coordinates."""
    return f"{round(float(value), 2) + 0.0:.12g}"


def range_text(values):
    """"5", or "5 to 9"."""
    least, greatest = metres(np.min(values)), metres(np.max(values))
    return least if least == greatest else f"{least} to {greatest}"


def count_of(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def point(place):
    return f"({', '.join(metres(value) for value in place)}) m"
