#!/usr/bin/env python3
"""The tables of two papers on stencils beside what a device does: perf/stencil_tables.py RECORD...

Takes records of `minimod bench --stencil --json`, `stencil run --json` and `tune --stencil`, all of one device, and
prints in Markdown

- the benchmarks of Zhang and Mueller, CGO 2012: their fastest code and its Gflop/s on two GPUs, and the fastest kernel
  of all records;
- Figure 11 of Tang et al., ICPP 2013: how many times faster in_plane_full is than forward_plane, each by the fastest
  kernel of the records.

A kernel that is not verified, or whose threads were emulated, does not count. Records of tune have no operations:
Gflop/s of what they found need a record of bench or run of the same stencil. Exit code 1 where the records do not
belong together."""

import argparse
import json
import statistics
import sys
from pathlib import Path

from markdown import print_table

REFERENCES = Path(__file__).resolve().parent / "references"
PRECISIONS = {"float": "single", "single": "single", "double": "double"}


def measured(record, path):
    """Yields of a record (stencil, precision, kernel, Gpt/s, operations a point or None) of each kernel that is
    right."""
    schema = record.get("schema")
    if record.get("played"):
        return
    if schema == "minimod.stencil.bench/1":
        for row in record["kernels"]:
            if row["verified"] and not row.get("played"):
                yield (row["stencil"], PRECISIONS[row["precision"]], row["kernel"], row["gpt_per_s"]["median"],
                       row["operations_a_point"])
    elif schema == "minimod.stencil.run/1":
        rate = record["median"]
        if record["error"] is not None:
            yield (record["stencil"], PRECISIONS[record["precision"]], record["kernel"], rate["gpt_per_s"],
                   round(rate["gflop_per_s"] / rate["gpt_per_s"]))
    elif schema == "minimod.tune/1" and "stencil" in record:
        precision = PRECISIONS[record["stencil"]["arrays"].split(",")[0]]
        for row in record["candidates"]:
            if row["state"] == "measured":
                yield record["stencil"]["name"], precision, row["name"], row["gpt_per_s"], None
    else:
        sys.exit(f"{path}: not a record of minimod bench --stencil, stencil run or tune --stencil (schema {schema!r})")


def grid_of(record):
    grid = record["grid"]
    return "x".join(map(str, grid["n"] if isinstance(grid, dict) else grid))


class Measurements:
    """All kernels of the records, and what the records have in common."""

    def __init__(self, paths):
        self.kernels = {}  # a stencil in a precision: {kernel: Gpt/s}
        self.operations = {}  # a stencil: its operations at a point
        devices, grids, builds = {}, {}, {}
        for path in paths:
            with open(path) as file:
                record = json.load(file)
            for stencil, precision, kernel, rate, operations in measured(record, path):
                if kernel.startswith("red_black"):
                    continue  # another iteration than that of the papers
                rates = self.kernels.setdefault((stencil, precision), {})
                rates.setdefault(kernel, []).append(rate)
                if operations is not None:
                    self.operations[stencil] = operations
            devices[record["device"]["name"]] = path
            grids[grid_of(record)] = builds[record["build"]["git_hash"]] = path
        if len(devices) > 1:
            sys.exit(f"records of different devices: {', '.join(devices)}")
        self.device, self.grids, self.builds = next(iter(devices)), list(grids), list(builds)

    def fastest(self, stencil, precision, family=""):
        """The kernel and its Gpt/s, the median of its records; None where there is none."""
        rates = self.kernels.get((stencil, precision), {})
        medians = [(statistics.median(runs), kernel) for kernel, runs in rates.items() if kernel.startswith(family)]
        return max(medians)[::-1] if medians else None


def read_reference(name):
    with open(REFERENCES / name) as file:
        return json.load(file)


def digits(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def zhang_code(row):
    """Points of a tile, threads, and how the input is read, as in the paper's table."""
    size, dim = ("x".join(map(str, row[key])) for key in ("block_size", "block_dim"))
    return f"{size} by {dim}{', texture' if row['texture'] else ''}"


def zhang_table(found):
    gpus = ["C2050", "GTX 480"]
    best = {(row["gpu"], row["precision"], row["stencil"]): row
            for row in read_reference("zhang_2012.json")["best"]["rows"]}
    rows = []
    for stencil in dict.fromkeys(stencil for _, _, stencil in best):
        for precision in ("single", "double"):
            cells = [f"`{stencil}`", precision]
            for gpu in gpus:
                its = best[gpu, precision, stencil]
                cells += [zhang_code(its), f"{its['gflop_per_s']:.1f}"]
            ours = found.fastest(stencil, precision)
            operations = found.operations.get(stencil)
            cells += [f"`{ours[0]}`" if ours else "-", digits(ours[1] * operations) if ours and operations else "-",
                      digits(ours[1]) if ours else "-"]
            rows.append(cells)
    head = ["stencil", "precision"]
    for gpu in gpus:
        head += [gpu, "Gflop/s"]
    return head + [found.device, "Gflop/s", "Gpt/s"], rows


def figure11_table(found):
    rows = []
    for its in read_reference("tang_2013.json")["figure11"]["rows"]:
        for precision in ("single", "double"):
            cells = [f"`{its['stencil']}`", precision, f"{its['speedup'][precision]:.2f}"]
            forward, in_plane = (found.fastest(its["stencil"], precision, f"{family}_")
                                 for family in ("forward_plane", "in_plane_full"))
            cells.append(f"{in_plane[1] / forward[1]:.2f}" if forward and in_plane else "-")
            for ours in (forward, in_plane):
                cells += [f"`{ours[0]}`", digits(ours[1])] if ours else ["-", "-"]
            rows.append(cells)
    return ["stencil", "precision", "paper", found.device, "forward", "Gpt/s", "in-plane", "Gpt/s"], rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", metavar="RECORD")
    found = Measurements(parser.parse_args().records)
    print(f"{found.device}, {' and '.join(found.grids)} points, minimod {', '.join(found.builds)}\n")
    print("Benchmarks of Zhang and Mueller: tile by threads\n")
    print_table(*zhang_table(found))
    print("\nFigure 11 of Tang et al.: times that in-plane loading is faster than forward-plane loading\n")
    print_table(*figure11_table(found))


if __name__ == "__main__":
    main()
