#!/usr/bin/env python3
"""Table IV of Tang et al., ICPP 2013, anew: perf/in_plane_tables.py RECORD... [-o speedups.png]

Takes records of one device, of `minimod tune --equation jacobi` and `minimod bench --equation jacobi --json`, and prints
in Markdown, a grid after another,

- the fastest tile of the full-slice in-plane method, on the paper's grid beside those on its three GPUs, threads (TX,
  TY) and points of a thread (RX, RY), and how many times faster it is than nvstencil;
- Figures 7 and 10: how many times faster than nvstencil the in-plane methods are with one point a thread, and the
  full-slice method with several.

- with --surface TX,TY Figure 8: Gpt/s of the full slice by blocks of so many threads, over the points of a thread.

nvstencil, the forward-plane kernel of the CUDA SDK, is `st_reg_shft`. With -o the second is drawn, too. Exit code 1
where the records do not belong together."""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

from markdown import print_table

REFERENCES = Path(__file__).resolve().parent / "references"
FORWARD, FULL = "st_reg_shft", "in_plane_full"
VARIANTS = ["in_plane_vertical", "in_plane_horizontal", FULL]
VALUE_BYTES = {"single": 4, "double": 8}
NAME = re.compile(r"(?P<family>[a-z_]+?)_(?P<x>\d+)x(?P<y>\d+)(_r(?P<rx>\d+)x(?P<ry>\d+))?(_v(?P<width>\d))?$")


class Kernel:
    """A measured one, with its name taken apart."""

    def __init__(self, name, rate):
        match = NAME.match(name)
        self.name, self.rate, self.family = name, rate, match["family"]
        self.points = int(match["rx"] or 1), int(match["ry"] or 1)
        self.threads = int(match["x"]) // self.points[0], int(match["y"]) // self.points[1]
        self.width = match["width"]

    def tile(self):
        tile = "({}, {}, {}, {})".format(*self.threads, *self.points)
        return tile + f" v{self.width}" if self.width else tile


def is_search(record):
    return record["schema"] == "minimod.tune/1"


def measured(record):
    """Yields of a record name and Gpt/s of each kernel that is right."""
    if is_search(record):
        for row in record["candidates"]:
            if row["state"] == "measured":
                yield row["name"], row["gpt_per_s"]
    else:
        for row in record["shapes"]:
            if row["verified"]:
                yield row["name"], row["gpt_per_s"]["median"]


class Grid:
    """All kernels on a grid: by precision and order, each with the median of its records."""

    def __init__(self):
        self.rates, self.copies, self.builds = {}, {}, set()

    def add(self, record):
        key = record["precision"], record["order"]
        rates = self.rates.setdefault(key, {})
        for name, rate in measured(record):
            rates.setdefault(name, []).append(rate)
        self.copies.setdefault(key, []).append(record["device"]["copy_gb_per_s"])
        self.builds.add(record["build"]["git_hash"])

    def fastest(self, key, family, one_point=False):
        kernels = (Kernel(name, statistics.median(rates)) for name, rates in self.rates[key].items())
        fitting = [k for k in kernels if k.family == family and (not one_point or k.points == (1, 1))]
        return max(fitting, key=lambda kernel: kernel.rate, default=None)

    def surface(self, key, threads):
        """Gpt/s of the full slice with blocks of these threads, by points of a thread; of vectors the faster."""
        rates = {}
        for name, its in self.rates[key].items():
            kernel = Kernel(name, statistics.median(its))
            if kernel.family == FULL and kernel.threads == threads:
                rates[kernel.points] = max(kernel.rate, rates.get(kernel.points, 0))
        return rates

    def share(self, key, rate):
        """The rate as a share of what copying the field at the measured bandwidth would do."""
        ceiling = statistics.median(self.copies[key]) / (2 * VALUE_BYTES[key[0]])
        return rate / ceiling

    def speedups(self, key):
        """Over the forward plane: of each variant with one point a thread, and of the full slice with any."""
        forward = self.fastest(key, FORWARD)
        kernels = [self.fastest(key, family, True) for family in VARIANTS] + [self.fastest(key, FULL)]
        return [kernel.rate / forward.rate if kernel and forward else None for kernel in kernels]


def digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(value):
    return "-" if value is None else f"{value:.2f}"


def grid_tables(device, name, grid):
    """Head and rows of Table IV, and of Figures 7 and 10."""
    with open(REFERENCES / "tang_2013.json") as file:
        reference = json.load(file)
    its = {(row["gpu"], row["precision"], row["order"]): row for row in reference["table4"]["rows"]}
    is_its_grid = name == "x".join(map(str, reference["table4"]["grid"]))
    gpus = [gpu["name"] for gpu in reference["gpus"]] if is_its_grid else []
    tiles, methods = [], []
    for key in sorted(grid.rates, key=lambda key: (key[0] != "single", key[1])):
        cells = [key[0], str(key[1])]
        for gpu in gpus:
            row = its[gpu, *key]
            tile = "({}, {}, {}, {})".format(*row["threads"], *row["points"])
            cells += [tile, digits(row["mpoint_per_s"] / 1000), times(row["speedup"])]
        best, speedups = grid.fastest(key, FULL), grid.speedups(key)
        cells += [best.tile(), digits(best.rate), f"{100 * grid.share(key, best.rate):.0f}", times(speedups[-1])]
        tiles.append(cells)
        forward = grid.fastest(key, FORWARD)
        methods.append([key[0], str(key[1]), forward.tile(), digits(forward.rate), *map(times, speedups)])
    head = ["precision", "order"]
    for gpu in gpus:
        head += [gpu, "Gpt/s", "times"]
    return ((head + [device, "Gpt/s", "% of copying", "times"], tiles),
            (["precision", "order", "nvstencil", "Gpt/s", "vertical", "horizontal", "full slice", "with register tiles"],
             methods))


def print_grid(device, name, grid):
    print(f"{device}, {name} points, minimod {', '.join(sorted(grid.builds))}\n")
    for head, rows in grid_tables(device, name, grid):
        print_table(head, rows)
        print()


def print_surfaces(device, name, grid, threads):
    for key in sorted(grid.rates, key=lambda key: (key[0] != "single", key[1])):
        rates = grid.surface(key, threads)
        if not rates:
            continue
        down, across = (sorted({points[axis] for points in rates}) for axis in (0, 1))
        print(f"{device}, {name} points, order {key[1]}, {key[0]}, {threads[0]} x {threads[1]} threads: Gpt/s\n")
        print_table(["RX \\ RY", *map(str, across)],
                    [[str(rx), *(digits(rates[rx, ry]) if (rx, ry) in rates else "-" for ry in across)] for rx in down])
        print()


def threads_of(given):
    tx, ty = map(int, given.split(","))
    return tx, ty


def draw(device, grids, path):
    try:
        import matplotlib
    except ImportError:
        sys.exit("in_plane_tables.py: error: matplotlib is missing; install it with pip")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    precisions = ["single", "double"]
    figure, axes = pyplot.subplots(len(grids), 2, figsize=(10, 3.2 * len(grids)), dpi=100, sharey=True, squeeze=False)
    labels = ["vertical", "horizontal", "full slice", "full slice, register tiles"]
    for row, (name, grid) in zip(axes, grids.items()):
        for axis, precision in zip(row, precisions):
            orders = sorted(order for its, order in grid.rates if its == precision)
            for i, label in enumerate(labels):
                places = [place + 0.2 * (i - 1.5) for place in range(len(orders))]
                heights = [grid.speedups((precision, order))[i] or 0 for order in orders]
                axis.bar(places, heights, 0.19, label=label)
            axis.axhline(1, color="black", lw=0.8)
            axis.set_xticks(range(len(orders)), orders)
            axis.set_xlabel("order")
            axis.set_title(f"{device}, {name}, {precision}", fontsize=9)
        row[0].set_ylabel("times nvstencil")
    axes[0][0].legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(path)


def read_grids(paths):
    """The device of the records, and their grids by name."""
    grids, devices = {}, set()
    for path in paths:
        with open(path) as file:
            record = json.load(file)
        if (record if is_search(record) else record["grid"]).get("equation") != "jacobi":
            sys.exit(f"{path}: not a record of --equation jacobi")
        n = record["grid"]["n"] if isinstance(record["grid"], dict) else record["grid"]
        grids.setdefault("x".join(map(str, n)), Grid()).add(record)
        devices.add(record["device"]["name"])
    if len(devices) > 1:
        sys.exit(f"records of different devices: {', '.join(sorted(devices))}")
    return devices.pop(), grids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", metavar="RECORD")
    parser.add_argument("-o", "--output", metavar="PNG")
    parser.add_argument("--surface", type=threads_of, metavar="TX,TY", help="Figure 8 in place of the tables")
    options = parser.parse_args()
    device, grids = read_grids(options.records)
    for name, grid in grids.items():
        if options.surface:
            print_surfaces(device, name, grid, options.surface)
        else:
            print_grid(device, name, grid)
    if options.output:
        draw(device, grids, options.output)


if __name__ == "__main__":
    main()
