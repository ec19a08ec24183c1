#!/usr/bin/env python3
"""Draws a record of `minimod bench --json` as bars: perf/plot_bench.py bench.json -o bench.png

A bar is a shape's median rate over inner and PML points, its whisker the range of the runs, the line the rate that
streaming the counted bytes at the measured bandwidth would have."""

import argparse
import json
import re
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    sys.exit("plot_bench.py: error: matplotlib is missing; install it with pip")


def family(shape):
    """A shape's name without its tile."""
    return re.sub(r"_\d+x\d+.*", "", shape["name"])


def ceiling(record):
    grid = record["grid"]
    inner, pml = grid["points_inner"], grid["points_pml"]
    return record["device"]["three_reads_one_write_gb_per_s"] * (inner + pml) / (16 * inner + 24 * pml)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("-o", "--output", default="bench.png")
    options = parser.parse_args()
    with open(options.record) as file:
        record = json.load(file)
    shapes = [shape for shape in record["shapes"] if shape["verified"]]
    rates = [shape["gpt_per_s"] for shape in shapes]
    medians = [rate["median"] for rate in rates]
    whiskers = [[rate["median"] - rate["min"] for rate in rates], [rate["max"] - rate["median"] for rate in rates]]
    families = list(dict.fromkeys(family(shape) for shape in shapes))
    colors = [pyplot.get_cmap("tab20")(families.index(family(shape)) % 20) for shape in shapes]

    figure, axes = pyplot.subplots(figsize=(8, 1.5 + 0.22 * len(shapes)), dpi=100)
    axes.barh(range(len(shapes)), medians, xerr=whiskers, color=colors, height=0.8, error_kw={"lw": 0.8})
    axes.axvline(ceiling(record), color="black", lw=1, ls="--")
    axes.text(ceiling(record), -1.1, "streaming ceiling", ha="right", va="bottom", fontsize=8)
    axes.set_yticks(range(len(shapes)), [shape["name"] for shape in shapes], fontsize=8, family="monospace")
    axes.invert_yaxis()
    axes.set_xlabel("Gpt/s, inner + PML")
    n = "x".join(map(str, record["grid"]["n"]))
    axes.set_title(f'{record["device"]["name"]}, {n} points, {record["time"]["steps"]} steps, '
                   f'minimod {record["build"]["git_hash"]}', fontsize=9, pad=14)
    figure.tight_layout()
    figure.savefig(options.output)


if __name__ == "__main__":
    main()
