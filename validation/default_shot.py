#!/usr/bin/env python3
"""What a default shot costs: the error of seven shots with the program's defaults, whole and by its causes.

    default_shot.py measure --program build/bin/minimod -o record.json -- --device cuda
    default_shot.py measure --program older/minimod --reference build/bin/minimod -o before.json -- --device cuda
    default_shot.py table before.json record.json        the rows of validation/notes/default_shot.md

A shot is typed as a user types it. Its error is the relative L2 of a trace, or of the reflection in it, against the
closed form or against `--reference` on a grid of at most half the spacing. The causes are what the traces change by,
relative to the same norm, when one default is replaced: the layer by 20 points of CPML, the time step by an eighth of
it. What is left with both replaced is the medium's and the grid's. Words behind -- go to the program.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
MARMOUSI = ROOT / "models/data/marmousi_vp.h5"
BEST_LAYER, FINER_STEP = 20, 8


class Shot:
    """A shot's options and what its traces are held against.

    `model` words for --model and what cuts it, or a function of the layer's width and of the refinement (1, or that of
    the reference); `receivers` [n, 3] in m; `exact` (times, receiver) -> trace, or None; `window` the part of a trace
    that counts: receiver -> (t0, t1) in s; `refine` the reference's spacing; `mirror` depth of the reflector in m.
    """

    def __init__(self, name, what, model, source, receivers, rest, record_dt, exact=None, window=None, refine=2,
                 mirror=None):
        self.name, self.what, self.model, self.source, self.rest = name, what, model, source, rest
        self.receivers, self.record_dt, self.exact, self.refine, self.mirror = receivers, record_dt, exact, refine, mirror
        self.window = window or (lambda receiver: (0, numpy.inf))

    def offset(self, receiver):
        return float(numpy.hypot(receiver[0] - self.source[0], receiver[1] - self.source[1]))

    def path(self, receiver):
        """Length of the wave's way: to the mirror and back, or straight."""
        heights = 2 * self.mirror - self.source[2] - receiver[2] if self.mirror else receiver[2] - self.source[2]
        return float(numpy.hypot(self.offset(receiver), heights))


def ricker(t, f, t0):
    a = (numpy.pi * f * (t - t0)) ** 2
    return (1 - 2 * a) * numpy.exp(-a)


def direct_wave(velocity, f, source):
    def trace(times, receiver):
        r = float(numpy.linalg.norm(numpy.subtract(receiver, source)))
        return ricker(times - r / velocity, f, 1.5 / f) / (4 * numpy.pi * r)
    return trace


def reflected_wave(c1, c2, depth, f, source):
    """The method of Cagniard and de Hoop, as validation/cases/means/answers/layered_medium.hpp derives it."""
    def mean_reflection(offset, heights, times):
        distance = numpy.hypot(offset, heights)
        squared = numpy.maximum(times ** 2 / distance ** 2 - 1 / c1 ** 2, 0)[:, None]
        alpha = numpy.pi / 2 * (numpy.arange(64) + 0.5) / 64
        q = numpy.sqrt(squared) * numpy.sin(alpha)
        p = (offset * times[:, None] + 1j * heights * numpy.sqrt(squared) * distance * numpy.cos(alpha)) / distance ** 2
        eta1, eta2 = (numpy.sqrt(1 / c ** 2 - p ** 2 + q ** 2) for c in (c1, c2))
        return numpy.mean(((eta1 - eta2) / (eta1 + eta2)).real, axis=1)

    def trace(times, receiver):
        offset = numpy.hypot(receiver[0] - source[0], receiver[1] - source[1])
        heights = 2 * depth - source[2] - receiver[2]
        distance, step = numpy.hypot(offset, heights), (times[1] - times[0]) / 8
        first = distance / c1
        taus = first * (1 + 1e-12) + step * numpy.arange(int((times[-1] - first) / step) + 1)
        mean = mean_reflection(offset, heights, taus)
        mean[0] /= 2
        ages = times[:, None] - taus
        w = numpy.pi * f
        x = ages - 1.5 / f
        slope = -2 * w ** 2 * x * (3 - 2 * (w * x) ** 2) * numpy.exp(-(w * x) ** 2)
        slope[ages < 0] = 0
        return slope @ mean * step / (4 * numpy.pi * distance)
    return trace


def generated(model, spacing, points, free_surface=False):
    """Options of a model that needs no file: its inner box is the same for every layer, and its corners for every h."""
    def words(width, refine):
        inner = [(n - 1) * refine + 1 for n in points]
        z = inner[2] + (width if free_surface else 2 * width)
        return ["--model", model, "--spacing", f"{spacing / refine:g}", "--grid",
                f"{inner[0] + 2 * width},{inner[1] + 2 * width},{z}", *(["--free-surface"] if free_surface else [])]
    return words


def from_file(file, decimate, crop, extrude, *rest):
    def words(width, refine):
        cut = ["--crop", crop] if crop else []
        return ["--model", str(file), "--decimate", str(decimate // refine), *cut,
                "--extrude", str((extrude - 1) * refine + 1), *rest]
    return words


def wedge_file(folder):
    """1500 m/s over a wedge of 2000 over 3000 m/s that thins out from 120 m to nothing over 1800 m; nodes of 2.5 m."""
    x, z = 2.5 * numpy.arange(801), 2.5 * numpy.arange(321)
    top, below = 400 + 0 * x, 400 + numpy.clip(120 * (1 - x / 1800), 0, None)
    v = numpy.where(z[:, None] < top, 1500, numpy.where(z[:, None] < below, 2000, 3000)).astype("<f4")
    file = folder / "wedge.h5"
    with h5py.File(file, "w") as out:
        out["vp"] = v[:, None, :]
        out["vp"].attrs["spacing"] = [2.5, 2.5, 2.5]
        out["vp"].attrs["units"], out["vp"].attrs["axes"] = "m/s", "z,y,x"
    return file


def shots(folder):
    source = (200, 400, 400)
    receivers = [(700, 400, 400), (1200, 400, 400), (1700, 400, 400)]
    yield Shot("homogeneous", "2000 m/s, h = 20 m, 10 Hz", generated("constant:2000", 20, (97, 41, 41)), source,
               receivers, ["--wavelet", "ricker:f=10", "--tmax", "1.15"], 3.6e-3,
               exact=direct_wave(2000, 10, source))
    for k in range(9):
        depth, source = 700 + 1.25 * k, (300, 300, 50)
        receivers = [(x, 300, 50) for x in (400, 700, 1000)]
        yield Shot(f"two_layers_{depth:g}", "1500 over 2500 m/s, the reflection, h = 10 m, 15 Hz",
                   generated(f"layered:1500@0,2500@{depth:g}", 10, (131, 61, 101)), source, receivers,
                   ["--wavelet", "ricker:f=15", "--tmax", "1.3"], 1.4e-3,
                   exact=reflected_wave(1500, 2500, depth, 15, source),
                   window=lambda r, d=depth: (numpy.hypot(r[0] - 300, 2 * d - 100) / 1500 - 0.01, numpy.inf),
                   mirror=depth)
    source = (200, 200, 50)
    receivers = [(x, 200, 50) for x in (700, 1200, 1700)]
    yield Shot("wedge", "1500, 2000, 3000 m/s, direct wave and all, nodes of 2.5 m taken at 10 m, 15 Hz",
               from_file(wedge_file(folder), 4, "", 41), source, receivers,
               ["--wavelet", "ricker:f=15", "--tmax", "1.8"], 1.2e-3,
               window=lambda r: (numpy.hypot(r[0] - 200, 700) / 3000, numpy.inf), refine=4)
    for h, points, record_dt, refine in ((15, (151, 81, 61), 1.8e-3, 4), (10, (226, 121, 91), 1.1e-3, 3)):
        source = (150, 600, 15)
        receivers = [(x, 600, 15) for x in (750, 1650, 1950)]
        yield Shot(f"shallow_water_{h}", f"1500 over 3000 m/s at 100 m, free surface, h = {h} m, 10 Hz",
                   generated("layered:1500@0,3000@100", h, points, free_surface=True), source, receivers,
                   ["--wavelet", "ricker:f=10", "--tmax", "1.8"], record_dt, refine=refine)
    source = (3000, 300, 15)
    receivers = [(x, 300, 15) for x in (1500, 3300, 4500, 6000)]
    yield Shot("marmousi", "README's shot, h = 15 m, 6 Hz",
               from_file(MARMOUSI, 2, "300:1301,:,0:401", 41), source, receivers,
               ["--wavelet", "ricker:f=6", "--tmax", "2.5"], 4e-3)
    source = (3750, 600, 30)
    receivers = [(3600 - x, 600, 30) for x in (0, 750, 1350, 1950)]
    yield Shot("streamer", "a shot of models/surveys/marmousi_streamer.toml, h = 30 m, 5 Hz",
               from_file(MARMOUSI, 4, "300:1101,:,0:361", 41, "--free-surface"), source, receivers,
               ["--wavelet", "ricker:f=5", "--tmax", "2"], 4e-3, refine=4)


class Program:
    """A program with `words` behind all options, whose layer around a model has `width` points unless it is told."""

    def __init__(self, path, words, width):
        self.path, self.words, self.width = path, words, width

    def traces(self, folder, shot, width=None, refine=1, **options):
        """The traces [receiver, time], their times and the run's Δt; `width` of a CPML, or the default layer."""
        positions = folder / "receivers.csv"
        positions.write_text("".join(f"{x},{y},{z}\n" for x, y, z in shot.receivers))
        layer = ["--boundary", "cpml", "--pml-width", str(width)] if width else []
        gather = folder / "gather.h5"
        words = [self.path, *shot.model(width or self.width, refine), *layer, *shot.rest,
                 "--source", ",".join(f"{x:g}" for x in shot.source), "--receivers", positions,
                 "--record-dt", repr(shot.record_dt), "--output", gather, "--force", "--checkpoint-every", "0",
                 *self.words]
        for name, value in options.items():
            words += [f"--{name}", repr(value)]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"default_shot.py: {shot.name}: {done.stderr.strip()}\n{' '.join(map(str, words))}")
        with h5py.File(gather) as file:
            return file["traces"][...].astype(float), file["time"][...], float(file.attrs["dt"])


def errors(shot, program, reference, folder):
    """Relative L2 at each receiver: of all, of the layer, of the time step, of medium and grid."""
    default, times, dt = program.traces(folder, shot)
    better_layer, _, _ = program.traces(folder, shot, width=BEST_LAYER)
    steps = round(shot.record_dt / dt) * FINER_STEP
    better_time, _, _ = program.traces(folder, shot, dt=shot.record_dt / steps)
    best, _, _ = program.traces(folder, shot, width=BEST_LAYER, dt=shot.record_dt / steps)
    if shot.exact:
        truth = numpy.array([shot.exact(times, receiver) for receiver in shot.receivers])
    else:
        truth, _, _ = reference.traces(folder, shot, width=BEST_LAYER * shot.refine // 2, refine=shot.refine,
                                       dt=shot.record_dt / steps)
    count = min(traces.shape[1] for traces in (default, better_layer, better_time, best, truth))
    times = times[:count]
    default, better_layer, better_time, best, truth = (
        traces[:, :count] for traces in (default, better_layer, better_time, best, truth))
    rows = []
    for i, receiver in enumerate(shot.receivers):
        first, last = shot.window(receiver)
        part = (times >= first) & (times <= last)
        norm = numpy.linalg.norm(truth[i, part])
        row = {"offset": shot.offset(receiver), "path": shot.path(receiver)}
        for name, one, other in (("all", default, truth), ("layer", default, better_layer),
                                 ("time_step", default, better_time), ("medium_and_grid", best, truth)):
            row[name] = float(numpy.linalg.norm(one[i, part] - other[i, part]) / norm)
        rows.append(row)
    return rows


def measure(arguments):
    program = Program(arguments.program, arguments.words, arguments.layer)
    reference = Program(arguments.reference or arguments.program, arguments.words, arguments.layer)
    record = {"schema": "minimod.default_shot/1", "shots": []}
    info = json.loads(subprocess.run([arguments.program, "info", "--json"], capture_output=True, text=True).stdout)
    record["build"] = info["build"]
    with tempfile.TemporaryDirectory() as name:
        for shot in shots(pathlib.Path(name)):
            if arguments.shot and not shot.name.startswith(arguments.shot):
                continue
            rows = errors(shot, program, reference, pathlib.Path(name))
            record["shots"].append({"name": shot.name, "what": shot.what, "receivers": rows})
            for row in rows:
                print(shot.name, " ".join(f"{key} {value:.4g}" for key, value in row.items()), flush=True)
    arguments.output.write_text(json.dumps(record, indent=1) + "\n")


CAUSES = ("layer", "medium_and_grid", "time_step", "all")


def worst_at_1500(record):
    """{shot: {cause: error}} at its receiver nearest to 1500 m; the worst of the positions of one interface."""
    found = {}
    for shot in record["shots"]:
        name = "two_layers" if shot["name"].startswith("two_layers") else shot["name"]
        row = min(shot["receivers"], key=lambda row: abs(row.get("path", row["offset"]) - 1500))
        before = found.get(name, {"what": shot["what"]})
        found[name] = {"what": shot["what"], **{cause: max(row[cause], before.get(cause, 0)) for cause in CAUSES}}
    return found


def table(arguments):
    before, after = (worst_at_1500(json.loads(file.read_text())) for file in (arguments.before, arguments.after))
    print("| shot | layer | medium and grid | time step | all |\n|---|---|---|---|---|")
    for name, new in after.items():
        cells = [f"{100 * before[name][cause]:.2g} → {100 * new[cause]:.2g}" for cause in CAUSES]
        print(f"| {name.replace('_', ' ')}: {new['what']} | {' | '.join(cells)} |")


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("--program", required=True)
    measuring.add_argument("--reference", help="program of the references on finer grids (the same)")
    measuring.add_argument("--layer", type=int, default=10, help="points of the program's default layer (10)")
    measuring.add_argument("--shot", help="names that begin so")
    measuring.add_argument("-o", "--output", type=pathlib.Path, required=True)
    measuring.set_defaults(run=measure)
    tabulating = commands.add_parser("table")
    for name in ("before", "after"):
        tabulating.add_argument(name, type=pathlib.Path)
    tabulating.set_defaults(run=table)
    arguments = parser.parse_args(words[:cut])
    arguments.words = words[cut + 1:]
    arguments.run(arguments)


if __name__ == "__main__":
    main()
