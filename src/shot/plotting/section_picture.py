"""The picture of a model: three sections through the source, with source and receivers drawn in."""
import numpy as np

LEAST_SHARE = 0.22  # of the figure, for an axis that is short beside the others
WIDTH, TALLEST = 7.0, 6.0  # of the panels, inches


def shares(first, second):
    """How two lengths share a figure: as they are, but neither too narrow to be seen."""
    share = np.clip(first / (first + second) if first + second > 0 else 0.5, LEAST_SHARE, 1 - LEAST_SHARE)
    return [share, 1 - share]


def borders(positions):
    """The first and the last node and half a spacing on both sides, km."""
    half = (positions[1] - positions[0]) / 2 if len(positions) > 1 else 0.5
    return (positions[0] - half) / 1000, (positions[-1] + half) / 1000


def draw_section(axes, values, across, down, points, sources, limits):
    left, right = borders(across)
    top, bottom = borders(down)
    image = axes.imshow(values, extent=(left, right, bottom, top), aspect="auto", cmap="viridis", vmin=limits[0],
                        vmax=limits[1], interpolation="nearest")
    axes.plot(*points.T / 1000, linestyle="", clip_on=False, marker="v", markersize=4 if len(points) < 100 else 2.5,
              color="white", markeredgecolor="black", markeredgewidth=0.4,
              label=f"{len(points)} receiver{'s' if len(points) > 1 else ''}")
    axes.plot(*sources.T / 1000, linestyle="", clip_on=False, marker="*", markersize=13 if len(sources) < 10 else 8,
              color="red", markeredgecolor="white", markeredgewidth=0.7,
              label="source" if len(sources) == 1 else f"{len(sources)} sources")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    return image


def velocity_limits(sections):
    values = np.concatenate([section.ravel() for section in (sections.xz, sections.yz, sections.xy)])
    least, greatest = float(values.min()), float(values.max())
    return (least, greatest) if greatest > least else (0.9 * least, 1.1 * least)


def sections_picture(s, title):
    import matplotlib.pyplot as plt  # which takes long: what is refused does not wait for it
    spans = [max(np.ptp(axis), 1e-9) for axis in (s.x, s.y, s.z)]
    widths, heights = shares(spans[0], spans[1]), shares(spans[1], spans[2])
    tall = min(TALLEST, max(3.0, WIDTH * (spans[1] + spans[2]) / (spans[0] + spans[1])))
    figure, panels = plt.subplots(2, 2, figsize=(WIDTH + 1.4, tall + 1.2), layout="constrained", sharex="col",
                                  gridspec_kw={"width_ratios": widths, "height_ratios": heights})
    limits = velocity_limits(s)
    image = draw_section(panels[1, 0], s.xz, s.x, s.z, s.receivers[:, [0, 2]], s.sources[:, [0, 2]], limits)
    draw_section(panels[1, 1], s.yz, s.y, s.z, s.receivers[:, [1, 2]], s.sources[:, [1, 2]], limits)
    draw_section(panels[0, 0], s.xy, s.x, s.y, s.receivers[:, :2], s.sources[:, :2], limits)
    panels[0, 0].invert_yaxis()
    panels[0, 0].set_ylabel("y (km)")
    panels[1, 0].set(xlabel="x (km)", ylabel="z (km)")
    panels[1, 1].set_xlabel("y (km)")
    panels[1, 1].tick_params(labelleft=False)
    panels[0, 1].axis("off")
    panels[0, 1].legend(*panels[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    x, y, z = s.source
    for panel, text in ((panels[1, 0], f"y = {y:g} m"), (panels[1, 1], f"x = {x:g} m"), (panels[0, 0], f"z = {z:g} m")):
        panel.set_title(text, fontsize="small", loc="left")
    if s.free_surface:
        for panel in panels[1]:
            panel.axhline(0, color="black", linewidth=2.5)
    bar = figure.colorbar(image, ax=panels, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("V (m/s)")
    figure.suptitle(title, fontsize="medium", parse_math=False)
    return figure
