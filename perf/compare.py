#!/usr/bin/env python3
"""Says what moved between two records of `minimod bench --json`: perf/compare.py base.json new.json [--threshold 3]

A shape has moved when its median rate changed by more than the threshold (%) and the ranges of the two records do
not overlap. Exit code 1 when something became slower, is not verified any more, or is gone.

Two records of `minimod roofline` are compared, too. Kernels are named whose arithmetic intensities differ by more than
the threshold, or rates (GFLOP/s) by more than 5 %, and the greatest differences. Exit code 1 when any does, or a kernel
is gone."""

import argparse
import json
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


def verdict(old, new, threshold):
    if not new["verified"]:
        return "WRONG", None
    if not old["verified"]:
        return "right now", None
    a, b = old["gpt_per_s"], new["gpt_per_s"]
    change = 100 * (b["median"] / a["median"] - 1)
    apart = b["min"] > a["max"] or b["max"] < a["min"]
    if abs(change) <= threshold or not apart:
        return "", change
    return ("faster" if change > 0 else "SLOWER"), change


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
            print(f"{name:26s} {a:8.1f} -> {b:8.1f} Gpt/s  {change:+6.1f} %  {word}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
