"""The pictures of traces: receivers across and time down, or amplitudes over frequency."""
import dataclasses

import numpy as np

from plotting.geometry import unit_of_all
from plotting.positions import WORDS
from plotting.processing import clip_level
from plotting.texts import point

FEWEST_FOR_IMAGE = 24  # fewer traces are drawn as wiggles
MOST_WIGGLES = 120  # most wiggles; of more traces every n-th is drawn
QUIET = 1e-2  # share of the greatest amplitude: where a spectrum ends
COLORMAPS = {"gray": "gray_r", "seismic": "seismic"}


def edges(positions):
    """Borders half way between the positions, as many and one; an only one stands in the middle of 1."""
    if len(positions) == 1:
        return positions[0] + np.array([-0.5, 0.5])
    middle = (positions[1:] + positions[:-1]) / 2
    return np.concatenate([[2 * positions[0] - middle[0]], middle, [2 * positions[-1] - middle[-1]]])


def draw_image(axes, traces, position, time, limit, colormap):
    borders, times = edges(position), edges(time)
    style = {"cmap": COLORMAPS[colormap], "vmin": -limit, "vmax": limit}
    steps = np.diff(position)
    if np.ptp(steps) < 1e-6 * steps.max():
        extent = (borders[0], borders[-1], times[-1], times[0])
        return axes.imshow(traces.T, extent=extent, aspect="auto", **style)
    return axes.pcolormesh(borders, times, traces.T, rasterized=True, **style)


def draw_wiggles(axes, traces, position, time, limit):
    """Curves with filled positive lobes; returns how many traces a drawn one stands for."""
    step = -(-len(position) // MOST_WIGGLES)
    position, traces = position[::step], traces[::step]
    spacing = np.ptp(position) / max(len(position) - 1, 1) or 1.0
    width = 0.7 if len(position) < 60 else 0.4
    for place, trace in zip(position, traces):
        curve = place + spacing * np.clip(trace / limit, -1, 1)
        axes.plot(curve, time, color="black", linewidth=width)
        axes.fill_betweenx(time, place, curve, where=curve > place, interpolate=True, color="black", linewidth=0)
    axes.set_xlim(position[0] - spacing, position[-1] + spacing)
    return step


def draw_trace(axes, gather, name):
    axes.plot(gather.traces[0], gather.time, color="black", linewidth=0.9)
    axes.xaxis.get_major_formatter().set_powerlimits((-2, 3))
    return f"{name} at {point(gather.positions.receivers[0])} {WORDS[gather.positions.frame]}"


def mark_source(axes, place):
    """A star on the upper edge, where the source is within the picture."""
    left, right = sorted(axes.get_xlim())
    if place is not None and left <= place <= right:
        axes.plot([place], [1], transform=axes.get_xaxis_transform(), clip_on=False, linestyle="", marker="*",
                  markersize=9, color="white", markeredgecolor="black", markeredgewidth=0.7, zorder=5, label="source")


def mark_start(axes, times):
    """A line at t = 0, where traces begin before it."""
    if times[0] < 0 < times[-1]:
        axes.axhline(0, color="black", linewidth=0.7, linestyle=(0, (6, 3)), label="t = 0")


@dataclasses.dataclass
class Panel:
    """A gather in the order of the picture's columns, and their axis; `name` says what the traces are, with their
    unit."""
    gather: object
    axis: object
    name: str
    title: str

    @property
    def is_one(self):
        return len(self.gather.traces) == 1


def is_image(panel, style):
    """A picture whose colours are chosen is one."""
    count = len(panel.gather.traces)
    return count > 1 and not style.wiggles and (count >= FEWEST_FOR_IMAGE or style.colormap is not None)


def draw_panel(axes, panel, limit, unit, style):
    """`unit` is that of the picture: what 1 of it is in m, and its name. Returns the image, where it is one."""
    gather, image = panel.gather, None
    scale, unit_name = unit
    position, source = panel.axis.scaled(scale)
    label, times = panel.axis.label(unit_name), edges(gather.time)
    if panel.is_one:
        label = draw_trace(axes, gather, panel.name)
    elif is_image(panel, style):
        image = draw_image(axes, gather.traces, position, gather.time, limit, style.colormap or "gray")
    else:
        step = draw_wiggles(axes, gather.traces, position, gather.time, limit)
        label += f", one trace of {step}" if step > 1 else ""
    axes.set_ylim(times[-1], times[0])
    if not panel.is_one:
        axes.ticklabel_format(axis="x", useOffset=False, style="plain")
        mark_source(axes, source)
    if style.reduce is None:
        mark_start(axes, gather.time)
    axes.set_xlabel(label)
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.set_title(panel.title, fontsize="medium" if style.alone else "small", parse_math=False, pad=10)
    return image


def traces_picture(panels, style):
    """Gathers side by side with one clip and one unit of length; `style` has clip, wiggles, colormap, reduce,
    time_label."""
    import matplotlib.pyplot as plt  # slow import: what is refused does not wait for it
    style.alone = len(panels) == 1
    width = 6.4 if style.alone else 1.0 + 3.6 * len(panels)
    figure, row = plt.subplots(1, len(panels), figsize=(width, 7.2), layout="constrained", squeeze=False)
    limit = clip_level(np.concatenate([panel.gather.traces.ravel() for panel in panels]), style.clip)
    unit = unit_of_all([panel.axis for panel in panels if not panel.is_one])
    images = [(draw_panel(axes, panel, limit, unit, style), panel) for axes, panel in zip(row.flat, panels)]
    drawn = [(image, panel) for image, panel in images if image is not None]
    if drawn:
        image, panel = drawn[-1]
        bar = figure.colorbar(image, ax=row, shrink=0.4, aspect=30, pad=0.02, extend="both")
        bar.set_label(panel.name)
        bar.formatter.set_powerlimits((-2, 3))
    row[0, 0].set_ylabel(style.time_label)
    return figure


def spectrum_picture(frequency, amplitude, label, title):
    """Root mean square over the traces of `amplitude` [receiver, frequency], and the largest of them."""
    import matplotlib.pyplot as plt  # slow import: what is refused does not wait for it
    figure, axes = plt.subplots(figsize=(7.2, 4.5), layout="constrained")
    mean, largest = np.sqrt(np.mean(amplitude ** 2, axis=0)), amplitude.max(axis=0)
    if len(amplitude) > 1:
        axes.fill_between(frequency, 0, largest, color="0.85", linewidth=0, label="greatest of the traces")
    curve = f"root mean square of {len(amplitude)} traces" if len(amplitude) > 1 else "of the trace"
    axes.plot(frequency, mean, color="black", linewidth=1.1, label=curve)
    loud = np.flatnonzero(largest > QUIET * largest.max())
    end = frequency[min(int(1.1 * loud[-1]) + 1, len(frequency) - 1)] if len(loud) else frequency[-1]
    axes.set_xlim(0, end)
    axes.set_ylim(0, None)
    axes.yaxis.get_major_formatter().set_powerlimits((-2, 3))
    axes.set_xlabel("frequency (Hz)")
    axes.set_ylabel(label)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    axes.set_title(title, fontsize="medium", parse_math=False)
    return figure
