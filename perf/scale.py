#!/usr/bin/env python3
"""Strong and weak scaling of a domain cut among ranks: a record and a picture.

    perf/scale.py build/bin/minimod --ranks 1,2 --grid 1000 -o scale.json [--plot scale.png] [-- OPTIONS OF MINIMOD]
    perf/scale.py build/bin/minimod --stencil seven_point,zhang_13 -o scale.json [-- --kernel coarsened_32x8x32]

Strong: the same cube on all numbers of ranks. Weak: a cube of planes a rank (the cube's layer lies outside only). All are
run in turn, `--repeats` times; a run's rate is that of its slowest rank's time loop. With --stencil it is that of
`minimod stencil run`, which verifies first. Needs matplotlib for --plot alone."""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--stencil", default="", help="names or files of stencils, with commas (the wave equation)")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, the first one alone (1,2)")
    parser.add_argument("--kinds", default="strong,weak", help="of scaling (strong,weak)")
    parser.add_argument("--grid", type=int, default=1000, help="points of the cube along each axis")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--warmup", type=int, default=100, help="first steps of the wave equation, which are not timed")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--mpirun", default="", help="how ranks are started, '{}' being their number (--ranks of minimod)")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--plot", default="")
    words = sys.argv[1:] + ["--"]
    end = words.index("--")
    args = parser.parse_args(words[:end])
    args.options = words[end + 1:-1]
    return args


def output_of(args, ranks, command):
    """Output of the command, on so many ranks."""
    if ranks > 1:
        command = args.mpirun.format(ranks).split() + command if args.mpirun else command + ["--ranks", str(ranks)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def run_wave(args, ranks, planes):
    """Facts of a run of so many ranks, and its Gpt/s."""
    n = args.grid
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.json")
        output_of(args, ranks, [args.program, "--grid", f"{n},{n},{planes}", "--steps", str(args.steps), "--warmup",
                                str(args.warmup), "--json", str(file), "--output", folder, *args.options])
        record = json.loads(file.read_text())
    rows = record.get("ranks", {}).get("rows", [])
    seconds = max([row["seconds"] for row in rows] or [record["result"]["seconds"]])
    return record, n * n * planes * (args.steps - args.warmup) / seconds * 1e-9


def run_stencil(args, name, ranks, planes):
    """The same of a stencil."""
    n = args.grid
    said = output_of(args, ranks, [args.program, "stencil", "run", name, "--grid", f"{n},{n},{planes}",
                                   "--steps", str(args.steps), "--repeats", "1", "--json", *args.options])
    record = json.loads(said)
    return record, record["median"]["gpt_per_s"]


def measure(args):
    counts = [int(count) for count in args.ranks.split(",")]
    of_one = [("strong", count, args.grid) for count in counts]
    of_one += [("weak", count, args.grid * count) for count in counts if count > 1]
    of_one = [case for case in of_one if case[0] in args.kinds.split(",") or case[1] == counts[0]]
    cases = [(name, *case) for name in args.stencil.split(",") for case in of_one]
    rates = {case: [] for case in cases}
    last = {}
    for _ in range(args.repeats):
        for case in cases:
            name, kind, *how = case
            last[case], rate = run_stencil(args, name, *how) if name else run_wave(args, *how)
            rates[case].append(rate)
            print(*filter(None, case), f"{rate:.4g} Gpt/s", flush=True)
    return rates, last


def rows_of(rates, last):
    for case, values in rates.items():
        name, kind, ranks, planes = case
        alone = statistics.median(next(values for other, values in rates.items() if other[0] == name and other[2] == 1))
        median = statistics.median(values)
        row = {"kind": kind, "ranks": ranks, "planes": planes, "gpt_per_s": sorted(values), "median_gpt_per_s": median,
               "times_one_rank": median / alone, "efficiency": median / alone / ranks}
        keys = ("stencil", "kernel", "precision", "ceiling_gb_per_s") if name else ("kernels", "schedule")
        yield row | {key: last[case][key] for key in keys} | {"of_ranks": last[case].get("ranks")}


def draw(rows, name, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 4))
    most = max(row["ranks"] for row in rows)
    for stencil in dict.fromkeys(row.get("stencil") for row in rows):
        of_stencil = [row for row in rows if row.get("stencil") == stencil]
        for kind in ("strong", "weak"):
            mine = [row for row in of_stencil if row["kind"] == kind or row["ranks"] == 1]
            axes.plot([row["ranks"] for row in mine], [row["median_gpt_per_s"] for row in mine], "o-",
                      label=" ".join(filter(None, [stencil, kind])))
        alone = of_stencil[0]["median_gpt_per_s"]
        axes.plot([1, most], [alone, alone * most], "k:",
                  label="as many times as ranks" if of_stencil[0] is rows[0] else None)
    axes.set(xlabel="ranks", ylabel="Gpt/s", title=name, ylim=(0, None))
    axes.legend()
    figure.savefig(file, dpi=120, bbox_inches="tight")


def main():
    args = arguments()
    rates, last = measure(args)
    rows = list(rows_of(rates, last))
    first = next(iter(last.values()))
    record = {"schema": "minimod.scale/1", "command_line": " ".join(sys.argv),
              "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "build": first["build"], "device": first["device"], "steps": args.steps, "rows": rows}
    Path(args.output).write_text(json.dumps(record, indent=1) + "\n")
    for row in rows:
        print(f"{row.get('stencil', ''):14} {row['kind']:7} {row['ranks']} ranks, {row['planes']} planes: min "
              f"{row['gpt_per_s'][0]:.4g}, median {row['median_gpt_per_s']:.4g}, max {row['gpt_per_s'][-1]:.4g} Gpt/s, "
              f"efficiency {row['efficiency']:.3f}")
    if args.plot:
        draw(rows, f"{args.grid}³ points, {first['device']['name']}", args.plot)


if __name__ == "__main__":
    main()
