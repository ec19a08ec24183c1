#!/usr/bin/env python3
"""Says what moved between two records of `minimod bench --json`: perf/compare.py base.json new.json [--threshold 3]

The median rate of a shape lies in an interval: that of 95 % confidence where the record has it, else between the least
and the greatest run. Its change, by both intervals, decides:

  faster, SLOWER   no change is not within it, and the medians differ by more than the threshold (%)
  same             all of it is within the threshold
  cannot tell      neither

Where both records have clocks, rates per clock of the multiprocessors are compared, too: a shape that is slower, but the
same per clock, was on a slower card. Exit code 1 when something became slower, is not verified any more, or is gone.

Two records of `minimod roofline` are compared, too. Kernels are named whose arithmetic intensities differ by more than
the threshold, or rates (GFLOP/s) by more than 5 %, and the greatest differences. Exit code 1 when any does, or a kernel
is gone."""

import argparse
import json
import math
import sys


def read(path):
    with open(path) as file:
        record = json.load(file)
    if record.get("schema") == "minimod.bench/1":
        return record, {shape["name"]: shape for shape in record["shapes"]}
    if record.get("schema") == "minimod.stencil.bench/1":
        return record, {f"{kernel['stencil']} {kernel['kernel']}": kernel for kernel in record["kernels"]}
    if record.get("schema") == "minimod.roofline/1":
        return record, {(row["shape"], row["kernel"]): row["cells"] for row in record["kernels"]}
    sys.exit(f"{path}: not a record of minimod bench or roofline (schema {record.get('schema')!r})")


def interval(rates):
    """Median, and between which rates it lies."""
    return rates["median"], *(rates.get("median_95") or (rates["min"], rates["max"]))


def interval_of(values):
    """The same of values, by their order: 95 % that the median of all that there might be lies there."""
    values = sorted(values)
    n, left_out, chance = len(values), 0, 0.5 ** len(values)
    while chance <= 0.025:
        left_out += 1
        chance += math.comb(n, left_out) * 0.5 ** n
    first = max(0, left_out - 1)
    return values[n // 2], values[first], values[n - 1 - first]


def per_clock(shape):
    """The same of points a cycle of the multiprocessors, each run by its own clock; None without clocks."""
    runs = [run for run in shape.get("runs", []) if run.get("clock_mhz")]
    if not runs or len(runs) < len(shape["runs"]):
        return None
    gpoints = shape["gpt_per_s"]["median"] * shape["seconds"]["median"]
    return interval_of([1e3 * gpoints / run["seconds"] / run["clock_mhz"]["mean"] for run in runs])


def judge(old, new, threshold):
    """A word on two medians with their intervals, and the change in per cent."""
    change = 100 * (new[0] / old[0] - 1)
    least, most = 100 * (new[1] / old[2] - 1), 100 * (new[2] / old[1] - 1)
    if abs(change) > threshold and (least > 0 or most < 0):
        return ("faster" if change > 0 else "SLOWER"), change
    return ("same" if max(-least, most) <= threshold else "cannot tell"), change


def verdict(old, new, threshold):
    if not new["verified"]:
        return "WRONG", None
    if not old["verified"]:
        return "right now", None
    return judge(interval(old["gpt_per_s"]), interval(new["gpt_per_s"]), threshold)


def compare_rooflines(before, after, threshold):
    limits = {"ai_dram": threshold, "ai_l2": threshold, "ai_l1": threshold, "gflop_per_s": 5}
    greatest = {}
    differs = False
    for name, cells in before.items():
        if name not in after:
            print(*name, "gone")
            differs = True
            continue
        for figure in limits.keys() & cells.keys() & after[name].keys():
            a, b = cells[figure]["value"], after[name][figure]["value"]
            change = 100 * (b / a - 1)
            greatest[figure] = max(greatest.get(figure, (0, name)), (abs(change), name))
            if abs(change) > limits[figure]:
                differs = True
                print(f"{' '.join(name):40s} {figure:12s} {a:10.4g} -> {b:10.4g}  {change:+6.1f} %")
    for figure, (change, name) in sorted(greatest.items()):
        print(f"{figure:12s} at most {change:.2f} % ({' '.join(name)})")
    return 1 if differs else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--threshold", type=float, default=3, help="percent (3)")
    options = parser.parse_args()
    (base, before), (new, after) = read(options.base), read(options.new)
    if base["schema"] != new["schema"]:
        sys.exit(f"records of different kinds: {base['schema']} and {new['schema']}")
    for what in ("grid", "time"):
        if base.get(what) != new.get(what):
            print(f"note: the records differ in {what}: {base.get(what)} and {new.get(what)}")
    if base["device"]["name"] != new["device"]["name"]:
        print(f"note: the devices differ: {base['device']['name']} and {new['device']['name']}")
    if base["schema"] == "minimod.roofline/1":
        return compare_rooflines(before, after, options.threshold)
    worse = False
    for name in list(before) + [n for n in after if n not in before]:
        if name not in after or name not in before:
            print(f"{name:26s} {'gone' if name in before else 'new'}")
            worse = worse or name in before
            continue
        word, change = verdict(before[name], after[name], options.threshold)
        worse = worse or word in ("SLOWER", "WRONG")
        if change is None:
            print(f"{name:26s} {word}")
        else:
            a, b = before[name]["gpt_per_s"]["median"], after[name]["gpt_per_s"]["median"]
            print(f"{name:26s} {a:8.4g} -> {b:8.4g} Gpt/s  {change:+6.1f} %  {word}")
            cycles = per_clock(before[name]), per_clock(after[name])
            if None not in cycles:
                word, change = judge(*cycles, options.threshold)
                print(f"{'  per clock':26s} {cycles[0][0]:8.4g} -> {cycles[1][0]:8.4g} points  {change:+6.1f} %  {word}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
