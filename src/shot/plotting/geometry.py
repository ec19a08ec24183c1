"""Which receivers are drawn, and where each stands across the picture."""
import re

import numpy as np

from plotting.errors import USAGE, fail

AXES = ("auto", "x", "y", "depth", "offset", "receiver")
CROOKED = 0.02  # receivers so far off a straight line, as a share of its length, still are a line


def line_of(receivers, text):
    """Numbers of the receivers [receiver, 3] (m) of one line of a grid: "y=300" takes those whose y is the nearest to
    300 m, "2" the third line along x. Error 64 where there is no such line."""
    matched = re.fullmatch(r"([xyz])=([-+.\deE]+)", text)
    try:
        if matched:
            places = receivers[:, "xyz".index(matched[1])]
            nearest = places[np.abs(places - float(matched[2])).argmin()]
            return np.flatnonzero(np.isclose(places, nearest, rtol=0, atol=1e-6 * max(np.ptp(places), 1)))
        number = int(text)
    except ValueError:
        fail(USAGE, f"--line is {text!r}; give y=300, x=300 or z=300 in m, or a line's number from 0")
    _, first, member = np.unique(receivers[:, 1:].round(6), axis=0, return_index=True, return_inverse=True)
    if not 0 <= number < len(first):
        fail(USAGE, f"--line {number} is not one of the {len(first)} lines along x; give 0 to {len(first) - 1}")
    return np.flatnonzero(member.ravel() == np.argsort(first)[number])


def chosen(receivers, lines, span):
    """Numbers of the receivers on all of `lines`, and of these the slice `span`. Error 64 where none is left."""
    numbers = np.arange(len(receivers))
    for line in lines:
        numbers = numbers[line_of(receivers[numbers], line)]
    found = numbers[span]
    if len(found) == 0:
        fail(USAGE, f"--traces takes none of {len(numbers)} receivers; they count from 0")
    return found


def direction(points):
    """Unit vector from the first of the points on a line to the last; None where they are not on one."""
    if len(points) < 2:
        return None
    centred = points - points.mean(axis=0)
    along = np.linalg.svd(centred, full_matrices=False)[2][0]
    places = centred @ along
    off = np.linalg.norm(centred - np.outer(places, along), axis=1).max()
    if np.ptp(places) == 0 or off > CROOKED * np.ptp(places):
        return None
    return along if places[-1] >= places[0] else -along


def in_unit(metres):
    """In km and "km", or in m and "m" where none is as far as 2 km."""
    return (metres / 1000, "km") if np.abs(metres).max() >= 2000 else (metres, "m")


def fitting_axis(gather):
    """What the receivers differ in: their x, y or depth where they are a line along one, their offset where they are
    any other line or stand in its order, else their number."""
    along = direction(gather.requested)
    if along is not None:
        for axis, name in zip(np.eye(3), ("x", "y", "depth")):
            if abs(along @ axis) > 1 - CROOKED ** 2 / 2:
                return name
        return "offset"
    offset = np.hypot(*(gather.receivers - gather.source)[:, :2].T)
    return "offset" if len(offset) > 1 and np.all(np.diff(offset) > 0) else "receiver"


def offsets(gather):
    """Along a line from the foot of the source on, growing from its first receiver to its last; of other receivers the
    horizontal distance. And what that is called."""
    away = gather.receivers - gather.source
    along = direction(gather.requested)
    if along is None:
        return np.hypot(away[:, 0], away[:, 1]), "offset"
    beside = np.linalg.norm(away[0] - (away[0] @ along) * along)
    on_line = beside <= CROOKED * max(np.ptp(away @ along), 1e-9)
    return away @ along, "offset" if on_line else "offset along the line"


def across(gather, kind):
    """The gather in the order of the picture's columns, their positions, which do not fall, and the axis' label."""
    kind = fitting_axis(gather) if kind == "auto" else kind
    if kind == "receiver":
        return gather, gather.numbers.astype(float), "receiver"
    if kind == "offset":
        places, name = offsets(gather)
    else:
        places, name = gather.receivers[:, ("x", "y", "depth").index(kind)], f"receiver {kind}"
    order = np.argsort(places, kind="stable")
    position, unit = in_unit(places[order])
    return gather.at(order), position, f"{name} ({unit})"
