"""Shots to first order of a change of the model."""
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod.arrays import numbers, on_host
from minimod.errors import Error
from minimod.model import Model
from minimod.options import documented
from minimod.runs import model_shot, numbered
from minimod.session import open_session
from minimod.shot import Shot

if TYPE_CHECKING:
    import xarray


@documented
def born(model: Model | str | os.PathLike, change: Any, shots: Shot | Iterable[Shot], *, progress: bool = False,
         **options: Any) -> "xarray.DataArray | list[xarray.DataArray]":
    """Models what a change of the velocities adds to shots, to first order (Born's approximation).

    model: a Model, a file's name or words such as "constant:2000".
    change: m/s, an array [z, y, x], of a section [z, x], of the model's shape or of that of `gradient`'s result; or a
        file's name or words such as "constant:10".
    shots: a Shot, or Shots with different numbers; those that all have the number 1 are numbered 1, 2, ... themselves.
    progress: show the steps of the shots by tqdm, where that is installed.

    Returns the gather of a Shot as `run` does, of several a list in the order of their numbers. `gradient` is its
    transpose.

    Raises Error with the command's words.
    """
    is_one = isinstance(shots, Shot)
    shots = numbered([shots] if is_one else list(shots))
    if not is_one and options.get("output") is not None:
        raise Error("output is given with several shots; write the gathers that are returned", parameter="output")
    session = open_session("born", model, shots, {"schedule": "sequence"} | options, change=as_change(change))
    gathers = [model_shot(session, i, progress, f"shot {shot.number}") for i, shot in enumerate(shots)]
    return gathers[0] if is_one else gathers


def as_change(change):
    """A file's name, words, or [z, y, x] in float32."""
    if isinstance(change, (str, os.PathLike)):
        return os.fspath(change)
    array = on_host(change, "change")
    return numbers(array[:, np.newaxis] if array.ndim == 2 else array, "change", np.float32, (-1, -1, -1))
