"""A domain cut among ranks gives the bits of the whole: ranks.py PROGRAM [--device cuda].

Exit code 77 where the program was built without MPI, or the machine has not two GPUs."""
import csv
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import rank_ends
from rank_runs import (ARGUMENTS, GRID, ON_GPU, PROGRAM, SMALL, TRANSPORTS, WHOLE, asked, datasets, gpus, run,
                       runs_there, started)

SHOT = "--source 90,70,104 --receivers line:10,70,3:170,70,208:9"  # across all cuts, between the nodes
LAYERED = "--model layered:1500@0,5500@90"
SHAPES_ON_GPU = ["gmem_32x32x1", "gmem_column_32x8x8", "semi_8x8x8", "st_smem_16x16", "st_reg_shft_32x16",
                 "st_reg_fixed_32x32", "st_semi_16x16", "smem_eta_1_8x8x8", "st_window_32x32x64",
                 "tma_ring_128x32", "tma_ring_v16_128x32", "tma_whole_step_128x32", "tma_whole_step_200x20"]


def same(options, cuts, more=()):
    """The same traces, and the same extremes at the end, by every cut (options of ranks) and transport as of the
    whole; `more`: files beside the gather. The gather."""
    with tempfile.TemporaryDirectory() as folder:
        whole = run(options, f"{folder}/whole")
        for cut in (f"{cut} --transport {transport}" for cut in cuts for transport in TRANSPORTS):
            if ON_GPU and "--ranks 2" not in cut:
                cut += " --share-gpu"
            part = run(f"{options} {cut}", f"{folder}/{cut}")
            assert last_words(whole) == last_words(part), (options, cut)
            for name in ("shot_gather.h5", *more):
                a, b = datasets(f"{folder}/whole", name), datasets(f"{folder}/{cut}", name)
                assert a.keys() == b.keys()
                for key in a:
                    assert np.array_equal(a[key], b[key]), (options, cut, key)
        return datasets(f"{folder}/whole")


def last_words(done):
    return [line for line in done.stdout.splitlines() if line.startswith("wavefield")]


def bits():
    traces = same(f"{SMALL} {LAYERED} {SHOT}", ["--ranks 2", "--ranks 3", "--ranks 4"])["traces"]
    assert all(np.abs(trace).max() > 0 for trace in traces)
    same(f"{SMALL} {SHOT} --interpolation nearest --free-surface",
         ["--ranks 3 --slabs 5,4,25"])  # as thin as can be
    same(f"{SMALL} {SHOT} --boundary cpml --snapshot-every 20steps --snapshot-stride 3",
         ["--ranks 3 --slabs 10,10,14"], ["shot_gather.snapshots.h5"])
    same(f"{SMALL} {SHOT} --boundary sponge", ["--ranks 2"])
    same(f"{SMALL} {SHOT} --order 16 --interpolation nearest --free-surface",
         ["--ranks 3 --slabs 9,8,17"])  # halos of eight planes, as thin as can be
    same(f"{SMALL} {SHOT} --order 2 --allow-dispersion --interpolation nearest", ["--ranks 2 --slabs 7,27"])
    deep = f"{SMALL} --source 90,70,104 --receivers line:10,70,113:170,70,113:9"  # where a cut would lie
    same(f"{deep} --order 2 --allow-dispersion", ["--ranks 2"])
    same(f"{deep} --interpolation sinc8", ["--ranks 2"])
    same(f"{SMALL} {SHOT} --precision double", ["--ranks 2"])
    same(f"{SMALL} {SHOT} --equation density --model layered:1500/1000@0,5500/2200@90 --boundary cpml "
         "--snapshot-every 20steps",
         ["--ranks 2", "--ranks 3 --slabs 10,10,14"], ["shot_gather.snapshots.h5"])
    same(f"{SMALL} {SHOT} --equation density --model layered:1500/1000@0,5500/2200@90 --boundary pml", ["--ranks 2"])
    same(f"{SMALL} {SHOT} --equation vti --model layered:1500/0/0@0,2500/0.2/0.08@90 --boundary sponge", ["--ranks 3"])
    same(f"{SMALL} {SHOT} --decomposition two" + ("" if ON_GPU else " --kernel reference"), ["--ranks 2"])
    if ON_GPU:
        same(f"{SMALL} {SHOT} --decomposition one", ["--ranks 2"])
        same(f"{SMALL} {SHOT} --schedule beside", ["--ranks 2"])
    else:
        same(f"{SMALL} {SHOT} --schedule sequence", ["--ranks 3"])


def models():
    """Each rank holds its part of a model alone: of a file whose slowest axis is z, or x, with the nodes of the run or
    between them."""
    with tempfile.TemporaryDirectory() as folder:
        # So strong that V is kept within bounds from node to node, and deep enough that no rank has all planes.
        velocities = np.random.default_rng(1).choice([1500, 6000], 18 * 14 * 64).astype("<f4")
        velocities.tofile(f"{folder}/model.bin")
        model = f"--model {folder}/model.bin --model-dims 18,14,64 --model-spacing 10 --pml-width 6 --steps 40 "
        model += "--wavelet ricker:f=10 --allow-dispersion --source 90,70,104 --receivers line:10,70,3:160,70,205:9 "
        model += f"--device {ARGUMENTS.device}" + (" --kernel gmem_8x8x8" if ON_GPU else "")
        same(f"{model} --model-axes z,y,x", ["--ranks 3"])
        same(f"{model} --model-axes x,y,z --spacing 9", ["--ranks 2"])
        same(f"{model} --model-axes z,y,x --decimate 1,1,2", ["--ranks 3"])


def shapes():
    """Other kernels: on the CPU two that are emulated there, on a GPU one of each family that runs there."""
    if not ON_GPU:
        emulated = f"{GRID} --steps 8 {LAYERED} {SHOT} --emulate"
        same(f"{emulated} --kernel st_semi_16x16 --decomposition one", ["--ranks 3"])
        same(f"{emulated} --kernel gmem_8x8x8", ["--ranks 2"])
        return
    for kernel in SHAPES_ON_GPU:
        if runs_there(kernel):
            same(f"{GRID} --steps 60 {LAYERED} {SHOT} --kernel {kernel}", ["--ranks 2"])


def whole():
    """Launches of two steps on slabs that compute four planes of each neighbour: as thin as can be, with a source
    in planes that both have, and numbers of steps that end on a step ahead."""
    if ON_GPU and not runs_there(WHOLE.split()[1]):
        return
    for depth, steps, cut in ((30, 121, "--ranks 3 --slabs 11,8,15"), (70, 120, "--ranks 3 --slabs 11,8,15"),
                              (190, 61, "--ranks 2")):
        shot = SHOT.replace("90,70,104", f"90,70,{depth}")
        same(f"{GRID} --steps {steps} {WHOLE} {shot} --snapshot-every 20steps --snapshot-stride 3", [cut],
             ["shot_gather.snapshots.h5"])
    between_nodes = WHOLE.replace("nearest", "sinc4")
    for surface in ("", "--free-surface"):
        same(f"{GRID} --steps 61 {between_nodes} {surface} {SHOT}", ["--ranks 3 --slabs 11,8,15"])
    if ON_GPU:  # launches of several rounds; then a source in what the slabs exchange
        wide = GRID.replace("30,26,34", "700,640,60")
        for depth in (100, 200):
            same(f"{wide} --steps 121 {WHOLE} --source 3440,3140,{depth} --receivers line:3000,2900,3:3800,3300,460:9",
                 ["--ranks 2 --slabs 30,30", "--ranks 3 --slabs 20,21,19"])
        large = GRID.replace("30,26,34", "512,400,240")  # slabs in chunks by the sides of the L2
        for kernel in (WHOLE, "--kernel tma_whole_step_64x64 --interpolation nearest"):
            same(f"{large} --steps 121 {kernel} {LAYERED} --source 2500,1900,1140 --snapshot-every 40steps "
                 "--snapshot-stride 16 --receivers line:2000,1700,700:3000,2100,1600:19",
                 ["--ranks 2", "--ranks 3"], ["shot_gather.snapshots.h5"])


def checkpoints():
    """A run that three ranks began goes on with two, and with one; to the same bits."""
    goes_on(f"{SMALL} {LAYERED} {SHOT} --boundary cpml", 60000 if ON_GPU else 16000, (3, 2), "")
    if not ON_GPU or runs_there(WHOLE.split()[1]):
        goes_on(f"{GRID} --steps 60 {WHOLE} {SHOT}", 60000 if ON_GPU else 2001, (3,), "--ranks 2")


def goes_on(options, steps, counts, last):
    options = options.replace("--steps 60", f"--steps {steps}")
    with tempfile.TemporaryDirectory() as folder:
        run(options, f"{folder}/whole")
        for count in counts:
            stop_after(options, f"{folder}/parts", count, 0.3)
            assert list(Path(folder, "parts").glob("*.checkpoint.*.h5")), count
        assert "goes on" in run(f"{options} {last}", f"{folder}/parts").stdout
        a, b = datasets(f"{folder}/whole"), datasets(f"{folder}/parts")
        assert all(np.array_equal(a[key], b[key]) for key in a)


def stop_after(options, folder, ranks, seconds):
    """SIGTERM to mpirun leaves a checkpoint within 10 s, and code 75."""
    process = started(options, folder, ranks)
    time.sleep(seconds)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert process.returncode == 75, (process.returncode, errors)
    assert "stopped by a signal" in errors, errors


def record():
    with tempfile.TemporaryDirectory() as folder:
        said = run(f"{SMALL} {SHOT} --ranks 2 --json {folder}/run.json", f"{folder}/run").stdout
        run_record = json.loads(Path(folder, "run.json").read_text())
        ranks = run_record["ranks"]
        assert ranks["transport"] == TRANSPORTS[0]
        assert sum(row["points"] for row in ranks["rows"]) == 30 * 26 * 34
        assert all(row["bytes_sent"] > 0 and row["seconds"] > 0 for row in ranks["rows"])
        assert all(row["wait_seconds_a_step"] >= 0 for row in ranks["rows"])
        assert run_record["result"]["seconds"] == max(row["seconds"] for row in ranks["rows"])
        assert 1 <= ranks["measured_layer_cost"] <= 6 and "(measured)" in said
        if not ON_GPU:
            assert "takes no GPU's memory" not in said
            said = run(f"{SMALL} {SHOT} --ranks 2 --transport staged", f"{folder}/staged").stdout
            assert ranks["mpi_takes_gpu_memory"] or "takes no GPU's memory), slabs" in said, said
        parts = {"inner", "top", "halos"} if ON_GPU else {"whole", "halos"}  # parts of the usual schedule
        assert parts <= run_record["result"]["regions"].keys()


def bench():
    """Each shape is right on a cut grid, and its rates are those of the slowest rank; refusals are those of runs."""
    options = f"--device {ARGUMENTS.device} --grid 40,36,44 --pml-width 6 --steps 4 --repeats 3"
    with tempfile.TemporaryDirectory() as folder:
        def measured(more, expected=0):
            done = subprocess.run([PROGRAM, "bench", *f"{options} {more}".split()], capture_output=True, text=True,
                                  timeout=300, cwd=folder)
            assert done.returncode == expected, (more, done.returncode, done.stdout, done.stderr)
            return done

        def refused(more, code, words):
            errors = measured(f"{more} --json refused.json", code).stderr
            lines = [line for line in errors.splitlines() if line.startswith("minimod: error")]
            assert len(lines) == 1 and words in lines[0] and len(lines[0]) <= 240, errors
            assert not Path(folder, "refused.json").exists()

        table = measured("--kernel all --ranks 2 --slabs 20,24 --json bench.json --csv bench.csv").stdout
        assert f"slabs of 20, 24 planes, halos by {TRANSPORTS[0]}" in table, table
        shapes = json.loads(Path(folder, "bench.json").read_text())["shapes"]
        assert len(shapes) >= 2 and all(shape["verified"] for shape in shapes)
        for shape in shapes:
            rows = shape["ranks"]["rows"]
            assert shape["ranks"]["measured_layer_cost"] is None  # the slabs were given
            assert shape["ranks"]["transport"] == TRANSPORTS[0]
            assert [row["planes"] for row in rows] == [[0, 20], [20, 44]]
            assert shape["seconds"]["max"] >= max(row["seconds"] for row in rows)
            assert all(row["bytes_sent"] == rows[0]["bytes_sent"] > 0 for row in rows)
        with open(Path(folder, "bench.csv")) as file:
            lines = list(csv.DictReader(file))
        assert all(line["ranks"] == "2" and line["rank_planes"] == "0:20 20:44" and None not in line for line in lines)
        if ON_GPU:
            return
        assert "(measured)" in measured("--kernel kokkos --ranks 3 --field source --boundary cpml --free-surface").stdout
        measured("--kernel reference --schedule whole --ranks 3 --json whole.json")
        row, = json.loads(Path(folder, "whole.json").read_text())["shapes"]
        assert row["verified"] and row["schedule"] == "whole"
        assert sum(rank["points"] for rank in row["ranks"]["rows"]) == 40 * 36 * 44
        measured("--kernel reference --schedule whole --ranks 2 --field source")
        refused("--ranks 2 --slabs 20,20", 64, "the grid has 44")
        refused("--ranks 3 --slabs 20,24", 64, "--slabs names 2 slabs")
        refused("--ranks 2 --transport ipc", 69, "from GPU to GPU")
        refused("--share-gpu", 64, "give --ranks")
        Path(folder, "there.json").write_text("mine")
        assert "there.json" in measured("--ranks 2 --json there.json", 73).stderr
        assert Path(folder, "there.json").read_text() == "mine"


def verify():
    """Cases pass on domains that are cut, with the very figures of the whole; one that cannot be cut is left out."""
    with tempfile.TemporaryDirectory() as folder:
        def record_of(options):
            command = f"verify {options} --device {ARGUMENTS.device} --json {folder}/verify.json --force"
            done = subprocess.run([PROGRAM, *command.split()], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            return json.loads(Path(folder, "verify.json").read_text())

        if ON_GPU:
            cut = record_of("green reciprocity stability energy kernels ghosts free_surface --ranks 2")
            assert cut["ranks"] == 2 and all(row["passed"] for row in cut["cases"])
            return
        for kernels in ("kokkos", "reference --schedule whole"):
            cut, whole = record_of(f"kernels --kernel {kernels} --ranks 2"), record_of(f"kernels --kernel {kernels}")
            assert (cut["ranks"], whole["ranks"]) == (2, 1)
            assert [row["value"] for row in cut["cases"]] == [row["value"] for row in whole["cases"]]
        left_out, = record_of("stability --ranks 8")["left_out"]
        assert left_out["name"] == "stability" and "8 ranks need 32 planes" in left_out["why"]
        left_out, = record_of("kernels --kernel reference --schedule whole --ranks 3")["left_out"]
        assert "leave room" in left_out["why"]


def can_run():
    return asked("info")["build"]["mpi"] != "" and (not ON_GPU or gpus() >= 2)


if __name__ == "__main__":
    if not can_run():
        sys.exit(77)
    for part in (bits, whole, models, shapes, checkpoints, *rank_ends.PARTS, record, bench, verify):
        began = time.monotonic()
        part()
        print(part.__name__, "passed in", round(time.monotonic() - began, 1), "s", flush=True)
