"""Velocities of a run."""
import os
from typing import Any

import numpy as np

from minimod.arrays import is_on_gpu, numbers, require_shape, where_it_is
from minimod.errors import DATA, Error


class Model:
    """A velocity model.

    v: [z, y, x] or, of a section that is extended along y, [z, x]; m/s. Any array that numpy or DLPack reads. One in
        float32 and C order in the host's memory is read where it is, and so is one in float32 or float64 on a GPU, by
        runs on the same GPU that have its nodes. Any other is copied.
    spacing: m between nodes, one number or (x, y, z); of a section one or (x, z).
    unit: "m/s", "km/s" or "ft/s".

    In place of v a file or words that the command line takes: "model.h5", "model.sgy", "constant:2000",
    "layered:1500@0,2500@400"; then spacing is the file's unless given. A raw file is read by numpy.fromfile.

    The model has the array, not a copy: change it between runs as you like, and not during one.
    Raises Error 64 for what is no model; a run finds velocities that are none (65).
    """

    def __init__(self, v: Any, spacing: Any = None, unit: str | None = None) -> None:
        self.source = os.fspath(v) if isinstance(v, (str, os.PathLike)) else None
        self.unit = unit
        self.v = None if self.source is not None else velocities(v)
        self.spacing = None if spacing is None else triple(spacing, self.v)
        if self.v is not None and self.spacing is None:
            raise Error("spacing is not given with an array; give the m between its nodes", parameter="spacing")

    @property
    def shape(self) -> tuple[int, int, int] | None:
        """Nodes (z, y, x); None of a file."""
        return None if self.v is None else tuple(self.v.shape)

    def __getstate__(self):
        """The host's copy of the array: another process has other memory."""
        state = self.__dict__.copy()
        state["v"] = None if self.v is None else numbers(self.v, "v", np.float32, (-1, -1, -1))
        return state

    def __repr__(self):
        what = repr(self.source) if self.v is None else f"{self.shape} nodes [z, y, x]"
        return f"minimod.Model({what}, spacing={self.spacing})"

    def given(self):
        """Options of the command line that say the same."""
        options = {"velocity_unit": self.unit}
        if self.source is not None:
            options |= {"model": self.source, "model_spacing": self.spacing}
        return options


def velocities(v):
    """[z, y, x], of the host in float32."""
    array = where_it_is(v, "v")
    if len(array.shape) == 2:
        array = array[:, np.newaxis, :]
    if not is_on_gpu(array):
        return numbers(array, "v", np.float32, (-1, -1, -1))
    require_shape(array, "v", (-1, -1, -1))
    return array


def triple(spacing, v):
    """(x, y, z) in m."""
    values = np.ravel(np.asarray(spacing, dtype=object)).tolist()
    is_section = v is not None and v.shape[1] == 1
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise Error(f"spacing is {spacing!r}; give m", parameter="spacing") from None
    if len(numbers) == 2 and is_section:
        numbers.insert(1, numbers[0])
    if len(numbers) == 1:
        numbers *= 3
    if len(numbers) != 3:
        raise Error(f"spacing is {spacing!r}; give one number of m or three, x, y and z", parameter="spacing")
    if not all(np.isfinite(h) and h > 0 for h in numbers):
        raise Error(f"spacing is {spacing!r} m; give numbers above 0", DATA, "spacing")
    return tuple(numbers)


def as_model(model):
    """A Model of what `run` was given: one, a file's name or words."""
    if isinstance(model, Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        return Model(model)
    raise Error(f"model is a {type(model).__name__}; give a minimod.Model, a file's name or words such as "
                "'constant:2000'", parameter="model")
