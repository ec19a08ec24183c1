#!/usr/bin/env python3
"""Runs every code shape that the device has and keeps the record: seconds and Gpt/s as minimum, median and
maximum of several runs, beside the streaming ceiling measured in the same runs.

    perf/record_shapes.py --program build/bin/minimod --grid 1000 --steps 200 --output perf/references/h200.json
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="./minimod", help="the program (./minimod)")
    parser.add_argument("--grid", default="1000", help="points along each axis (1000)")
    parser.add_argument("--steps", default="200", help="time steps of a run (200)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each shape (7)")
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--kernels", nargs="*", help="names (all that run on the device)")
    parser.add_argument("--output", required=True, help="JSON file of the record")
    return parser.parse_args()


def names_of(options):
    if options.kernels:
        return options.kernels
    listed = json.loads(subprocess.run([options.program, "kernels", "--json"], check=True, capture_output=True).stdout)
    return [kernel["name"] for kernel in listed["kernels"] if kernel[options.device]["runs"]]


def run(options, name, folder):
    record = folder / "run.json"
    command = [options.program, "--kernel", name, "--device", options.device, "--grid", options.grid,
               "--steps", options.steps, "--output", str(folder), "--json", str(record), "--force"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return json.loads(record.read_text())


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def main():
    options = arguments()
    shapes, ceilings, copies, first = [], [], [], None
    with tempfile.TemporaryDirectory() as temporary:
        for name in names_of(options):
            runs = [run(options, name, Path(temporary)) for _ in range(options.repeats)]
            first = first or runs[0]
            ceilings += [r["device"]["three_reads_one_write_gb_per_s"] for r in runs]
            copies += [r["device"]["copy_gb_per_s"] for r in runs]
            results = [r["result"] for r in runs]
            middle = sorted(results, key=lambda r: r["seconds"])[len(results) // 2]
            shapes.append({"name": name,
                           "seconds": spread([r["seconds"] for r in results]),
                           "gpt_per_s": spread([r["gpt_per_s"] for r in results]),
                           "gb_per_s": spread([r["gb_per_s"] for r in results]),
                           "extremes": {"min": results[0]["min"], "max": results[0]["max"]},
                           "launch_seconds": middle["regions"]})
            s = shapes[-1]
            print(f'{name:22s} {s["seconds"]["min"]:9.3f} {s["seconds"]["median"]:9.3f} {s["seconds"]["max"]:9.3f} s'
                  f'  {s["gpt_per_s"]["median"]:7.1f} Gpt/s  {s["gb_per_s"]["median"]:7.0f} GB/s', flush=True)
    device = dict(first["device"], copy_gb_per_s=spread(copies), three_reads_one_write_gb_per_s=spread(ceilings))
    record = {"schema": "minimod.shapes/1", "repeats": options.repeats, "build": first["build"], "device": device,
              "grid": first["grid"], "time": first["time"], "shapes": shapes}
    Path(options.output).write_text(json.dumps(record, indent=1) + "\n")
    ceiling = device["three_reads_one_write_gb_per_s"]
    print(f'ceiling (3 reads, 1 write) {ceiling["min"]:.0f} {ceiling["median"]:.0f} {ceiling["max"]:.0f} GB/s; '
          f'record in {options.output}')


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{' '.join(failure.cmd)}: exit {failure.returncode}: {(failure.stderr or b'').decode().strip()}")
