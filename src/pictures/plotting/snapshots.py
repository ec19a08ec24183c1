"""Snapshots of a wavefield: sections of it at chosen times over the model, and films of them."""
import contextlib
import dataclasses
import os

import h5py
import numpy as np
from PIL import Image  # comes with matplotlib

from plotting import files
from plotting.errors import UNAVAILABLE, USAGE, fail, note
from plotting.geometry import in_unit
from plotting.options import is_film
from plotting.positions import MODEL, WORDS
from plotting.processing import clip_level
from plotting.saving import saved_whole
from plotting.texts import metres, point
from plotting.titles import shortened

SNAPSHOTS = "minimod snapshots"
MOST_PANELS = 12
DEFAULT_PANELS = 6
COLUMNS = 3
LABELS = 0.4  # inches of a panel's width that its image does not have
ROUNDED = 0.02  # share of half the snapshots' interval: a time typed in few digits is that of its snapshot
ACROSS = {"xz": ("z", "x", "y"), "yz": ("z", "y", "x"), "xy": ("y", "x", "z")}  # down, across, what is held fixed


@dataclasses.dataclass
class Section:
    """The wavefield on one plane at some times, [time, down, across]; positions in m."""
    values: np.ndarray
    time: np.ndarray
    down: np.ndarray
    across: np.ndarray
    axes: tuple  # names: down, across, held fixed
    at: float  # place of the plane along the axis held fixed
    sources: np.ndarray  # [source, 3]
    units: str
    model: str
    velocity: np.ndarray | None = None  # V on the same plane, [down, across], with positions of its own
    velocity_down: np.ndarray | None = None
    velocity_across: np.ndarray | None = None


def holds_snapshots(path):
    return files.format_of(path).startswith(SNAPSHOTS)


def chosen_times(time, wanted, window, film):
    """Numbers of the snapshots that are drawn: those nearest to the wanted times, or those in the window, of which a
    picture has a few that are evenly apart."""
    if wanted is not None:
        half = np.diff(time).max(initial=0) / 2
        for t in wanted:
            if not time[0] - half <= t <= time[-1] + half + 1e-12:
                fail(USAGE, f"--at {t:g} s is not among the snapshots, which go from {time[0]:g} to {time[-1]:g} s")
        nearest = [np.abs(time - t).argmin() for t in wanted]
        for t, number in zip(wanted, nearest):
            if abs(time[number] - t) > ROUNDED * max(half, 1e-9):
                note(f"--at {t:g}: the snapshot at {time[number]:.4g} s is drawn")
        numbers = np.unique(nearest)
    else:
        first = time[0] if window[0] is None else window[0]
        last = time[-1] if window[1] is None else window[1]
        numbers = np.flatnonzero((time >= first) & (time <= last))
        if len(numbers) == 0:
            fail(USAGE, f"--time {first:g}:{last:g} holds no snapshot; they go from {time[0]:g} to {time[-1]:g} s")
        if not film and len(numbers) > DEFAULT_PANELS:
            numbers = numbers[np.linspace(0, len(numbers) - 1, DEFAULT_PANELS).round().astype(int)]
    if not film and len(numbers) > MOST_PANELS:
        fail(USAGE, f"--at names {len(numbers)} snapshots, a picture has room for {MOST_PANELS}; write a .gif or .mp4")
    return numbers


def plane_number(places, wanted, name):
    """The number of the plane nearest to the wanted position."""
    half = np.diff(places).max(initial=0) / 2
    if not places[0] - half - 1e-9 <= wanted <= places[-1] + half + 1e-9:
        fail(USAGE, f"--position {wanted:g} m is outside the snapshots, whose {name} goes from {places[0]:g} to "
                    f"{places[-1]:g} m")
    number = int(np.abs(places - wanted).argmin())
    if abs(places[number] - wanted) > 1e-3:
        note(f"--position {metres(wanted)}: the plane {name} = {metres(places[number])} m is drawn")
    return number


def nearest_plane(places, source):
    """The number of that through the source, or of the last one towards it."""
    return int(np.abs(places - source).argmin())


def section_in(file, choose, plane, position):
    field = file["wavefield"]
    files.require_shape(field, tuple(len(file[name]) for name in ("time", "z", "y", "x")))
    places = {name: files.axis_in(file, name) for name in "xyz"}
    down, across, fixed = ACROSS[plane]
    sources = files.positions(file["source"])
    if position is None:
        number = nearest_plane(places[fixed], sources[0, "xyz".index(fixed)])
    else:
        number = plane_number(places[fixed], position, fixed)
    time = files.axis_in(file, "time")
    chosen = choose(time)
    cut = tuple(number if name == fixed else slice(None) for name in "zyx")
    return Section(values=np.stack([field[(i, *cut)] for i in chosen]), time=time[chosen], down=places[down],
                   across=places[across], axes=(down, across, fixed), at=float(places[fixed][number]), sources=sources,
                   units=files.as_text(field.attrs["units"]), model=files.as_text(file.attrs.get("model", "")))


def gather_beside(path):
    """The HDF5 file of the same run, .h5 or .hdf5 in either case; `path` where there is none."""
    folder, name = os.path.split(path)
    stem = name.removesuffix(".snapshots.h5")
    found = [other for other in sorted(os.listdir(folder or "."))
             if os.path.splitext(other)[0] == stem and files.is_hdf5_name(other)]
    return os.path.join(folder, found[0]) if found else path


def with_model(section, path):
    """With the velocities of the gather beside the snapshots, where it has them on this plane."""
    down, across, fixed = section.axes
    try:
        gather = gather_beside(path)
        with h5py.File(gather, "r") as file:
            files.require_real(file, gather)
            places = {name: files.axis_in(file, name) for name in "xyz"}
            cut = files.positions(file["source"])[0, "xyz".index(fixed)]
            step = np.diff(places[fixed]).min(initial=np.inf)
            if gather == path or abs(section.at - cut) > 0.51 * step:
                return section
            velocity = files.sections_in(file)
            return dataclasses.replace(section, velocity=getattr(velocity, "".join(sorted(across + down))),
                                       velocity_down=places[down], velocity_across=places[across])
    except files.DAMAGE:
        return section


def read_section(path, arguments):
    def choose(time):
        return chosen_times(time, arguments.at, arguments.time, is_film(arguments.output))

    section = files.read(path, (SNAPSHOTS,), lambda file: section_in(file, choose, arguments.plane, arguments.position))
    return with_model(section, path)


def borders(places):
    half = (places[1] - places[0]) / 2 if len(places) > 1 else 0.5
    return places[0] - half, places[-1] + half


def extent_of(down, across):
    """left, right, bottom and top of an image whose first row is above, m."""
    return np.array([*borders(across), *borders(down)[::-1]])


def draw_panel(axes, section, number, limit, colormap):
    """The wavefield over the model, the clearer the louder; of a map y goes up, of a section z down."""
    extent = extent_of(section.down, section.across)
    scale, unit = in_unit([extent])
    values = section.values[number]
    if section.velocity is not None and np.ptp(section.velocity) > 0:
        beneath = extent_of(section.velocity_down, section.velocity_across)
        axes.imshow(section.velocity, extent=beneath / scale, aspect="equal", cmap="gray_r", interpolation="nearest",
                    vmin=section.velocity.min() - 0.3 * np.ptp(section.velocity),
                    vmax=section.velocity.max() + 0.6 * np.ptp(section.velocity))
    image = axes.imshow(values, extent=extent / scale, aspect="equal", cmap=colormap, vmin=-limit, vmax=limit,
                        alpha=loudness(section, values, limit), interpolation="nearest")
    down, across, fixed = section.axes
    axes.set_xlim(extent[:2] / scale)
    axes.set_ylim((extent[2:] if down == "z" else extent[:1:-1]) / scale)
    axes.plot(section.sources[:, "xyz".index(across)] / scale, section.sources[:, "xyz".index(down)] / scale,
              linestyle="", marker="*", markersize=9, color="gold", markeredgecolor="black", markeredgewidth=0.6)
    axes.set_xlabel(f"{across} {WORDS[MODEL]} ({unit})")
    axes.set_ylabel(f"{down} ({unit})")
    return image


def loudness(section, values, limit):
    """How opaque the wavefield is; all of it where there is no model beneath."""
    if section.velocity is None or np.ptp(section.velocity) == 0:
        return None
    return np.clip(np.abs(values) / limit, 0, 1) ** 0.7


def time_text(seconds):
    return f"t = {seconds:.4g} s"


def title_of(section, arguments):
    sources = section.sources
    fed = f"source at {point(sources[0])}" if len(sources) == 1 else f"{len(sources)} sources"
    lines = [shortened(section.model), f"{fed}, section at {section.axes[2]} = {metres(section.at)} m"]
    return arguments.title or "\n".join(filter(None, lines))


def label(figure, image, axes, section):
    bar = figure.colorbar(image, ax=axes, shrink=0.6, aspect=30, pad=0.02, extend="both")
    bar.solids.set_alpha(1)
    bar.set_label(f"u ({section.units})")
    bar.formatter.set_powerlimits((-2, 3))


def shape_of_panel(section, width):
    high, wide = np.ptp(section.down), np.ptp(section.across)
    return width, (width - LABELS) * float(np.clip(high / wide if wide > 0 else 1, 0.25, 1.6))


def colormap_of(arguments):
    return {"gray": "gray_r"}.get(arguments.colormap, arguments.colormap or "seismic")


def snapshots_picture(section, arguments):
    """All times with one clip."""
    import matplotlib.pyplot as plt  # slow import: what is refused does not wait for it
    count = len(section.time)
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    width, height = shape_of_panel(section, 6.4 if count == 1 else 3.6)
    figure, panels = plt.subplots(rows, columns, figsize=(columns * width + 1.2, rows * (height + 0.35) + 0.8),
                                  layout="constrained", sharex=True, sharey=True, squeeze=False)
    limit = clip_level(section.values, arguments.clip)
    for number, axes in enumerate(panels.flat):
        if number >= count:
            axes.axis("off")
            continue
        image = draw_panel(axes, section, number, limit, colormap_of(arguments))
        axes.set_title(time_text(section.time[number]), fontsize="small", loc="left")
        axes.label_outer()
    label(figure, image, panels, section)
    figure.suptitle(title_of(section, arguments), fontsize="medium", parse_math=False)
    return figure


class GifWriter:
    """As matplotlib's writers of films. Its own takes the 256 colours that most pixels have, by which a scale of
    colours becomes another; these cover the colours that there are."""

    def __init__(self, fps):
        self.milliseconds = round(1000 / fps)
        self.frames = []

    @contextlib.contextmanager
    def saving(self, figure, path, dpi):
        figure.set_dpi(dpi)
        self.canvas = figure.canvas
        yield
        self.frames[0].save(path, save_all=True, append_images=self.frames[1:], duration=self.milliseconds, loop=0)

    def grab_frame(self):
        self.canvas.draw()
        frame = Image.fromarray(np.asarray(self.canvas.buffer_rgba())).convert("RGB")
        self.frames.append(frame.quantize(method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE))


def save_film(section, arguments):
    """A GIF, or an MP4 through ffmpeg; one clip for all."""
    import matplotlib.pyplot as plt
    from matplotlib import animation

    path = arguments.output
    is_gif = path.lower().endswith(".gif")
    if not is_gif and not animation.FFMpegWriter.isAvailable():
        fail(UNAVAILABLE, "an .mp4 needs the program ffmpeg, which is not here; install it, or write a .gif")
    width, height = shape_of_panel(section, 6.0)
    figure, axes = plt.subplots(figsize=(width + 1.2, height + 1.0), layout="constrained")
    limit = clip_level(section.values, arguments.clip)
    image = draw_panel(axes, section, 0, limit, colormap_of(arguments))
    label(figure, image, axes, section)
    figure.suptitle(title_of(section, arguments), fontsize="medium", parse_math=False)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # nothing moves from frame to frame
    writer = (GifWriter if is_gif else animation.FFMpegWriter)(fps=arguments.rate)
    with saved_whole(path) as temporary:
        with writer.saving(figure, temporary, dpi=100):
            for values, seconds in zip(section.values, section.time):
                image.set_data(values)
                image.set_alpha(loudness(section, values, limit))
                axes.set_title(time_text(seconds), fontsize="small", loc="left")
                writer.grab_frame()
