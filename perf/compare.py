#!/usr/bin/env python3
"""Says what moved between two records of `minimod bench --json`: perf/compare.py base.json new.json [--threshold 3]

A shape has moved when its median rate changed by more than the threshold (%) and the ranges of the two records do
not overlap. Exit code 1 when something became slower, is not verified any more, or is gone."""

import argparse
import json
import sys


def read(path):
    with open(path) as file:
        record = json.load(file)
    if record.get("schema") != "minimod.bench/1":
        sys.exit(f"{path}: not a record of minimod bench (schema {record.get('schema')!r})")
    return record, {shape["name"]: shape for shape in record["shapes"]}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--threshold", type=float, default=3, help="percent (3)")
    options = parser.parse_args()
    (base, before), (new, after) = read(options.base), read(options.new)
    for what in ("grid", "time"):
        if base[what] != new[what]:
            print(f"note: the records differ in {what}: {base[what]} and {new[what]}")
    if base["device"]["name"] != new["device"]["name"]:
        print(f"note: the devices differ: {base['device']['name']} and {new['device']['name']}")
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
