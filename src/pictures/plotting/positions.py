"""Where traces were recorded, in the coordinates of the model or of its file, and their offsets and midpoints."""
import dataclasses

import numpy as np

from plotting.errors import USAGE, fail

MODEL, FILE = "model", "file"
WORDS = {MODEL: "in the model", FILE: "on the map"}
UNTURNED = 1e-9  # tolerance of a direction's cosine: the model's x axis is the file's


@dataclasses.dataclass
class Place:
    """Where a model lies in its file: (x, y, z) there is origin + (c x - s y, s x + c y, z), in m."""
    origin: np.ndarray
    x_axis: np.ndarray  # (c, s), of length 1

    def turn(self):
        c, s = self.x_axis
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def to_file(self, points):
        """`points` [..., 3]."""
        return self.origin + points @ self.turn().T

    def to_model(self, points):
        return (points - self.origin) @ self.turn()

    def is_as(self, other):
        return np.array_equal(self.origin, other.origin) and np.array_equal(self.x_axis, other.x_axis)

    @property
    def is_turned(self):
        return abs(self.x_axis[0] - 1) > UNTURNED


def place_from(origin, x_axis):
    """Nothing where either is missing."""
    if origin is None or x_axis is None:
        return None
    origin, x_axis = np.array(origin, float), np.array(x_axis, float)
    if origin.shape != (3,) or x_axis.shape != (2,) or not abs(np.hypot(*x_axis) - 1) < 1e-3:
        raise ValueError("place")
    return Place(origin, x_axis / np.hypot(*x_axis))


def require_frame(place, frame, wanted, path):
    """Refuses coordinates that nobody can tell. Error 64."""
    if wanted is not None and wanted != frame and place is None:
        lacks = "has no model with a place in a file" if frame == MODEL else "does not say where its model lies"
        fail(USAGE, f"--coordinates {wanted} is given, and {path!r} {lacks}; leave it out")


@dataclasses.dataclass
class Positions:
    """In m, of each trace."""
    receivers: np.ndarray  # [trace, 3], as recorded
    requested: np.ndarray  # [trace, 3], as they were asked for
    sources: np.ndarray  # [trace, 3], the first of its shot
    beside: np.ndarray  # [trace], sources of its shot beside the first
    shots: np.ndarray  # [trace], number of its shot
    numbers: np.ndarray  # [trace], number in its shot, from 0
    place: Place | None  # place of the model, where it is known
    frame: str  # MODEL or FILE: what the positions are in
    rounding: float  # rounding of the file that they are from

    def __len__(self):
        return len(self.receivers)

    def at(self, order):
        """The traces of these indices, in their order."""
        rows = ("receivers", "requested", "sources", "beside", "shots", "numbers")
        return dataclasses.replace(self, **{name: getattr(self, name)[order] for name in rows})

    def seen(self, frame):
        """The same in these coordinates; None leaves them."""
        if frame in (None, self.frame):
            return self
        turned = self.place.to_file if frame == FILE else self.place.to_model
        return dataclasses.replace(self, frame=frame, **{name: turned(getattr(self, name))
                                                         for name in ("receivers", "requested", "sources")})

    def on_map(self):
        """In the file's coordinates, where they are known."""
        return self.seen(FILE) if self.place is not None else self

    def distance(self):
        """From the source to each receiver, m."""
        return np.linalg.norm(self.receivers - self.sources, axis=1)

    def midpoints(self):
        return (self.receivers + self.sources) / 2

    def offsets(self):
        """As SEG-Y's bytes 37-40 have them, not rounded: horizontal, negative where gx < sx, or gx = sx and gy < sy
        on the map. Whatever the coordinates of the picture."""
        map_ = self.on_map()
        away = (map_.receivers - map_.sources)[:, :2]
        return signs(away) * np.hypot(away[:, 0], away[:, 1])


def signs(away):
    """Signs of vectors [n, axis]: that of the first component that is not 0 in the digits of SEG-Y's coordinates
    (mm)."""
    found = np.zeros(len(away))
    for component in away.round(3).T:
        found = np.where(found == 0, np.sign(component), found)
    return np.where(found < 0, -1.0, 1.0)


def joined(parts):
    """One after the other, in the coordinates of the first; where models lie apart, nobody can tell others."""
    rows = ("receivers", "requested", "sources", "beside", "shots", "numbers")
    first = parts[0]
    parts = [part.seen(first.frame) if part.place is not None else part for part in parts]
    alike = all(part.place is not None and first.place is not None and part.place.is_as(first.place) for part in parts)
    return dataclasses.replace(first, place=first.place if alike else None,
                               **{name: np.concatenate([getattr(part, name) for part in parts]) for name in rows})
