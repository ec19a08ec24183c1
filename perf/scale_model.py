#!/usr/bin/env python3
"""What a domain that is cut among many GPUs takes for a step: a model from measured runs.

    perf/scale_model.py perf/references/h200_ranks_runs.json [--check NAME …] [--within 0.05]

The file has records of runs (`--json`) by name, with `tma_ring` and the schedule `sequence`. A launch of a region takes
a + b times its points, where a and b are the region's (inner; layers across z, y, x), fitted to the runs that are not
named to check it. A rank at an end of the domain has one layer across z, the others have none and their inner box in
three launches; the halos go beside that layer, or beside the middle launch, and a step waits for what is longer. Exit
code 1 where a run is farther from its prediction than `--within`. Needs numpy."""
import argparse
import json
import sys

import numpy as np

FAMILIES = {"inner": "inner", "top": "z", "bottom": "z", "front": "y", "back": "y", "left": "x", "right": "x"}
REACH = 4  # planes that a neighbour wants
BYTES = 4  # bytes of a value
LEAST = 1e-5  # s, of any exchange: two messages of the hosts and the GPUs' events
NOT_FITTED = ["one_1400", "two_1400"]


def points_of(name, n, width, layers):
    """Points of a region of a slab; `layers`: how many layers across z it has."""
    x, y, z = n[0] - 2 * width, n[1] - 2 * width, n[2] - layers * width
    return {"inner": x * y * z, "z": width * n[0] * n[1], "y": width * n[0] * z, "x": width * y * z}[FAMILIES[name]]


def timed_launches(record):
    """(family, points, seconds) of each region that the first rank of a run timed."""
    n, width = list(record["grid"]["n"]), record["grid"]["pml_width"]
    rows = record.get("ranks", {}).get("rows", [])
    if rows:
        n[2] = rows[0]["planes"][1] - rows[0]["planes"][0]
    layers = 1 if rows else 2
    return [(FAMILIES[name], points_of(name, n, width, layers), seconds)
            for name, seconds in record["result"]["regions"].items() if name in FAMILIES]


def fit(records):
    """(a, b) of each family, by least squares of relative errors."""
    found = {}
    for family in set(FAMILIES.values()):
        rows = [(p, s) for record in records for f, p, s in timed_launches(record) if f == family]
        points, seconds = np.array(rows, float).T
        found[family] = np.linalg.lstsq(np.stack([1 / seconds, points / seconds], 1), np.ones(len(rows)), rcond=None)[0]
    return found


def seconds_of_launch(model, family, points):
    a, b = model[family]
    return a + b * points


class Links:
    """Links that carry halos: GB/s of a GPU, each way."""

    def __init__(self, gb_per_s):
        self.gb_per_s = gb_per_s

    def seconds(self, size):
        return LEAST + size / (self.gb_per_s * 1e9)


def step_of_rank(model, n, width, cuts, links):
    """Seconds of a step of a slab of n points with so many cuts (0, 1 or 2)."""
    layers = 2 - cuts
    points = {name: points_of(name, n, width, layers) for name in FAMILIES}
    sides = sum(seconds_of_launch(model, FAMILIES[name], points[name]) for name in ("front", "back", "left", "right"))
    layer = seconds_of_launch(model, "z", points["top"])
    if cuts == 2:
        piece = seconds_of_launch(model, "inner", points["inner"] / 3)
        beside, rest = piece, sides + 2 * piece
    else:
        beside, rest = layer, sides + seconds_of_launch(model, "inner", points["inner"]) + (layers - 1) * layer
    exchange = links.seconds(cuts * REACH * n[0] * n[1] * BYTES) if cuts else 0
    return rest + max(beside, exchange)


def step(model, n, width, ranks, links):
    """Seconds of a step of n points on so many ranks, cut so that the slowest is as fast as can be; None where slabs
    would be too thin."""
    if ranks == 1:
        return step_of_rank(model, n, width, 0, links)
    def pair(end):
        """Times of a slab at an end with so many planes, and of one between the ends."""
        first = step_of_rank(model, [*n[:2], end], width, 1, links)
        if ranks == 2:
            return first, 0
        return first, step_of_rank(model, [*n[:2], -(-(n[2] - 2 * end) // (ranks - 2))], width, 2, links)

    low = width + REACH if ranks > 2 else n[2] // 2
    high = (n[2] - REACH * (ranks - 2)) // 2
    if low > high or n[2] // 2 < width + REACH:
        return None
    while low < high:  # the thinnest end that takes as long as the others
        end = (low + high) // 2
        first, others = pair(end)
        low, high = (low, end) if first >= others else (end + 1, high)
    return min(max(pair(end)) for end in {max(low - 1, width + REACH), low}) if ranks > 2 else pair(low)[0]


def check(model, record, links):
    n, width = record["grid"]["n"], record["grid"]["pml_width"]
    rows = record.get("ranks", {}).get("rows", [])
    predicted = step(model, n, width, max(1, len(rows)), links)
    timed = record["time"]["steps"] - record["time"].get("warmup", 100)
    return predicted, max([row["seconds"] for row in rows] or [record["result"]["seconds"]]) / timed


def table(model, width, kind, n, ranks, links):
    alone = np.prod(n) / step(model, n, width, 1, links[0][1])
    for count in ranks:
        extents = [n[0], n[1], n[2] * (count if kind == "weak" else 1)]
        cells = []
        for _, link in links:
            seconds = step(model, extents, width, count, link)
            cells.append("too thin" if seconds is None else
                         f"{np.prod(extents) / seconds * 1e-12:7.2f} {np.prod(extents) / seconds / alone / count:6.3f}")
        print(f"{kind:7}{n[0]:6}^3 {count:6}   " + "   ".join(f"{cell:>14}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs")
    parser.add_argument("--check", nargs="*", default=NOT_FITTED, help="names of runs that are not fitted")
    parser.add_argument("--exchange-gb-per-s", type=float, default=206, help="measured on a machine (206)")
    parser.add_argument("--between-gb-per-s", type=float, default=50, help="a GPU, between machines (50)")
    parser.add_argument("--within", type=float, default=0.05, help="of a run's measured time (0.05)")
    args = parser.parse_args()
    with open(args.runs, encoding="utf-8") as file:
        runs = json.load(file)
    links = [("on a machine", Links(args.exchange_gb_per_s)), ("between", Links(args.between_gb_per_s))]
    model = fit([record for name, record in runs.items() if name not in args.check])
    for family, (a, b) in sorted(model.items()):
        print(f"{family:6} {a * 1e6:6.1f} us + {b * 1e12:6.3f} us a million points")
    worst = 0
    for name, record in runs.items():
        predicted, measured = check(model, record, links[0][1])
        worst = max(worst, abs(predicted / measured - 1))
        print(f"{name:10} {'not fitted' if name in args.check else 'fitted':11} predicted {predicted * 1e6:7.0f} us, "
              f"measured {measured * 1e6:7.0f} us, {predicted / measured - 1:+.1%}")
    width = next(iter(runs.values()))["grid"]["pml_width"]
    print("Tpt/s and efficiency: " + ", ".join(f"{name} ({link.gb_per_s:g} GB/s)" for name, link in links))
    for kind, n in (("weak", 1000), ("strong", 1000), ("strong", 2000)):
        table(model, width, kind, [n, n, n], [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], links)
    return 1 if worst > args.within else 0


if __name__ == "__main__":
    sys.exit(main())
