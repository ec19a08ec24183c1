#!/usr/bin/env python3
"""Tables III and IV of Sai et al., PMBS 2020, beside a device's: perf/sai_tables.py TABLE3.csv TABLE4.csv

Takes the tables of a report of `minimod roofline` with counters (those of an H200 without arguments), and prints in
Markdown, for the paper's 25 shapes, theirs on a V100 and ours,

- Table III: threads, registers and blocks of the inner kernel, and warps that a multiprocessor has at once, achieved and
  theoretical, of the inner kernel and of those of the PML (top and bottom, front and back, left and right);
- Table IV: operations, operations a byte of L2 and DRAM, and the share that is achieved of what each admits, over all
  kernels of a step.

--warps says how many a multiprocessor of the device takes (64: a V100 does, and an H100 or H200). Exit code 1 where the
tables are of another kind, or have none of the paper's shapes."""

import argparse
import csv
import json
import sys
from pathlib import Path

from markdown import print_table

REFERENCES = Path(__file__).resolve().parent / "references"
SIDES = {"inner": ("inner",), "top_bottom": ("top", "bottom"), "front_back": ("front", "back"),
         "left_right": ("left", "right")}
SECTOR = 32  # bytes of a transaction


def read_table(path, column):
    """Rows by shape and kernel."""
    try:
        with open(path, newline="") as file:
            rows = {(row["shape"], row["kernel"]): row for row in csv.DictReader(file) if column in row}
    except (OSError, KeyError) as error:
        sys.exit(f"{path}: {error}")
    if not rows:
        sys.exit(f"{path}: no table of minimod roofline with a column {column}")
    return rows


def number(text):
    return float(text) if text else None


def shown(value, form="{:.0f}"):
    return "–" if value is None else form.format(value)


def warps(rows, shape, side, column, most):
    """The mean over the kernels of a side."""
    found = [number(rows[shape, kernel][column]) for kernel in SIDES[side] if (shape, kernel) in rows]
    return None if not found or None in found else most / 100 * sum(found) / len(found)


def launch_rows(paper, ours, most):
    pml = {row["name"]: row for row in paper["table3_pml"]["rows"]}
    for theirs in paper["table3_inner"]["rows"]:
        name = theirs["name"]
        if (name, "inner") not in ours:
            continue
        inner = ours[name, "inner"]
        cells = [f"`{name}`", str(theirs["threads"]), str(theirs["registers"]), inner["registers"], str(theirs["blocks"]),
                 inner["blocks"]]
        for side in SIDES:
            there = theirs if side == "inner" else pml[name] | pml[name][side]
            for column in ("achieved", "theoretical"):
                cells += [shown(there[f"{column}_warps"], "{:.1f}"),
                          shown(warps(ours, name, side, f"{column}_occupancy_percent", most), "{:.1f}")]
        yield cells


class Step:
    """Sums over the kernels of a shape's step."""

    def __init__(self, rows):
        def total(column):
            values = [number(row[column]) for row in rows]
            return None if None in values else sum(values)

        self.flop, self.seconds = total("flop"), total("seconds_median")
        self.rate = self.flop / self.seconds / 1e9
        first = rows[0]
        self.levels = {}
        for level in ("l2", "dram"):
            transactions = total(f"{level}_transactions")
            bend = number(first[f"{level}_peak_gflop_per_s"]), number(first[f"{level}_flop_per_byte"])
            if transactions is None or None in bend:
                self.levels[level] = None, None
                continue
            intensity = self.flop / transactions / SECTOR
            self.levels[level] = intensity, 100 * self.rate / (intensity * bend[0] / bend[1])


def performance_rows(paper, ours):
    for theirs in paper["table4"]["rows"]:
        name = theirs["name"]
        rows = [row for (shape, _), row in ours.items() if shape == name]
        if not rows:
            continue
        step = Step(rows)
        cells = [f"`{name}`", str(theirs["gflop_per_s"]), shown(step.rate)]
        for level in ("l2", "dram"):
            intensity, share = step.levels[level]
            cells += [f"{theirs[f'{level}_flop_per_byte']:.2f}", shown(intensity, "{:.2f}"),
                      f"{theirs[f'{level}_achieved_percent']:.0f}", shown(share)]
        yield cells


SIDE_NAMES = {"inner": "inner", "top_bottom": "top, bottom", "front_back": "front, back", "left_right": "left, right"}


def launch_head():
    return (["shape", "threads", "registers", "ours", "blocks", "ours"] +
            [cell for side in SIDE_NAMES.values() for column in ("achieved", "theoretical")
             for cell in (f"{side}: warps {column}", "ours")])


def performance_head():
    return ["shape", "Gflop/s", "ours"] + [cell for level in ("L2", "DRAM") for column in ("flop/B", "% of roof")
                                           for cell in (f"{level} {column}", "ours")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launches", nargs="?", default=REFERENCES / "h200_roofline_table3.csv", metavar="TABLE3.csv")
    parser.add_argument("performance", nargs="?", default=REFERENCES / "h200_roofline_table4.csv", metavar="TABLE4.csv")
    parser.add_argument("--warps", type=int, default=64, metavar="N")
    arguments = parser.parse_args()
    with open(REFERENCES / "sai_2020.json") as file:
        paper = json.load(file)
    launches = list(launch_rows(paper, read_table(arguments.launches, "theoretical_occupancy_percent"), arguments.warps))
    performance = list(performance_rows(paper, read_table(arguments.performance, "l2_flop_per_byte")))
    if not launches or not performance:
        sys.exit("the tables have none of the paper's shapes")
    print("Table III: theirs on a V100, ours\n")
    print_table(launch_head(), launches)
    print("\nTable IV: theirs on a V100, ours, a step of all kernels\n")
    print_table(performance_head(), performance)


if __name__ == "__main__":
    main()
