"""Surveys whose shots are cut among ranks: the bits of a survey without ranks, a signal, a rank and a survey that are
killed, and what is refused: survey_ranks.py PROGRAM [--device cuda].

Exit code 77 where the program was built without MPI, or the machine has not two GPUs."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

from processes import tell_past_mpirun

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
ARGUMENTS = parser.parse_args()
PROGRAM, ON_GPU = os.path.abspath(ARGUMENTS.program), ARGUMENTS.device == "cuda"
SURVEY = {"--device": "cuda:0" if ON_GPU else "cpu", "--grid": "24,20,26", "--spacing": "10", "--pml-width": "4", "--wavelet": "ricker:f=15",
          "--model": "layered:1500@0,2500@90",
          "--receivers": "line:0,70,3:150,70,168:7"}  # across the cuts, between the nodes
if ON_GPU:
    SURVEY["--kernel"] = "gmem_8x8x8"  # a slab might take another than the whole by itself
LONG = 60000 if ON_GPU else 3000  # steps, of a tenth of a second and more
TWO = "--ranks-per-shot 2" + (" --device cuda:0,1" if ON_GPU else "")
THREE = "--ranks-per-shot 3" + (" --device cuda:0,1 --share-gpu" if ON_GPU else "")
WHOLE = f"--kernel {'tma_whole_64x32' if ON_GPU else 'reference'} --schedule whole --interpolation nearest"


def options_of(folder, steps, shots, more):
    """Command line of a survey; what `more` has stands above it."""
    options = {**SURVEY, "--steps": str(steps), "--sources": f"line:30,70,83:110,70,83:{shots}", "--output": folder}
    for option in more.split("--")[1:]:
        name, *value = option.split()
        options[f"--{name}"] = " ".join(value)
    return [PROGRAM, *(word for option in options.items() for word in option if word)]


def survey(folder, more="", steps=30, shots=4, expected=0):
    """Words of the survey on stderr, or, where all is well, on stdout."""
    command = options_of(folder, steps, shots, more)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300 if ON_GPU else 60, check=False)
    assert ended.returncode == expected, (command, ended.returncode, ended.stderr)
    return ended.stdout if expected == 0 else ended.stderr


def same_shots(here, there):
    names = sorted(file.name for file in Path(there, "shots").iterdir())
    assert names == sorted(file.name for file in Path(here, "shots").iterdir()), names
    for file in Path(there, "shots").glob("*.h5"):
        with h5py.File(file) as a, h5py.File(Path(here, "shots", file.name)) as b:
            name = "wavefield" if "snapshots" in file.name else "traces"
            assert np.array_equal(a[name][:], b[name][:]), (here, file.name)
            assert np.abs(a[name][:]).max() > 0


def depths():
    """Each shot has receivers at a depth of its own, whose nodes reach farther than the halo of order 2: the cut lies
    beside all of them."""
    for shot, depth in ((1, 83), (2, 63)):
        Path(f"at_{shot:05d}.csv").write_text(f"23,70,{depth}\n92,75,{depth}\n", encoding="utf-8")
    more = "--order 2 --allow-dispersion --receivers at_%05d.csv"
    survey("depths", more, shots=2)
    survey("depths_cut", f"{more} {TWO}", shots=2)
    same_shots("depths_cut", "depths")


def record_of(folder):
    return json.loads(Path(folder, "survey.json").read_text(encoding="utf-8"))


def bits():
    more = "--snapshot-every 10steps --snapshot-stride 3"
    survey("whole", more)
    for workers in (1,) if ON_GPU else (1, 2):
        said = survey(f"ranks{workers}", f"{more} {TWO}" + ("" if ON_GPU else f" --workers {workers}"))
        same_shots(f"ranks{workers}", "whole")
        record = record_of(f"ranks{workers}")
        assert record["ranks_per_shot"] == 2 and len(record["workers"]) == workers
        for worker in record["workers"]:
            assert worker["transport"] == ("ipc" if ON_GPU else "mpi") and sum(worker["slabs"]) == 26
            assert 1 <= worker["measured_layer_cost"] <= 6 and "(measured)" in said
    assert record_of("whole")["ranks_per_shot"] == 1
    if ON_GPU and not runs_there(WHOLE.split()[1]):
        return
    survey("pairs", f"{more} {WHOLE}")
    survey("pairs_of_ranks", f"{more} {WHOLE} {THREE} --slabs 9,8,9")
    same_shots("pairs_of_ranks", "pairs")
    worker, = record_of("pairs_of_ranks")["workers"]
    assert worker["slabs"] == [9, 8, 9] and worker["measured_layer_cost"] is None


def processes_of(worker_of):
    """Processes of that survey's workers: mpirun and its ranks."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(entry.startswith(b"MINIMOD_WORKER=%d " % worker_of) for entry in environment) and words != [b""]:
            found.append((int(process.name), Path(os.fsdecode(words[0])).name))
    return found


def ranks_of(process):
    return [pid for pid, name in processes_of(process.pid) if name == Path(PROGRAM).name]


def start_long(folder, more, steps=LONG):
    """The survey, when it has left a checkpoint."""
    process = subprocess.Popen(options_of(folder, steps, 2, f"--checkpoint-every 0.03s {more}"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 20
    while not list(Path(folder).glob("checkpoints/shot*.h5")):
        assert time.monotonic() < end and process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


def ended(process):
    """Words of the process; all of its processes have ended, too."""
    said = process.communicate(timeout=20)[1]
    end = time.monotonic() + 5
    while left := processes_of(process.pid):
        assert time.monotonic() < end, left
        time.sleep(0.01)
    return said


def stops_and_goes_on():
    """Three ranks go on with what two began, to the same bits."""
    survey("long", steps=LONG, shots=2)
    process = start_long("stopped", TWO)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    said = ended(process)
    assert time.monotonic() - began < 10
    assert process.returncode == 75 and "goes on" in said, (process.returncode, said)
    assert list(Path("stopped/checkpoints").glob("*.h5")), said
    survey("stopped", THREE, LONG, 2)
    same_shots("stopped", "long")
    assert not list(Path("stopped/checkpoints").iterdir())


def kept_by_mpirun():
    """A request to stop reaches the ranks, whatever mpirun does."""
    larger = "--grid 60,60,60 --time-dispersion as-is"  # steps take longer, and mpirun's pipe is full later
    process = start_long("kept", f"{TWO} {larger}", steps=1000000)
    tell_past_mpirun(process, lambda: Path("kept/checkpoints").glob("shot*.h5"))
    said = ended(process)
    assert process.returncode == 75 and "goes on" in said, (process.returncode, said)


def killed_rank():
    """The shot begins again, from its checkpoint."""
    process = start_long("rank", TWO)
    os.kill(ranks_of(process)[1], signal.SIGKILL)
    said = ended(process)
    assert process.returncode == 0 and "begins again" in said, (process.returncode, said)
    assert max(row["retries"] for row in record_of("rank")["rows"]) == 1
    same_shots("rank", "long")


def killed_survey():
    """Leaves no rank behind; one process goes on."""
    process = start_long("survey", TWO)
    assert len(ranks_of(process)) == 2
    process.kill()
    ended(process)
    survey("survey", steps=LONG, shots=2)
    same_shots("survey", "long")


def refusals():
    def refused(more, code, words):
        said = survey("refused", more, expected=code)
        lines = [line for line in said.splitlines() if line.startswith("minimod: error")]
        assert len(lines) == 1 and words in lines[0] and len(lines[0]) <= 240, said
        assert not Path("refused").exists()

    if ON_GPU:
        refused("--ranks-per-shot 3 --device cuda:0,1", 69, "one a rank, there are 2")
        refused(f"{TWO} --workers 2", 64, "--workers is given with GPUs")
        return
    refused("--ranks-per-shot 0", 64, "--ranks-per-shot")
    refused("--ranks-per-shot 5", 64, "the slabs of 5 ranks need 28 planes")
    refused("--ranks-per-shot 2 --slabs 10,10", 64, "the grid has 26")
    refused("--ranks-per-shot 2 --slabs 10,10,6", 64, "--slabs names 3")
    refused("--ranks-per-shot 2 --ranks 2", 64, "--ranks-per-shot cuts each")
    refused("--ranks 2", 64, "--ranks-per-shot cuts each")
    refused("--slabs 13,13", 64, "give --ranks-per-shot 2")
    refused("--ranks-per-shot 2 --interpolation sinc8 --slabs 8,18 --receivers line:10,70,43:90,70,43:3", 64, "beyond")
    refused("--ranks-per-shot 2 --grid 8000 --workers 2", 71, "4 slabs at once need")
    single = subprocess.run([PROGRAM, "--grid", "24", "--ranks-per-shot", "2"], capture_output=True, text=True,
                            check=False)
    assert single.returncode == 64 and "one shot takes --ranks" in single.stderr, single.stderr
    if why := asked("info")["no_gpu"]:
        refused("--device cuda:all --ranks-per-shot 2", 69, why)


def asked(command):
    """List of a command in JSON."""
    done = subprocess.run([PROGRAM, command, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def runs_there(kernel):
    """Whether a kernel runs on the GPU."""
    return any(row["name"] == kernel and row["cuda"]["runs"] for row in asked("kernels")["kernels"])


def can_run():
    info = asked("info")
    gpus = sum(device["kind"] == "cuda" and "why_not" not in device for device in info["devices"])
    return info["build"]["mpi"] != "" and (not ON_GPU or gpus >= 2)


def main():
    if not can_run():
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in (bits, depths, stops_and_goes_on, kept_by_mpirun, killed_rank, killed_survey, refusals):
            began = time.monotonic()
            part()
            print(part.__name__, "passed in", round(time.monotonic() - began, 1), "s", flush=True)
        os.chdir("/")


main()
