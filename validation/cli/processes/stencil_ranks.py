"""A stencil's grid cut among ranks has the bits of the whole: stencil_ranks.py PROGRAM [--device cuda].

Exit code 77 where the program was built without MPI, or there is no GPU; ranks share one that is alone."""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import children_of

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
ARGUMENTS = parser.parse_args()
PROGRAM, ON_GPU = str(Path(ARGUMENTS.program).resolve()), ARGUMENTS.device == "cuda"

KERNELS = "naive_8x4,tiled_8x4x2,coarsened_8x4x3,forward_plane_8x8_ro,register_tiled_8x8_r2x2,in_plane_full_8x8_r2x2"
# Two arrays of two precisions go on, one over two steps, read by unlike numbers of planes above and below.
CHAINS = """in double a, before; in float b; out double s; out float d; next before = a; next a = s; next b = d;
t = 0.2 * (a[i+1,j,k] + a[i,j-2,k]) + 0.1 * a[i,j,k+1];
s[i,j,k] = t + 0.2 * before[i,j,k-3] + 0.2 * b[i,j,k+2];
d[i,j,k] = 0.5 * b[i,j,k-1] - 0.2 * a[i-1,j+1,k];
"""
os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"  # other tests have the cores, too
TRANSPORTS = ["ipc", "staged"] if ON_GPU else ["mpi", "staged"]
FOLDER = tempfile.TemporaryDirectory()
Path(FOLDER.name, "chains.stencil").write_text(CHAINS)
os.environ["XDG_CACHE_HOME"] = f"{FOLDER.name}/cache"


def stencil(options, expected=0):
    """The finished process."""
    command = [PROGRAM, "stencil", *options.split(), "--device", ARGUMENTS.device]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=FOLDER.name)
    assert done.returncode == expected, (command, done.returncode, done.stderr)
    return done


def record_of(options):
    return json.loads(stencil(f"{options} --json").stdout)


def asked(command):
    return json.loads(subprocess.run([PROGRAM, command, "--json"], capture_output=True, text=True, check=True).stdout)


def gpus():
    return sum(device["kind"] == "cuda" and "why_not" not in device for device in asked("info")["devices"])


def ranks(count):
    """Options for so many ranks."""
    return f"--ranks {count}" + (" --share-gpu" if ON_GPU and gpus() < count else "")


def checksums(options):
    rows = [row for row in record_of(f"verify {options}")["kernels"] if "left_out" not in row]
    assert rows and all(row["passed"] for row in rows), rows
    return {(row["stencil"], row["kernel"]): row["checksum"] for row in rows}


def same(options, cuts):
    """The same bits by every cut and transport as of the whole."""
    whole = checksums(options)
    for i, cut in enumerate(cuts):
        for transport in TRANSPORTS if ON_GPU else [TRANSPORTS[i % len(TRANSPORTS)]]:
            assert checksums(f"{options} {cut} --transport {transport}") == whole, (options, cut, transport)
    return whole


def bits():
    rows = same(f"chains.stencil upstream himeno --grid 21,13,23 --steps 7 --kernel {KERNELS}",
                [ranks(2), f"{ranks(3)} --slabs 17,3,3"])
    assert len(rows) == 6 + 6 + 5, rows
    same(f"chains.stencil --grid 21,13,9 --steps 7 --kernel naive_8x4,in_plane_full_8x8_r2x2{'' if ON_GPU else ',rows'}",
         [f"{ranks(3)} --slabs 3,4,2"])  # as thin as can be
    same("grad seven_point --grid 17,11,5 --steps 2 --kernel coarsened_8x4x3", [ranks(3)])  # one has nothing to send
    if ON_GPU:
        for precision in ("single", "double"):
            same(f"seven_point zhang_13 himeno poisson --precision {precision} --kernel coarsened,register_tiled",
                 [ranks(2)])


def record():
    """A row a rank."""
    planes = [5, 3, 8]
    run = record_of(f"run upstream --kernel tiled_8x4x4 --grid 20,18,16 --steps 4 --repeats 3 {ranks(3)} --slabs 5,3,8")
    rows = run["ranks"]["rows"]
    assert [row["points"] for row in rows] == [20 * 18 * count for count in planes], rows
    assert [row["planes"] for row in rows] == [[0, 5], [5, 8], [8, 16]]
    plane = 4 * 64 * (18 + 3)  # rows begin on 128 B, with two points before them and one behind
    assert [row["bytes_sent"] for row in rows] == [4 * plane * count for count in (2, 1 + 2, 1)], (rows, plane)
    assert all(row["seconds"] > 0 and row["wait_seconds_a_step"] >= 0 for row in rows)
    assert run["ranks"]["transport"] == ("ipc" if ON_GPU else "mpi") and run["error"] < 1e-6
    median = sorted(run["seconds"])[1]
    assert abs(run["median"]["gpt_per_s"] * median * 1e9 / (20 * 18 * 16 * 4) - 1) < 1e-9
    lines = stencil(f"run upstream --kernel tiled_8x4x4 --grid 20,18,16 --steps 2 --repeats 1 {ranks(2)}").stdout
    assert "tiled_8x4x4, rank 1" in lines and "2 ranks (" in lines


def is_one_line(errors, words):
    lines = [line for line in errors.splitlines() if line.startswith("minimod: error")]
    return len(lines) == 1 and re.search(words, lines[0]) is not None and len(lines[0]) <= 240


def faults():
    """All ranks end with one line of ours and the right code."""
    def refused(options, code, words):
        done = stencil(options, code)
        assert is_one_line(done.stderr, words) and not done.stdout, (options, done.stderr)

    if ON_GPU:
        if gpus() < 8:
            refused(f"run seven_point --ranks {gpus() + 1}", 69, "each needs its own")
        return
    refused("run tang_12 --grid 20,20,16 --ranks 3", 64, "the slab of rank 1 has 5 planes, it needs 6")
    refused("verify chains.stencil --grid 12,12,23 --ranks 2 --slabs 2,21", 64, "slab of rank 0 has 2 planes")
    refused("run seven_point --ranks 2 --slabs 10,10 --grid 16", 64, "the grid has 16")
    refused("run seven_point --transport staged", 64, "give --ranks")
    refused("run poisson --kernel red_black --ranks 2 --grid 16", 64, "ranks cannot run red_black_64x8: slabs exchange")
    refused("run seven_point --ranks 2 --grid 20000,20000,2000", 71, "take a smaller --grid")
    listed = subprocess.run([PROGRAM, "stencil", "list", "--ranks", "2"], capture_output=True, text=True)
    assert listed.returncode == 64 and is_one_line(listed.stderr, "runs no kernel")
    unlike()


def unlike():
    """Ranks of unlike options, and one that dies."""
    long_run = "stencil run seven_point --device cpu --grid 40 --steps 1000000 --unverified".split()
    process = subprocess.Popen([PROGRAM, *long_run, "--ranks", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, cwd=FOLDER.name)

    def descendants_of(pid):
        return [one for child in children_of(pid) for one in (child, *descendants_of(child))]

    def of_program():
        return [pid for pid in descendants_of(process.pid) if os.readlink(f"/proc/{pid}/exe") == PROGRAM]

    while len(of_program()) < 2:
        time.sleep(0.05)
    time.sleep(1)
    mpirun, = children_of(process.pid)
    words = Path(f"/proc/{mpirun}/cmdline").read_text().split("\0")
    os.kill(of_program()[-1], signal.SIGKILL)
    began = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - began < 10 and process.returncode != 0

    oversubscribe = [word for word in words if word == "--oversubscribe"]  # an option of Open MPI
    one, other = (["-n", "1", PROGRAM, "stencil", "run", "seven_point", "--device", "cpu", "--grid", grid]
                  for grid in ("16", "18"))
    done = subprocess.run([words[0], *oversubscribe, *one, ":", *other], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    assert done.returncode == 64 and is_one_line(done.stderr, "rank 1 has another run than"), done.stderr


if __name__ == "__main__":
    if asked("info")["build"]["mpi"] == "" or (ON_GPU and gpus() == 0):
        sys.exit(77)
    for part in (bits, record, faults):
        start = time.monotonic()
        part()
        print(part.__name__, "passed in", round(time.monotonic() - start, 1), "s", flush=True)
