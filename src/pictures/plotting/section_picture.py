"""The picture of a model: three sections through the source, with source and receivers drawn in: a map with y up, and
sections with z down."""
import numpy as np

from plotting.geometry import in_unit
from plotting.positions import FILE, MODEL, WORDS
from plotting.texts import count_of, metres

LEAST_SHARE = 0.22  # share of the figure, for an axis that is short beside the others
WIDTH, TALLEST = 7.0, 6.0  # size of the panels, inches


def shares(first, second):
    """How two lengths share a figure: as they are, but neither too narrow to be seen."""
    share = np.clip(first / (first + second), LEAST_SHARE, 1 - LEAST_SHARE)
    return [share, 1 - share]


def is_to_scale(spans):
    """Whether x, y and z can be drawn in one scale."""
    x, y, z = spans
    return all(LEAST_SHARE <= one / (one + other) <= 1 - LEAST_SHARE for one, other in ((x, y), (y, z)))


def borders(positions):
    """The first and the last node and half a spacing on both sides, m."""
    half = (positions[1] - positions[0]) / 2 if len(positions) > 1 else 0.5
    return positions[0] - half, positions[-1] + half


class Frame:
    """The coordinates of the panels: the map's are `map`, the sections' `sections`, which stay the model's where its x
    axis lies obliquely on the map."""

    def __init__(self, s, frame):
        self.place = s.place
        self.map = frame
        self.is_turned = frame == FILE and s.place.is_turned
        self.sections = MODEL if self.is_turned else frame
        corners = self.on_map(np.array([(x, y, 0) for x in borders(s.x) for y in borders(s.y)]))
        lengths = [corners[:, :2], *(self.axis(s, name) for name in "xyz")]
        self.scale, self.unit = in_unit(lengths)
        self.corners = corners / self.scale

    def on_map(self, points):
        return self.place.to_file(points) if self.map == FILE else points

    def on_sections(self, points):
        return points if self.is_turned else self.on_map(points)

    def axis(self, s, name):
        """The nodes along an axis of the sections, m."""
        shift = self.on_sections(np.zeros(3))["xyz".index(name)]
        return getattr(s, name) + shift

    def label(self, name, frame):
        return f"{name} {WORDS[frame]} ({self.unit})"


def draw_values(axes, values, across, down, frame, limits):
    left, right = (end / frame.scale for end in borders(across))
    top, bottom = (end / frame.scale for end in borders(down))
    image = axes.imshow(values, extent=(left, right, bottom, top), aspect="auto", cmap="viridis", vmin=limits[0],
                        vmax=limits[1], interpolation="nearest")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    return image


def draw_map(axes, s, frame, limits):
    """y up; as it lies on the map where it is turned there."""
    if not frame.is_turned:
        draw_values(axes, s.xy, frame.axis(s, "x"), frame.axis(s, "y"), frame, limits)
        axes.invert_yaxis()
        return
    x, y = np.meshgrid(*(np.linspace(*borders(nodes), len(nodes) + 1) for nodes in (s.x, s.y)))
    places = frame.on_map(np.stack([x, y, 0 * x], axis=-1)) / frame.scale
    axes.pcolormesh(places[..., 0], places[..., 1], s.xy, cmap="viridis", vmin=limits[0], vmax=limits[1],
                    rasterized=True)
    axes.set_aspect("equal")


def draw_positions(axes, receivers, sources, scale):
    """[position, 2] in m."""
    axes.plot(*receivers.T / scale, linestyle="", clip_on=False, marker="v",
              markersize=4 if len(receivers) < 100 else 2.5, color="white", markeredgecolor="black",
              markeredgewidth=0.4, label=count_of(len(receivers), "receiver"))
    axes.plot(*sources.T / scale, linestyle="", clip_on=False, marker="*", markersize=13 if len(sources) < 10 else 8,
              color="red", markeredgecolor="white", markeredgewidth=0.7,
              label="source" if len(sources) == 1 else f"{len(sources)} sources")


def velocity_limits(sections):
    values = np.concatenate([section.ravel() for section in (sections.xz, sections.yz, sections.xy)])
    least, greatest = float(values.min()), float(values.max())
    return (least, greatest) if greatest > least else (0.9 * least, 1.1 * least)


def sections_picture(s, frame_name, title):
    """In the coordinates MODEL or FILE."""
    import matplotlib.pyplot as plt  # slow import: what is refused does not wait for it
    frame, limits = Frame(s, frame_name), velocity_limits(s)
    spans = [max(np.ptp(axis), 1e-9) for axis in (s.x, s.y, s.z)]
    widths, heights = shares(spans[0], spans[1]), shares(spans[1], spans[2])
    tall = min(TALLEST, max(3.0, WIDTH * (spans[1] + spans[2]) / (spans[0] + spans[1])))
    figure, panels = plt.subplots(2, 2, figsize=(WIDTH + 1.4, tall + 1.2), layout="constrained",
                                  sharex="none" if frame.is_turned else "col",
                                  gridspec_kw={"width_ratios": widths, "height_ratios": heights})
    map_, along_x, along_y = panels[0, 0], panels[1, 0], panels[1, 1]
    x, y, z = (frame.axis(s, name) for name in "xyz")
    image = draw_values(along_x, s.xz, x, z, frame, limits)
    draw_values(along_y, s.yz, y, z, frame, limits)
    draw_map(map_, s, frame, limits)
    if is_to_scale(spans):
        for axes in (map_, along_x, along_y):
            axes.set_aspect("equal")
    receivers, sources = frame.on_sections(s.receivers), frame.on_sections(s.sources)
    for axes, columns in ((along_x, [0, 2]), (along_y, [1, 2])):
        draw_positions(axes, receivers[:, columns], sources[:, columns], frame.scale)
    draw_positions(map_, frame.on_map(s.receivers)[:, :2], frame.on_map(s.sources)[:, :2], frame.scale)
    name_axes(panels, frame, sources[0])
    if s.free_surface:
        for axes in panels[1]:
            axes.axhline(frame.on_sections(np.zeros(3))[2] / frame.scale, color="black", linewidth=2.5)
    bar = figure.colorbar(image, ax=panels, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("V (m/s)")
    figure.suptitle(title, fontsize="medium", parse_math=False)
    return figure


def name_axes(panels, frame, source):
    map_, along_x, along_y = panels[0, 0], panels[1, 0], panels[1, 1]
    for axes in (map_, along_x, along_y):
        axes.ticklabel_format(useOffset=False, style="plain")
    map_.set_ylabel(f"y ({frame.unit})")
    if frame.is_turned:
        map_.set_xlabel(frame.label("x", frame.map))
    along_x.set(xlabel=frame.label("x", frame.sections), ylabel=f"z ({frame.unit})")
    along_y.set_xlabel(frame.label("y", frame.sections))
    along_y.tick_params(labelleft=False)
    panels[0, 1].axis("off")
    panels[0, 1].legend(*map_.get_legend_handles_labels(), loc="center", frameon=False)
    x, y, z = (metres(value) for value in source)
    for axes, text in ((along_x, f"y = {y} m"), (along_y, f"x = {x} m"), (map_, f"z = {z} m")):
        axes.set_title(text, fontsize="small", loc="left")
