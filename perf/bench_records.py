#!/usr/bin/env python3
"""The records of `bench` that the pages of a GPU or a CPU stand on, a file a table.

    perf/bench_records.py build/bin/minimod CARD SET... -o FOLDER

runs `minimod bench` for each line of the sets named, and leaves FOLDER/CARD_SET.json: by the line's key the record of that
call, in runs of the steps asked for. Sets of whole steps have each line once more, in runs of a second, with joules. A
file has the lines done so far; one that fails is told and left out, and makes the exit code 1."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SUSTAINED = ("two_steps", "one_step", "large")  # sets whose lines are measured for a second, too
CUBES = {"200": 1000, "256": 1000, "300": 1000, "384": 400, "400": 400, "512": 200, "700": 100, "768": 100, "896": 80,
         "1000": 60, "1600": 20, "1900": 20, "2200": 10}  # steps of a run
BOXES = {"999,1001,1003": 60, "2000,2000,250": 60, "4000,300,800": 60}
ORDERS = (2, 4, 6, 8, 10, 12, 14, 16)
BOUNDARIES = {"CPML, 10 points": "--boundary cpml --pml-width 10", "CPML, 20 points": "--boundary cpml --pml-width 20",
              "CPML, 27 points": "--boundary cpml --pml-width 27", "sponge, 27 points": "--boundary sponge --pml-width 27"}


def on_grids(grids, options):
    return {grid.replace(",", "x"): f"--grid {grid} --steps {(CUBES | BOXES)[grid]} {options}" for grid in grids}


def sets():
    shapes = "gmem_32x32x1,gmem_column_32x8x8,st_reg_shft_db_32x16"
    by_regions = f"--grid 1000 --pml-kernel gmem_16x16x4 --kernel {shapes}"
    return {
        "two_steps": on_grids(["200", "256", "512", "700", "768", "896", "1000", *BOXES], "--kernel tma_whole"),
        "one_step": on_grids(["200", "256", "300", "384", "400", "512", "1000"],
                             "--kernel tma_whole_step_64x64,tma_whole_step_200x20"),
        "large": on_grids(["1600", "1900", "2200"], "--kernel auto"),
        "boundaries": {f"{kind}; {size}": f"--grid {size} --steps 50 {options} --kernel auto"
                       for kind, options in BOUNDARIES.items() for size in (512, 1000)},
        "equations": {f"{equation} {size}": f"--grid {size} --steps {steps} --equation {equation} "
                                            "--kernel tma_ring,gmem_32x32x1"
                      for equation in ("density", "vti") for size, steps in ((512, 40), (1000, 20))},
        "orders": {f"{order} {size}": f"--grid {size} --steps {steps} --order {order} --kernel "
                                      f"tma_ring,tma_whole_step{',tma_whole' if order <= 8 else ''}"
                   for order in ORDERS for size, steps in ((1000, 60), (512, 60), (200, 400))},
        "orders_by_regions": {str(order): f"{by_regions},in_plane_full_64x16_r1x2 --steps 20 --order {order}"
                              for order in ORDERS},
        "orders_in_double": {f"{order} {kind}": f"{options} --steps 10 --order {order} --precision double"
                             for order in ORDERS for kind, options in
                             (("tma_ring", "--grid 1000 --kernel tma_ring"),
                              ("others", f"{by_regions},in_plane_full_64x4_r1x1"))},
        "cpu": {size: f"--device cpu --grid {size} --steps 20 --kernel {kernels}"
                for size, kernels in (("200", "kokkos"), ("400", "reference,kokkos"), ("512", "kokkos"))},
        "cpu_orders": {str(order): f"--device cpu --grid 200 --steps 10 --order {order} "
                                   "--kernel reference,kokkos" for order in (2, 4, 8, 12, 16)}}


def record_of(program, options):
    """Record of a call of `bench`; none where it fails, which is told."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bench.json")
        call = [program, "bench", *options.split(), "--repeats", "7", "--json", str(file)]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode:
            print(" ".join(call), done.stderr, sep="\n", file=sys.stderr, flush=True)
            return None
        return json.loads(file.read_text())


def measure(program, name, lines, file):
    """Makes the record of a set; whether all of its lines are there."""
    kinds = {"records": " --no-energy", **({"sustained": ""} if name in SUSTAINED else {})}
    record = {"schema": "minimod.bench_records/1", "options": lines, **{kind: {} for kind in kinds}}
    whole = True
    for key, options in lines.items():
        for kind, energy in kinds.items():
            found = record_of(program, options + energy)
            if found is None:
                whole = False
                continue
            record[kind][key] = found
            rates = (f"{shape['name']} {shape['gpt_per_s']['median']:.4g}" for shape in found["shapes"])
            print(f"{name}, {key}, {kind}: {', '.join(rates)} Gpt/s", flush=True)
            file.write_text(json.dumps(record, indent=1) + "\n")
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("card", help="first word of the files' names: h200, epyc_2")
    parser.add_argument("sets", nargs="+", metavar="SET", choices=sets(), help=", ".join(sets()))
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    done = [measure(args.program, name, sets()[name], args.output / f"{args.card}_{name}.json") for name in args.sets]
    sys.exit(not all(done))


if __name__ == "__main__":
    main()
