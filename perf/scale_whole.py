#!/usr/bin/env python3
"""What two steps of a domain that is cut among many GPUs take by `tma_whole`, whose launch does them all: a model.

    perf/scale_whole.py perf/references/h200_scale_1000.json perf/references/h200_whole.json [--within 0.05]

A launch takes a + rounds (b + c planes): a column of 132 tiles of 64x32 points is marched along z at once, and rounds of
these, which overlap by eight points along y, share a plane out. The three numbers are fitted to one GPU at 512³ and 1000³
and to two at 1000³; weak scaling on two and one GPU at 700³ are held against them. A slab computes four planes beyond each
cut, and sends eight at each, beside its launches: what it waits for is the longer of the two. Exit code 1 where a time is
farther from its prediction than `--within`. Needs numpy."""
import argparse
import json
import sys

import numpy as np

from scale_model import BYTES, Links

BLOCKS, TILE, OVERLAP = 132, (64, 32), 8
GHOSTS, SENT = 4, 8  # planes at a cut
FITTED = ("strong 1", "strong 2", "one 512")


def rounds_over(nx, ny):
    rows = BLOCKS // -(-nx // TILE[0])
    return -(-(ny - OVERLAP) // (rows * TILE[1] - OVERLAP))


def measured_passes(scale, whole):
    """name: (n, ranks, seconds of two steps)."""
    passes = {}
    for row in scale["rows"]:
        n = (1000, 1000, row["planes"])
        passes[f"{row['kind']} {row['ranks']}"] = (n, row["ranks"], 2 * np.prod(n) / row["median_gpt_per_s"] * 1e-9)
    for size in (512, 700):
        rate = whole["records"][str(size)]["shapes"][0]["gpt_per_s"]["median"]
        passes[f"one {size}"] = ((size,) * 3, 1, 2 * size**3 / rate * 1e-9)
    return passes


def terms(n, ranks):
    """Terms of a launch of the largest slab, of equal ones."""
    planes = -(-n[2] // ranks) + GHOSTS * min(ranks - 1, 2)
    rounds = rounds_over(n[0], n[1])
    return np.array([1, rounds, rounds * planes])


def pass_seconds(model, n, ranks, links):
    launch, cuts = terms(n, ranks) @ model, min(ranks - 1, 2)
    return max(launch, links.seconds(cuts * SENT * n[0] * n[1] * BYTES)) if cuts else launch


def fit(passes):
    return np.linalg.solve([terms(*passes[name][:2]) for name in FITTED], [passes[name][2] for name in FITTED])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scale", help="record of scale.py at 1000³")
    parser.add_argument("whole", help="records of bench on one GPU")
    parser.add_argument("--exchange-gb-per-s", type=float, default=206, help="measured on a machine (206)")
    parser.add_argument("--between-gb-per-s", type=float, default=50, help="a GPU, between machines (50)")
    parser.add_argument("--within", type=float, default=0.05, help="of a measured time (0.05)")
    args = parser.parse_args()
    passes = measured_passes(*(json.loads(open(name, encoding="utf-8").read()) for name in (args.scale, args.whole)))
    model = fit(passes)
    print("a {:.0f} us, b {:.0f} us, c {:.3f} us".format(*model * 1e6))
    machine, between = Links(args.exchange_gb_per_s), Links(args.between_gb_per_s)
    worst = 0
    for name, (n, ranks, seconds) in passes.items():
        predicted = pass_seconds(model, n, ranks, machine)
        worst = max(worst, abs(predicted / seconds - 1))
        print(f"{name:9} {'fitted' if name in FITTED else 'not fitted':11} predicted {predicted * 1e6:6.0f} us, measured "
              f"{seconds * 1e6:6.0f} us, {predicted / seconds - 1:+.1%}")
    for kind, size in (("weak", 1000), ("strong", 1000), ("strong", 2000)):
        alone = size**3 / pass_seconds(model, (size,) * 3, 1, machine)
        for ranks in (2, 8, 32, 128, 1024):
            n = (size, size, size * (ranks if kind == "weak" else 1))
            if n[2] < ranks * SENT:
                continue
            cells = []
            for links in (machine, between):
                points_a_second = 2 * np.prod(n, dtype=float) / pass_seconds(model, n, ranks, links)
                cells.append(f"{points_a_second * 1e-12:7.2f} Tpt/s {points_a_second / (2 * alone) / ranks:6.3f}")
            print(f"{kind:7}{size:6}^3 {ranks:6}   " + "   ".join(cells))
    return 1 if worst > args.within else 0


if __name__ == "__main__":
    sys.exit(main())
