#!/usr/bin/env python3
"""The wave equation by Devito on the cores of this machine, for a row beside `bench --device cpu`: a record.

    OMP_NUM_THREADS=2 perf/devito_acoustic.py --grid 200 --steps 40 --repeats 7 -o devito.json

Order 8 in space, 2 in time, single precision, as minimod's inner box has it; with --layer every point is damped as well,
which is Devito's usual absorbing layer (a sponge, where minimod has a PML). Blocks are tuned by Devito. A step is held
against NumPy's in double before any is timed. Needs devito (pip), and a compiler."""
import argparse
import json
import os
import statistics
import time
from datetime import datetime, timezone
from pathlib import Path

import devito
import numpy as np

SPACING, VELOCITY = 20.0, 2000.0  # m, m/s
WEIGHTS = [-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]  # second derivative, order 8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grid", type=int, default=200, help="points of the cube along each axis")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--layer", action="store_true", help="damp u at each point by a coefficient of its own")
    parser.add_argument("-o", "--output", required=True)
    return parser.parse_args()


class Wave:
    """u at three times, and the operator that makes the next."""

    def __init__(self, points, has_layer, random):
        shape = (points,) * 3
        grid = devito.Grid(shape=shape, extent=tuple(SPACING * (points - 1) for _ in shape), dtype=np.float32)
        self.u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
        dt = 0.9 * SPACING / VELOCITY / np.sqrt(3 * (abs(WEIGHTS[0]) + 2 * sum(map(abs, WEIGHTS[1:]))) / 4)
        self.v2dt2 = devito.Function(name="v2dt2", grid=grid, space_order=8)
        self.v2dt2.data[:] = (VELOCITY * dt) ** 2
        u, rest = self.u, self.v2dt2 * self.u.laplace
        if has_layer:
            damping = devito.Function(name="damping", grid=grid, space_order=8)
            damping.data[:] = 0.01 * random.random(shape, dtype=np.float32)
            update = (2 * u - (1 - damping) * u.backward + rest) / (1 + damping)
        else:
            update = 2 * u - u.backward + rest
        u.data[:] = 1e-3 * random.random((3, *shape), dtype=np.float32)
        self.operator = devito.Operator(devito.Eq(u.forward, update), opt=("advanced", {"openmp": True}))

    def run(self, steps, **options):
        """The seconds of so many steps."""
        began = time.perf_counter()
        self.operator.apply(time_m=1, time_M=steps, **options)
        return time.perf_counter() - began


def check(random):
    """One step of a small cube without a layer, away from its faces, beside NumPy's."""
    wave, r = Wave(24, False, random), 4
    before, now = wave.u.data[0].astype(np.float64), wave.u.data[1].astype(np.float64)
    wave.run(1)
    inner = (slice(r, -r),) * 3
    laplacian = 3 * WEIGHTS[0] * now[inner]
    for axis in range(3):
        for m in range(1, r + 1):
            for at in (m, -m):
                laplacian = laplacian + WEIGHTS[m] * np.roll(now, at, axis)[inner]
    expected = 2 * now[inner] - before[inner] + wave.v2dt2.data[inner] * laplacian / SPACING**2
    worst = np.abs(wave.u.data[2][inner] - expected).max() / np.abs(expected).max()
    assert worst < 1e-6, f"Devito's step differs from NumPy's by {worst}"


def cpu_name():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def main():
    args = arguments()
    devito.configuration["compiler"] = "gcc"  # with -O3 -march=native; CC says which
    devito.configuration["language"] = "openmp"
    devito.configuration["log-level"] = "ERROR"
    random = np.random.default_rng(1)
    check(random)
    wave = Wave(args.grid, args.layer, random)
    wave.run(args.steps, autotune=("aggressive", "runtime"))
    rates = sorted(args.grid**3 * args.steps / wave.run(args.steps) / 1e9 for _ in range(args.repeats))
    assert np.isfinite(wave.u.data[0]).all()
    spread = {"min": rates[0], "median": statistics.median(rates), "max": rates[-1]}
    record = {"schema": "minimod.devito/1", "devito": devito.__version__, "compiler": str(devito.configuration["compiler"]),
              "device": cpu_name(), "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())),
              "grid": args.grid, "steps": args.steps, "repeats": args.repeats, "layer": args.layer, "gpt_per_s": spread,
              "date": datetime.now(timezone.utc).isoformat(timespec="seconds")}
    Path(args.output).write_text(json.dumps(record, indent=2) + "\n")
    print(f"Devito {record['devito']}, {record['threads']} threads, {args.grid}^3: "
          + ", ".join(f"{name} {value:.3g}" for name, value in spread.items()) + " Gpt/s")


if __name__ == "__main__":
    main()
