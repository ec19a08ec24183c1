#!/usr/bin/env python3
"""What the model of tune makes of GPUs of AMD that nobody here has: perf/amd/predict.py PROGRAM RECORD [--check]

Takes the published peaks of references/amd_gpus.json and the registers of references/gfx90a_kernels.json, gives
`PROGRAM tune --from` a record of each family with them, compiled and not measured, and writes the rates that the model
prints as JSON, of which perf/tables.py makes a table. The inner kernel alone, 512^3 points, order 8, single precision.
With --check nothing is written. Exit code 1 where the program prints no rate or, with it, others than the record has."""

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PERF = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PERF))

from page_tables.amd import waves  # noqa: E402
from page_tables.base import record  # noqa: E402

GRID, LATENCY, SIMDS = [512, 512, 512], 1000, 4
COLUMNS = 9  # words in a row of tune's table: name, registers, spill, shared, occupancy, three rates, the model's


def shape_name(kernel):
    """gmem_8x8x8 of `Gmem<InnerUpdate<float, 4>, 8, 8, 8, 1>, WaveArgs<float, 4>`; None where it is no such kernel."""
    found = re.match(r"(\w+)<InnerUpdate<float, 4>, ([\d, ]+)>, WaveArgs<float, 4>$", kernel)
    if not found:
        return None
    family = re.sub(r"(?<!^)(?=[A-Z])", "_", found.group(1)).lower()
    numbers = [int(number) for number in found.group(2).split(", ")]
    if family.startswith("in_plane"):  # threads, points of each, a vector's width
        x, y, points_x, points_y, _ = numbers
        return f"{family}_{x * points_x}x{y * points_y}_r{points_x}x{points_y}"
    if family == "gmem":  # and a vector's width
        numbers.pop()
    if family == "st_reg_shft":  # and points of a thread
        numbers = numbers[:2] if numbers[2:] == [1, 1] else numbers
    return f"{family}_{'x'.join(map(str, numbers))}"


def compiled(kernel, shape, gpu):
    """The facts of a launch; no block fits where the shape needs more shared memory than there is."""
    lds = max(kernel["lds_bytes"], shape["shared_bytes"])
    waves_of_block = -(-shape["threads"] // gpu["warp_threads"])
    blocks = SIMDS * waves(kernel["vgprs"]) // waves_of_block
    blocks = min(blocks, gpu["lds_bytes"] // lds) if lds else blocks
    return {"active_blocks": blocks, "registers": kernel["vgprs"], "shared_bytes": lds,
            "local_bytes": kernel["scratch_bytes"],
            "theoretical_occupancy": blocks * waves_of_block / gpu["most_warps"]}


def search(family, gpu, candidates):
    """A record of tune, in which all are compiled and none was measured."""
    return {"schema": "minimod.tune/1", "build": {}, "build_id": "", "device": {"name": gpu["name"], "kind": "hip"},
            "family": family, "order": 8, "precision": "single", "equation": "wave", "grid": GRID, "steps": 1,
            "model": {**{key: gpu[key] for key in ("multiprocessors", "bytes_per_s", "clock_hz", "most_warps",
                                                   "warp_threads")}, "latency_cycles": LATENCY},
            "candidates": [{"name": name, "built_in": True, "state": "compiled", "compiled": facts}
                           for name, facts in candidates.items()]}


def rates(program, family, gpu, candidates, folder):
    """Gpt/s of each candidate, as the program prints them."""
    path = folder / "search.json"
    path.write_text(json.dumps(search(family, gpu, candidates)))
    told = subprocess.run([program, "tune", "--from", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split() for line in told.splitlines()]
    return {row[0]: float(row[-1]) for row in rows if len(row) == COLUMNS and row[0] in candidates}


def predictions(program):
    """A row a GPU and built-in shape; without a rate where no block fits."""
    listed = json.loads(subprocess.run([program, "kernels", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    shapes = {shape["name"]: shape for shape in listed["kernels"]}
    kernels = {shape_name(kernel["kernel"]): kernel for kernel in record("gfx90a_kernels.json")["kernels"]}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for gpu in record("amd_gpus.json")["gpus"]:
            facts = {name: compiled(kernels[name], shapes[name], gpu) for name in shapes if name in kernels}
            for family in dict.fromkeys(shapes[name]["family"] for name in facts):
                ours = {name: its for name, its in facts.items() if shapes[name]["family"] == family}
                fitting = {name: its for name, its in ours.items() if its["active_blocks"] > 0}
                told = rates(program, family, gpu, fitting, Path(folder)) if fitting else {}
                if fitting.keys() != told.keys():
                    sys.exit(f"predict.py: error: no rate of {', '.join(fitting.keys() - told.keys())} from {program}")
                rows += [{"gpu": gpu["name"], "kernel": name, "family": family, **its, "gpt_per_s": told.get(name)}
                         for name, its in ours.items()]
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("record", type=Path)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    rows = predictions(given.program)
    if given.check:
        if rows != json.loads(given.record.read_text())["rows"]:
            sys.exit(f"predict.py: {given.record} is not what {given.program} predicts; without --check it is made anew")
        return
    commit = subprocess.run(["git", "-C", PERF, "rev-parse", "--short=12", "HEAD"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    made = {"schema": "minimod.predicted/1", "git_hash": commit, "date": str(datetime.date.today()), "grid": GRID,
            "rows": rows}
    given.record.write_text(json.dumps(made, indent=1) + "\n")
    print(f"{len(rows)} predictions: {given.record}")


if __name__ == "__main__":
    main()
