#!/usr/bin/env python3
"""What two steps of a domain that is cut among many GPUs take by `tma_whole`, whose launch does them all: a model.

    perf/scale_whole.py perf/references/h200_whole.json perf/references/h200_scale_{1000,4gpu_1000,4gpu_2000}.json

A launch takes a + rounds (b + c planes): 132 tiles of 64x32 points are marched along z at once, and rounds of these, which
overlap, share a plane out as the launch's planner does. A slab between two others takes d a round more. The four numbers are
fitted to 1000³ on one, two and four GPUs and to one GPU at 512³; weak scaling, 700³ and 2000³ are held against them. A slab
computes four planes beyond each cut, and sends eight at each, beside its launches: what it waits for is the longer of the
two. Exit code 1 where a time is farther from its prediction than `--within`. Needs numpy."""
import argparse
import functools
import json
import sys
from pathlib import Path

import numpy as np

from scale_model import BYTES, Links

BLOCKS, TILE, OVERLAP = 132, (64, 32), (32, 8)
LOST, USUAL_PLANES, MOST_CHUNKS = 16, 512, 8  # as the planner has them (kernels/whole/round_walk.cpp)
GHOSTS, SENT = 4, 8  # planes at a cut
FITTED = ("strong 1", "strong 2", "one 512", "4gpu_1000 strong 4")


def strips(points, tile, most, overlap):
    """Tiles of strips of at most so many that share the points out."""
    found, begin = [], 0
    while begin < points:
        found.append(min(most, -(-(points - begin + (overlap if found else 0)) // tile)))
        begin = sum(found) * tile - (len(found) - 1) * overlap
    return found


def cost(rounds):
    """Planes of rounds of so many tiles, of which small ones are marched in chunks of z."""
    chunks = [min(BLOCKS // tiles, MOST_CHUNKS) for tiles in rounds]
    return sum(-(-USUAL_PLANES // count) + LOST + (SENT if count > 1 else 0) for count in chunks)


@functools.lru_cache
def rounds_over(nx, ny):
    """Rounds of the cheapest plan for a plane."""
    columns, rows = (-(-points // tile) for points, tile in zip((nx, ny), TILE))

    def over_strip(width):
        return min(([width * tiles for tiles in strips(ny, TILE[1], most, OVERLAP[1])]
                    for most in range(min(BLOCKS // width, rows), 0, -1)), key=cost)

    plans = ([tiles for width in strips(nx, TILE[0], most, OVERLAP[0]) for tiles in over_strip(width)]
             for most in range(min(BLOCKS, columns), 0, -1))
    return len(min(plans, key=cost))


def measured_passes(whole, **scales):
    """name: (n, ranks, seconds of two steps). `scales`: records of scale.py; rows of others than `tma_whole` are left out."""
    passes = {}
    for name, scale in scales.items():
        for row in scale["rows"]:
            if not row["kernels"]["inner"].startswith("tma_whole_64"):
                continue
            side = scale["rows"][0]["planes"]
            n = (side, side, row["planes"])
            key = f"{row['kind']} {row['ranks']}"
            passes[key if name == "1000" else f"{name} {key}"] = (n, row["ranks"],
                                                                  2 * np.prod(n) / row["median_gpt_per_s"] * 1e-9)
    for size in (512, 700):
        rate = whole["records"][str(size)]["shapes"][0]["gpt_per_s"]["median"]
        passes[f"one {size}"] = ((size,) * 3, 1, 2 * size**3 / rate * 1e-9)
    return passes


def terms(n, ranks):
    """Terms of a launch of the largest slab, of equal ones."""
    planes = -(-n[2] // ranks) + GHOSTS * min(ranks - 1, 2)
    rounds = rounds_over(n[0], n[1])
    return np.array([1, rounds, rounds * planes, rounds if ranks > 2 else 0])


def pass_seconds(model, n, ranks, links):
    launch, cuts = terms(n, ranks) @ model, min(ranks - 1, 2)
    return max(launch, links.seconds(cuts * SENT * n[0] * n[1] * BYTES)) if cuts else launch


def fit(passes):
    return np.linalg.solve([terms(*passes[name][:2]) for name in FITTED], [passes[name][2] for name in FITTED])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("whole", help="records of bench on one GPU")
    parser.add_argument("scale", nargs="+", help="records of scale.py, h200_scale_NAME.json")
    parser.add_argument("--exchange-gb-per-s", type=float, default=206, help="measured on a machine (206)")
    parser.add_argument("--between-gb-per-s", type=float, default=50, help="a GPU, between machines (50)")
    parser.add_argument("--within", type=float, default=0.05, help="of a measured time (0.05)")
    args = parser.parse_args()
    read = {Path(name).stem.removeprefix("h200_scale_"): json.loads(Path(name).read_text()) for name in args.scale}
    passes = measured_passes(json.loads(Path(args.whole).read_text()), **read)
    model = fit(passes)
    print("a {:.0f} us, b {:.0f} us, c {:.3f} us, d {:.0f} us".format(*model * 1e6))
    machine, between = Links(args.exchange_gb_per_s), Links(args.between_gb_per_s)
    worst = 0
    for name, (n, ranks, seconds) in passes.items():
        predicted = pass_seconds(model, n, ranks, machine)
        worst = max(worst, abs(predicted / seconds - 1))
        print(f"{name:18} {'fitted' if name in FITTED else 'not fitted':11} predicted {predicted * 1e6:6.0f} us, measured "
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
