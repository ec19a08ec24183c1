"""Receivers that are drawn, and where each stands across the picture."""
import dataclasses
import re

import numpy as np

from plotting.errors import USAGE, fail, note
from plotting.positions import WORDS, signs
from plotting.texts import metres, range_text

NAMES = ("x", "y", "depth")
CROOKED = 0.02  # receivers so far off a straight line, as a share of its length, still are a line
FARTHEST_IN_METRES = 2000


# ---- receivers that are drawn

def nearest_level(places, wanted):
    """The nearest of the places to the wanted one, and half the greater spacing of the places beside it, which is how
    far the wanted one may be away; 0 where all are one."""
    levels = np.unique(np.round(places, 3))
    nearest = int(np.abs(levels - wanted).argmin())
    spacings = np.diff(levels)[max(nearest - 1, 0):nearest + 1]
    return float(levels[nearest]), float(spacings.max(initial=0)) / 2


def spacing_along(receivers):
    """Between neighbours of one line, m."""
    steps = np.linalg.norm(np.diff(receivers, axis=0), axis=1)
    return float(np.median(steps)) if len(steps) else 0.0


def line_at(receivers, axis, wanted):
    """Numbers of the receivers of the line whose coordinate on the axis is the nearest to the wanted one (m). Another
    than the wanted one is said; error 64 where it is farther than half the lines' spacing (the receivers' of an only
    line)."""
    places = receivers[:, "xyz".index(axis)]
    level, reach = nearest_level(places, wanted)
    if abs(level - wanted) > (reach or spacing_along(receivers) / 2) + 1e-3:
        fail(USAGE, f"--line {axis}={metres(wanted)} is more than half a spacing from any line; their {axis} is "
                    f"{range_text(places)} m")
    if abs(level - wanted) > 1e-3:
        note(f"--line {axis}={metres(wanted)}: the line {axis} = {metres(level)} m is drawn")
    return np.flatnonzero(np.abs(places - level) < 1e-3)


def line_of(receivers, text):
    """Numbers of the receivers [receiver, 3] (m) of one line of a grid: "y=300" takes the line that is the nearest to
    300 m, "2" the third line along x. Error 64 where there is no such line."""
    matched = re.fullmatch(r"([xyz])=([-+.\deE]+)", text)
    try:
        if matched:
            return line_at(receivers, matched[1], float(matched[2]))
        number = int(text)
    except ValueError:
        fail(USAGE, f"--line is {text!r}; give y=300, x=300 or z=300 in m, or a line's number from 0")
    _, first, member = np.unique(receivers[:, 1:].round(3), axis=0, return_index=True, return_inverse=True)
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
        fail(USAGE, f"--traces takes none of {len(numbers)} traces; they count from 0")
    return found


# ---- where

def direction(points):
    """Unit vector along the points, towards what SEG-Y's offsets call ahead: growing x, else y, else depth. None where
    the points are not on a line."""
    if len(points) < 2:
        return None
    centred = points - points.mean(axis=0)
    along = np.linalg.svd(centred, full_matrices=False)[2][0]
    places = centred @ along
    off = np.linalg.norm(centred - np.outer(places, along), axis=1).max()
    if np.ptp(places) == 0 or off > CROOKED * np.ptp(places):
        return None
    return along * signs(along[None])[0]


def in_unit(lengths):
    """Metres in the picture's unit, and the unit: m, or km where one of the lengths is 2 km or more."""
    farthest = max((np.abs(length).max(initial=0) for length in lengths), default=0)
    return (1000, "km") if farthest >= FARTHEST_IN_METRES else (1, "m")


@dataclasses.dataclass
class Axis:
    """Where a gather's traces stand across a picture; lengths in m."""
    places: np.ndarray  # do not fall
    name: str
    is_length: bool = True
    source: float | None = None  # where the source stands on it

    def label(self, unit):
        return f"{self.name} ({unit})" if self.is_length else self.name

    def scaled(self, scale):
        """The places and the source in the picture's unit."""
        scale = scale if self.is_length else 1
        return self.places / scale, None if self.source is None else self.source / scale


def unit_of_all(axes):
    """One for all panels of a picture."""
    return in_unit([axis.places for axis in axes if axis.is_length])


def is_along_offsets(where):
    """Whether the receivers are a line that the source stands on, seen from above."""
    along = direction(where.requested[:, :2])
    if along is None:
        return False
    away = (where.receivers - where.sources)[:, :2]
    beside = np.linalg.norm(away[0] - (away[0] @ along) * along)
    return beside <= CROOKED * max(np.ptp(away @ along), 1e-9)


def fitting_axis(where):
    """The axis along which receivers differ. A line along x, y or depth has that; another line with the source, or in
    its order, has offsets; any other line has the distance along it, and receivers off a line have their number."""
    along = direction(where.requested)
    if along is not None:
        for axis, name in zip(np.eye(3), NAMES):
            if abs(along @ axis) > 1 - CROOKED ** 2 / 2:
                return name
        return "offset" if is_along_offsets(where) else "along"
    offsets = where.offsets()
    return "offset" if len(offsets) > 1 and np.all(np.diff(offsets) > 0) else "receiver"


def along_line(where):
    """From the foot of the source on, positive where SEG-Y's offsets are."""
    where = where.on_map()
    return (where.receivers - where.sources) @ direction(where.requested)


def axis_of_shot(where, kind):
    kind = fitting_axis(where) if kind == "auto" else kind
    if kind == "receiver":
        return Axis(where.numbers.astype(float), "receiver", is_length=False)
    if kind == "offset":
        return Axis(where.offsets(), "offset", source=0.0)
    if kind == "along":
        return Axis(along_line(where), "offset along the line")
    number = NAMES.index(kind)
    return Axis(where.receivers[:, number], f"receiver {kind} {WORDS[where.frame]}", source=where.sources[0, number])


def axis_of_midpoints(where, kind):
    """The axis of traces of several shots: offsets where their midpoint is one, midpoints where their offset is one, or
    what is asked for."""
    midpoints, offsets = where.midpoints(), where.offsets()
    if kind == "auto":
        spans = [*np.ptp(midpoints[:, :2], axis=0), np.ptp(offsets)]
        kind = ("x", "y", "offset")[int(np.argmax(spans))]
    if kind == "receiver":
        return Axis(where.shots.astype(float), "shot", is_length=False)
    if kind == "offset":
        return Axis(offsets, "offset")
    return Axis(midpoints[:, NAMES.index(kind)], f"midpoint {kind} {WORDS[where.frame]}")


def across(gather, kind):
    """The gather in the order of the picture's columns, and their axis."""
    axis = (axis_of_midpoints if gather.choice else axis_of_shot)(gather.positions, kind)
    if len(axis.places) > 1 and np.ptp(axis.places) == 0:
        fail(USAGE, f"--axis {kind}: all {len(axis.places)} traces stand at one place on it; give another")
    order = np.argsort(axis.places, kind="stable")
    return gather.at(order), dataclasses.replace(axis, places=axis.places[order])
