#!/usr/bin/env python3
"""Draws a shot gather as a picture: receivers across, time down, grey clipped at a percentile.

    minimod plot shot_gather.h5 -o gather.png --clip 99 --title "Shot 1"
"""
import argparse
import errno
import io
import os
import sys
import warnings

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, PERMISSION = 64, 65, 66, 69, 73, 77
MOST_TRACES = 4000  # a picture has fewer columns; of more receivers every n-th is drawn
FEWEST_FOR_IMAGE = 24  # fewer traces are drawn as curves


def fail(code, message):
    line = "".join(c if c.isascii() and c.isprintable() else "?" for c in message)
    print(f"minimod: error: {line}"[:240], file=sys.stderr)
    sys.exit(code)


def shown(path):
    return repr(path if len(path) <= 80 else path[:77] + "...")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(USAGE, f"{message}; see minimod plot --help")


def percentile(value):
    clip = float(value)
    if not 0 < clip <= 100:
        raise argparse.ArgumentTypeError(f"{value} is not above 0 and up to 100")
    return clip


def parse_arguments():
    parser = Parser(prog="minimod plot", description="Draws a shot gather.")
    parser.add_argument("gather", help="file that minimod wrote, such as shot_gather.h5")
    parser.add_argument("-o", "--output", default="gather.png", help="picture to write (%(default)s)")
    parser.add_argument("--clip", type=percentile, default=99.0, metavar="PERCENTILE",
                        help="of |u|: the amplitude drawn black or white (%(default)s)")
    parser.add_argument("--title", help="instead of the model and the kernel")
    parser.add_argument("--force", action="store_true", help="replace a picture that is there")
    return parser.parse_args()


try:
    import h5py
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    warnings.filterwarnings("ignore", message="Glyph")  # a name in a script that the font lacks
except ImportError as error:
    fail(UNAVAILABLE, f"{error.name} cannot be imported; install h5py and matplotlib")


def as_text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class Gather:
    """Traces [receiver, time] with receivers [receiver, 3] (m), source [3] (m), time (s) and texts."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            attributes = {name: as_text(value) for name, value in file.attrs.items()}
            if not attributes.get("format", "").startswith("minimod shot gather"):
                raise KeyError("format")
            traces = file["traces"]
            count, samples = traces.shape
            # Nothing shrinks more than that: the file declares what it does not hold.
            if traces.nbytes > 1000 * os.path.getsize(path) or file["time"].shape != (samples,):
                raise ValueError("traces")
            if file["receivers"].shape != (count, 3) or file["source"].shape != (3,):
                raise ValueError("positions")
            self.step = -(-count // MOST_TRACES)
            self.traces = traces[::self.step]
            self.receivers = file["receivers"][::self.step]
            self.source = file["source"][:]
            self.time = file["time"][:]
            self.units = as_text(traces.attrs["units"])
        self.model = attributes.get("model", "")
        self.kernel = attributes.get("kernel_inner", "")

    def title(self):
        x, y, z = self.source
        parts = [f"source at ({x:g}, {y:g}, {z:g}) m", self.kernel]
        return "\n".join(filter(None, [self.model, ", ".join(filter(None, parts))]))

    def across(self):
        """Where each trace stands, increasing, and what the axis is called."""
        for axis, name in enumerate("xy"):
            others = np.delete(self.receivers[:, :2], axis, axis=1)
            position = self.receivers[:, axis]
            if np.ptp(others) == 0 and np.all(np.diff(position) > 0):
                return position / 1000, f"receiver {name} (km)"
        offset = np.hypot(*(self.receivers - self.source)[:, :2].T)
        if np.all(np.diff(offset) > 0):
            return offset / 1000, "offset (km)"
        return self.step * np.arange(len(self.receivers)), "receiver"


def read_gather(path):
    if not os.path.isfile(path):
        fail(MISSING, f"{shown(path)} is no file; give the shot_gather.h5 of a run")
    if not os.access(path, os.R_OK):
        fail(PERMISSION, f"{shown(path)} cannot be read; make it readable")
    try:
        return Gather(path)
    except (OSError, KeyError, AttributeError, ValueError, TypeError):
        fail(DATA, f"{shown(path)} is not a shot gather or is damaged; give a file that minimod wrote")


def amplitude(traces, clip):
    """The value drawn black: the percentile of |u|, or the largest where most of the gather is silent."""
    sizes = np.abs(traces[np.isfinite(traces)])
    if sizes.size == 0 or sizes.max() == 0:
        return 1.0
    return float(np.percentile(sizes, clip)) or float(sizes.max())


def edges(positions):
    """Borders half way between the positions, as many and one; an only one stands in the middle of 1."""
    if len(positions) == 1:
        return positions[0] + np.array([-0.5, 0.5])
    middle = (positions[1:] + positions[:-1]) / 2
    return np.concatenate([[2 * positions[0] - middle[0]], middle, [2 * positions[-1] - middle[-1]]])


def draw_image(axes, gather, position, limit):
    borders, times = edges(position), edges(gather.time)
    style = {"cmap": "gray_r", "vmin": -limit, "vmax": limit}
    steps = np.diff(position)
    if np.ptp(steps) < 1e-6 * steps.max():
        extent = (borders[0], borders[-1], times[-1], times[0])
        return axes.imshow(gather.traces.T, extent=extent, aspect="auto", **style)
    return axes.pcolormesh(borders, times, gather.traces.T, rasterized=True, **style)


def draw_curves(axes, gather, position, limit):
    spacing = np.diff(position).min()
    for place, trace in zip(position, gather.traces):
        curve = place + 0.8 * spacing * np.clip(trace / limit, -1, 1)
        axes.plot(curve, gather.time, color="black", linewidth=0.7)
        axes.fill_betweenx(gather.time, place, curve, where=curve > place, color="black", linewidth=0)
    axes.set_xlim(position[0] - spacing, position[-1] + spacing)


def draw(gather, clip, title):
    figure, axes = plt.subplots(figsize=(6.4, 7.2), layout="constrained")
    position, label = gather.across()
    limit = amplitude(gather.traces, clip)
    times = edges(gather.time)
    if len(position) == 1:
        x, y, z = gather.receivers[0]
        label = f"u ({gather.units}) at ({x:g}, {y:g}, {z:g}) m"
        axes.plot(gather.traces[0], gather.time, color="black", linewidth=0.9)
        axes.xaxis.get_major_formatter().set_powerlimits((-2, 3))
    elif len(position) < FEWEST_FOR_IMAGE:
        draw_curves(axes, gather, position, limit)
    else:
        image = draw_image(axes, gather, position, limit)
        bar = figure.colorbar(image, ax=axes, shrink=0.4, aspect=30, pad=0.02, extend="both")
        bar.set_label(f"u ({gather.units})")
        bar.formatter.set_powerlimits((-2, 3))
    axes.set_xlabel(label)
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.set_ylabel("time (s)")
    axes.set_ylim(times[-1], times[0])
    axes.set_title(title, fontsize="medium", parse_math=False)
    return figure


def check_output(path, force):
    """Refuses before anything is drawn what stands in the way of the picture."""
    if os.path.lexists(path) and not (force and os.path.isfile(path)):
        what = "exists; give --force to replace it or another --output"
        if force:
            what = "exists and is no regular file; choose another --output"
        fail(CANNOT_CREATE, f"{shown(path)} {what}")


def save(figure, path):
    try:
        if not path.lower().endswith(".png"):
            figure.savefig(path)
            return
        from PIL import Image  # comes with matplotlib

        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=120)
        # The picture is grey: one byte a pixel instead of four.
        Image.open(buffer).convert("L").save(path, optimize=True)
    except ValueError as error:
        fail(USAGE, f"cannot write {shown(path)}: {error}")
    except OSError as error:
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        fail(PERMISSION if denied else CANNOT_CREATE,
             f"cannot write {shown(path)}: {error.strerror or error}; choose another --output")


def main():
    arguments = parse_arguments()
    check_output(arguments.output, arguments.force)
    gather = read_gather(arguments.gather)
    save(draw(gather, arguments.clip, arguments.title or gather.title()), arguments.output)
    print(f"picture {arguments.output}, {os.path.getsize(arguments.output)} bytes")


if __name__ == "__main__":
    main()
