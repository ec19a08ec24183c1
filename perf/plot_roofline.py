#!/usr/bin/env python3
"""Draws the record of `minimod roofline`: perf/plot_roofline.py roofline.json -o roofline.svg roofline.png

Left the rooflines, log-log: the ceilings of memory, L2 and the fabric between its sides (with --l1 of L1 too), of
multiply-adds and of additions, and a mark for each kernel and level at its arithmetic intensity and its rate. Right the
same where the marks are, and in the title what the marks that are drawn mean. A hollow mark stands at the intensity of
the formula, with nothing counted. Of more than 20 shapes those of a family have one color; --shapes draws some of them:
--shapes 'st_reg_*,gmem_8x8x8'."""

import argparse
import errno
import fnmatch
import json
import math
import os
import re
import sys

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, PERMISSION = 64, 65, 66, 69, 73, 77
LEVELS = {"dram": ("DRAM", "o", "-"), "fabric": ("fabric", "D", (0, (3, 1, 1, 1))), "l2": ("L2", "s", "--"),
          "l1": ("L1", "^", ":")}  # name, mark, line
MARKS = {"o": "circles", "D": "diamonds", "s": "squares", "^": "triangles"}
# Ticks of a decade, ever denser.
TICKS = ([1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8])
MOST_TICKS = 7  # ticks of an axis: their labels stand apart
MOST_NAMED = 20  # more shapes than that do not fit a legend; families do


def fail(code, message):
    print(f"minimod: error: {message}"[:240], file=sys.stderr)
    sys.exit(code)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(USAGE, f"{message}; see plot_roofline.py --help")


def parse_arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("-o", "--output", nargs="+", default=["roofline.svg", "roofline.png"])
    parser.add_argument("--shapes", metavar="LIST", help="names and patterns of shapes to draw, with commas (all)")
    parser.add_argument("--l1", action="store_true", help="draw L1 too")
    return parser.parse_args()


arguments = parse_arguments()

try:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "minimod"  # the same record gives the same file
    from matplotlib import pyplot
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
except ImportError as error:
    fail(UNAVAILABLE, f"{error.name} cannot be imported, so there is no picture; install matplotlib with pip")


def read_record(path):
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        if record["schema"] != "minimod.roofline/1":
            raise ValueError("schema")
        return record, best_rates(record), marks(record)
    except OSError as error:
        fail(PERMISSION if error.errno == errno.EACCES else MISSING, f"cannot read '{path}': {error.strerror}")
    except (KeyError, TypeError, ValueError) as error:
        fail(DATA, f"'{path}' is no record of minimod roofline ({error}); give its roofline.json")


def best_rates(record):
    """The best ceiling of each level; those of arithmetic by name."""
    best = {}
    for ceiling in record["ceilings"]:
        key = ceiling["name"] if ceiling["level"].startswith("compute") else ceiling["level"]
        best[key] = max(ceiling["best"], best.get(key, 0))
    best["dram"], best["fp32_fma"]  # without them there is no roof
    return best


def marks(record):
    """(shape, kernel, level, intensity, rate, counted) of every kernel and level; of the PML's six regions the
    slowest stands for all."""
    found = {}
    for kernel in record["kernels"]:
        cells = kernel["cells"]
        rate = cells["gflop_per_s"]["value"]
        region = kernel["kernel"] if kernel["kernel"] in ("inner", "whole", "step", "grid") else "PML"
        for level in LEVELS:
            if f"ai_{level}" not in cells:
                continue
            intensity = cells[f"ai_{level}"]
            key = (kernel["shape"], region, level)
            if key not in found or rate < found[key][1]:
                found[key] = (intensity["value"], rate, intensity["source"] != "analytic")
    return [key + value for key, value in found.items()]


def of_shapes(points, patterns):
    """The marks of the shapes that match one of the patterns."""
    shapes = {point[0] for point in points}
    chosen = set()
    for pattern in patterns:
        matching = set(fnmatch.filter(shapes, pattern))
        if not matching:
            fail(USAGE, f"no shape of the record matches '{pattern}'; it has {', '.join(sorted(shapes))}")
        chosen |= matching
    return [point for point in points if point[0] in chosen]


def families(points):
    """The same marks under the names of families, which are those of shapes without the tile."""
    return [(re.sub(r"_\d+x\d+.*", "", point[0]),) + point[1:] for point in points]


def peak_of(record, best):
    """The ceiling of multiply-adds: of doubles where all kernels compute in them."""
    in_double = all(kernel.get("precision") == "double" for kernel in record["kernels"])
    return best["fp64_fma" if in_double and record["kernels"] else "fp32_fma"]


def draw_roofs(axes, best, peak, levels, span):
    for level in levels:
        if level not in best:
            continue
        name, _, line = LEVELS[level]
        ridge = peak / best[level]
        axes.plot([span[0], ridge], [span[0] * best[level], peak], color="black", lw=1.2, ls=line,
                  label=f"{name} {best[level]:.0f} GB/s")
    axes.plot([peak / max(best[level] for level in levels if level in best), span[1]], [peak, peak], color="black",
              lw=1.2, label=f"multiply-adds {peak:.0f} GFLOP/s")
    if "fp32_add" in best and peak == best["fp32_fma"]:
        axes.axhline(best["fp32_add"], color="gray", lw=0.8, ls="-.", label=f"additions {best['fp32_add']:.0f} GFLOP/s")


def draw_marks(axes, points, colors, levels):
    for name, region, level, intensity, rate, counted in points:
        if level in levels:
            axes.plot(intensity, rate, LEVELS[level][1], color=colors[name], markersize=7 if region != "PML" else 4,
                      markerfacecolor=colors[name] if counted else "none")


def ticks_of(low, high):
    """The densest ticks of a logarithmic axis that are no more than MOST_TICKS."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    sets = [[tick * 10.0**decade for decade in decades for tick in ticks if low <= tick * 10.0**decade <= high]
            for ticks in TICKS]
    return max((ticks for ticks in sets if len(ticks) <= MOST_TICKS), key=len, default=sets[0])


def what_marks_mean(points):
    """Handles of the marks that are drawn."""
    regions = {region for _, region, *_ in points}
    levels = {level for _, _, level, *_ in points}
    meanings = []
    if "PML" in regions and len(regions) > 1:
        meanings.append("large: inner box, small: the slowest of the PML" if "inner" in regions else
                        "small: the slowest of the PML")
    meanings.append(", ".join(f"{MARKS[mark]}: {name}" for level, (name, mark, _) in LEVELS.items() if level in levels))
    counted = {point[5] for point in points}
    if False in counted:
        meanings.append("hollow: by the formula" if True in counted else "all by the formula")
    return "; ".join(meaning for meaning in meanings if meaning)


def label(axes, title):
    """Ticks for the limits that the axes have by now."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        axis.set_major_locator(FixedLocator(ticks_of(low, high)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.12g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("arithmetic intensity (FLOP/B)")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(title, fontsize="small")
    axes.grid(True, which="both", lw=0.3)


def draw(record, best, points, levels):
    figure, (whole, zoomed) = pyplot.subplots(1, 2, figsize=(13, 5.6), layout="constrained")
    if len({point[0] for point in points}) > MOST_NAMED:
        points = families(points)
    names = list(dict.fromkeys(point[0] for point in points))
    palette = pyplot.get_cmap("tab20").colors + pyplot.get_cmap("tab20b").colors
    colors = {name: palette[i % len(palette)] for i, name in enumerate(names)}
    seen = [point for point in points if point[2] in levels]
    intensities, rates = [point[3] for point in seen] or [1], [point[4] for point in seen] or [1]
    peak = peak_of(record, best)
    span = (min(0.1, min(intensities) / 2), max(100, 2 * max(intensities)))
    for axes in (whole, zoomed):
        axes.set_xscale("log")
        axes.set_yscale("log")
        draw_roofs(axes, best, peak, levels, span)
        draw_marks(axes, seen, colors, levels)
    zoomed.set_xlim(min(intensities) / 1.5, max(intensities) * 1.5)
    zoomed.set_ylim(min(rates) / 1.5, max(max(rates) * 2, min(peak, max(intensities) * best["dram"] * 1.5)))
    n = "x".join(map(str, record["grid"]["n"]))
    label(whole, f"{record['device']['name']}, {n} points, {record['mode']}, minimod {record['build']['git_hash']}")
    emulated = any(kernel.get("played") for kernel in record["kernels"])
    label(zoomed, "; ".join(filter(None, [what_marks_mean(seen), "emulated threads have no mark" if emulated else ""])))
    whole.legend(fontsize="small", loc="lower right")
    handles = [zoomed.plot([], [], "o", color=colors[name])[0] for name in names]
    zoomed.legend(handles, names, fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def save(figure, path):
    metadata = {"Date": None} if path.lower().endswith(".svg") else None
    part = f"{path}.{os.getpid()}.part"
    try:
        figure.savefig(part, format=os.path.splitext(path)[1][1:] or "png", metadata=metadata, dpi=110)
        os.replace(part, path)
    except (OSError, ValueError) as error:
        denied = isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        fail(PERMISSION if denied else CANNOT_CREATE, f"cannot write '{path}': {error}; choose another --output")


def main():
    record, best, points = read_record(arguments.record)
    if arguments.shapes:
        points = of_shapes(points, arguments.shapes.split(","))
    levels = [level for level in LEVELS if level != "l1" or arguments.l1]
    figure = draw(record, best, points, levels)
    for path in arguments.output:
        save(figure, path)
        print(f"picture {path}")


if __name__ == "__main__":
    main()
