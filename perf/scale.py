#!/usr/bin/env python3
"""Strong and weak scaling of a domain cut among ranks: a record and a picture.

    perf/scale.py build/bin/minimod --ranks 1,2 --grid 1000 -o scale.json [--plot scale.png] [-- OPTIONS OF MINIMOD]

Strong: the same cube on all numbers of ranks. Weak: a cube of planes a rank (the cube's layer lies outside only). All are
run in turn, `--repeats` times; a run's rate is that of its slowest rank's time loop. Needs matplotlib for --plot alone."""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks, the first one alone (1,2)")
    parser.add_argument("--grid", type=int, default=1000, help="points of the cube along each axis")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--warmup", type=int, default=100, help="first steps, which are not timed")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--mpirun", default="", help="how ranks are started, '{}' being their number (--ranks of minimod)")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--plot", default="")
    words = sys.argv[1:] + ["--"]
    end = words.index("--")
    args = parser.parse_args(words[:end])
    args.options = words[end + 1:-1]
    return args


def record_of(args, ranks, planes):
    """What a run of so many ranks says of itself."""
    n = args.grid
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.json")
        command = [args.program, "--grid", f"{n},{n},{planes}", "--steps", str(args.steps), "--warmup", str(args.warmup),
                   "--json", str(file), "--output", folder, *args.options]
        if ranks > 1:
            command = args.mpirun.format(ranks).split() + command if args.mpirun else command + ["--ranks", str(ranks)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(file.read_text())


def rate_of(record, steps):
    """Gpt/s by the slowest rank."""
    grid = record["grid"]
    points = grid["n"][0] * grid["n"][1] * grid["n"][2]
    rows = record.get("ranks", {}).get("rows", [])
    seconds = max([row["seconds"] for row in rows] or [record["result"]["seconds"]])
    return points * steps / seconds * 1e-9


def measure(args):
    counts = [int(count) for count in args.ranks.split(",")]
    cases = [("strong", count, args.grid) for count in counts]
    cases += [("weak", count, args.grid * count) for count in counts if count > 1]
    rates = {case: [] for case in cases}
    last = {}
    for _ in range(args.repeats):
        for case in cases:
            last[case] = record_of(args, *case[1:])
            rates[case].append(rate_of(last[case], args.steps - args.warmup))
            print(*case, f"{rates[case][-1]:.2f} Gpt/s", flush=True)
    return rates, last


def rows_of(rates, last):
    alone = statistics.median(rates[next(case for case in rates if case[1] == 1)])
    for (kind, ranks, planes), values in rates.items():
        record = last[kind, ranks, planes]
        median = statistics.median(values)
        yield {"kind": kind, "ranks": ranks, "planes": planes, "gpt_per_s": sorted(values), "median_gpt_per_s": median,
               "times_one_rank": median / alone, "efficiency": median / alone / ranks, "kernels": record["kernels"],
               "schedule": record["schedule"], "of_ranks": record.get("ranks")}


def draw(rows, name, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(6, 4))
    for kind in ("strong", "weak"):
        mine = [row for row in rows if row["kind"] == kind or row["ranks"] == 1]
        axes.plot([row["ranks"] for row in mine], [row["median_gpt_per_s"] for row in mine], "o-", label=kind)
    alone = rows[0]["median_gpt_per_s"]
    most = max(row["ranks"] for row in rows)
    axes.plot([1, most], [alone, alone * most], "k:", label="as many times as ranks")
    axes.set(xlabel="ranks", ylabel="Gpt/s", title=name, ylim=(0, None))
    axes.legend()
    figure.savefig(file, dpi=120, bbox_inches="tight")


def main():
    args = arguments()
    rates, last = measure(args)
    rows = list(rows_of(rates, last))
    first = next(iter(last.values()))
    record = {"schema": "minimod.scale/1", "command_line": " ".join(sys.argv), "date": first["date"],
              "build": first["build"], "device": first["device"], "steps": args.steps, "rows": rows}
    Path(args.output).write_text(json.dumps(record, indent=1) + "\n")
    for row in rows:
        print(f"{row['kind']:7} {row['ranks']} ranks, {row['planes']} planes: min {row['gpt_per_s'][0]:.1f}, median "
              f"{row['median_gpt_per_s']:.1f}, max {row['gpt_per_s'][-1]:.1f} Gpt/s, efficiency {row['efficiency']:.3f}")
    if args.plot:
        draw(rows, f"{args.grid}³ points, {first['device']['name']}", args.plot)


if __name__ == "__main__":
    main()
