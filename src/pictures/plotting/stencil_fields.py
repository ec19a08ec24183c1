"""The fields that `minimod stencil run --write` leaves: of each the plane that the file has of it, or one of its grid."""
import dataclasses

import numpy as np

from plotting import files, options
from plotting.errors import DATA, USAGE, fail, shown
from plotting.processing import clip_level

FIELDS = "minimod stencil fields"
AXES = ("i", "j", "k")
PLANES = {"xz": ("k", "i", "j"), "yz": ("k", "j", "i"), "xy": ("j", "i", "k")}  # down, across, what is held fixed
MOST_PANELS = 9


@dataclasses.dataclass
class Plane:
    """Values [down, across] of a field, by the points' numbers."""
    values: np.ndarray
    down: str
    across: str
    title: str


def holds_fields(path):
    return files.format_of(path).startswith(FIELDS)


def axes_of(dataset):
    return [dimension[0].name.strip("/") for dimension in dataset.dims]


def plane_of(name, dataset, plane, position):
    axes = axes_of(dataset)
    files.require_shape(dataset, dataset.shape)
    if dataset.ndim == 2:
        return Plane(dataset[:], *axes, files.as_text(dataset.attrs["description"]))
    down, across, fixed = PLANES[plane]
    if axes != ["k", "j", "i"]:
        raise ValueError(name)
    points = dataset.shape[axes.index(fixed)]
    number = points // 2 if position is None else int(position)
    if not 0 <= number < points or (position is not None and number != position):
        fail(USAGE, f"--position {position:g} is no point's number along {fixed}, which go from 0 to {points - 1}")
    cut = tuple(number if axis == fixed else slice(None) for axis in axes)
    return Plane(dataset[cut], down, across, f"{name} at {fixed} = {number}")


def planes_in(file, path, arguments):
    names = [name for name in file if name not in AXES and hasattr(file[name], "shape")]
    if any(file[name].ndim == 2 for name in names):
        options.refuse_unheard(arguments, options.SLICES)
    found = [plane_of(name, file[name], arguments.plane, arguments.position) for name in names]
    if not found or len(found) > MOST_PANELS:
        fail(DATA, f"{shown(path)} has {len(found)} fields, a picture has room for 1 to {MOST_PANELS}")
    heading = (f"{files.as_text(file.attrs['stencil'])}, {files.as_text(file.attrs['kernel'])}, "
               f"{int(file.attrs['steps'])} steps")
    return found, heading


def fields_picture(path, arguments):
    """A panel a field, each with its own scale: about zero where it has both signs. Maps have y up, sections z down."""
    import matplotlib.pyplot as plt  # slow import: what is refused does not wait for it
    planes, heading = files.read(path, (FIELDS,), lambda file: planes_in(file, path, arguments))
    figure, panels = plt.subplots(1, len(planes), figsize=(1 + 4.2 * len(planes), 4.4), layout="constrained",
                                  squeeze=False)
    for axes, plane in zip(panels.flat, planes):
        values = plane.values
        if not np.isfinite(values).all():
            fail(DATA, f"{plane.title} has values that are no numbers; run fewer --steps")
        limit = clip_level(values, arguments.clip)
        of_both_signs = values.min() < 0 < values.max()
        scale = dict(vmin=-limit, vmax=limit) if of_both_signs else {}
        image = axes.imshow(values, cmap=arguments.colormap or ("seismic" if of_both_signs else "viridis"),
                            interpolation="nearest", **scale)
        if plane.down == "j":
            axes.invert_yaxis()
        figure.colorbar(image, ax=axes, shrink=0.8, extend="both" if of_both_signs else "neither")
        axes.set_title(plane.title, fontsize="small", loc="left", parse_math=False)
        axes.set_xlabel(plane.across)
        axes.set_ylabel(plane.down)
    figure.suptitle(arguments.title or heading, fontsize="medium", parse_math=False)
    return figure
