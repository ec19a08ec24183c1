"""Surveys as a user runs them: the same files with any number of workers, shots that are there left alone, damaged ones
done again, workers that are killed, shots that fail.

    survey_runs.py MINIMOD
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

import h5py
import numpy as np

from processes import children_of

PROGRAM = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1"}
SURVEY = ["--device", "cpu", "--grid", "24", "--spacing", "10", "--pml-width", "4", "--steps", "30",
          "--wavelet", "ricker:f=20", "--sources", "line:30,70,50:110,70,50:5",
          "--receivers", "line:0,70,20:150,70,20:6"]


def run(arguments, expected=0):
    """Words of the program on stdout and stderr."""
    ended = subprocess.run([PROGRAM, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=120,
                           check=False)
    said = ended.stdout + ended.stderr
    assert ended.returncode == expected, f"{arguments} ended with {ended.returncode}:\n{said}"
    return said


def survey(folder, *more, expected=0):
    return run([*SURVEY, "--output", folder, *more], expected)


def survey_with(option, value):
    """The arguments of the survey with another value of that option."""
    arguments = list(SURVEY)
    arguments[arguments.index(option) + 1] = value
    return arguments


def bytes_of(folder):
    """The content of each shot's file."""
    shots = os.path.join(folder, "shots")
    content = {}
    for name in sorted(os.listdir(shots)):
        with open(os.path.join(shots, name), "rb") as file:
            content[name] = file.read()
    return content


def rows(folder, name="survey.json"):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)["rows"]


def same_with_any_workers():
    survey("one")
    expected = bytes_of("one")
    assert list(expected) == [f"shot_{i:05d}.h5" for i in range(1, 6)], list(expected)
    shutil.move("one", "kept")
    survey("one", "--workers", "2")  # the command line stands in the files, so that it may differ in this alone
    for name in bytes_of("one"):
        with h5py.File(os.path.join("one", "shots", name)) as here, \
                h5py.File(os.path.join("kept", "shots", name)) as there:
            assert np.array_equal(here["traces"][:], there["traces"][:]), name
            assert np.array_equal(here["source"][:], there["source"][:]), name
    assert not os.listdir(os.path.join("one", "checkpoints"))
    assert {row["state"] for row in rows("one")} == {"done"}
    shutil.rmtree("one")
    shutil.move("kept", "one")


def is_a_single_shot():
    single = list(SURVEY)
    single[single.index("--sources"):single.index("--sources") + 2] = ["--source", "70,70,50"]
    run([*single, "--output", "single.h5"])
    with h5py.File("single.h5") as here, h5py.File("one/shots/shot_00003.h5") as there:
        assert (here.attrs["shot_id"], there.attrs["shot_id"]) == (1, 3)
        assert np.array_equal(here["traces"][:], there["traces"][:])


def leaves_alone_what_is_there():
    before = bytes_of("one")
    times = [os.stat(f"one/shots/{name}").st_mtime_ns for name in before]
    # Left where a damaged shot had been made again, to the bytes that the journal knows, and the worker was killed.
    with open("one/checkpoints/shot_00003.0.h5", "wb"):
        pass
    assert "5 done before" in survey("one")
    assert [os.stat(f"one/shots/{name}").st_mtime_ns for name in before] == times
    assert not os.listdir("one/checkpoints")
    os.remove("one/shots/shot_00001.h5")
    with open("one/shots/shot_00002.h5", "r+b") as file:
        file.truncate(1000)
    with open("one/shots/shot_00004.h5", "r+b") as file:
        file.seek(2000)
        byte = file.read(1)[0]
        file.seek(2000)
        file.write(bytes([byte ^ 4]))
    assert "2 done before" in survey("one")
    assert bytes_of("one") == before


def refuses_another_survey():
    said = survey("one", "--dt", "1e-3", expected=73)
    assert "--dt" in said and "--force" in said, said
    before = bytes_of("one")
    elsewhere = survey_with("--sources", "line:20,70,50:100,70,50:5")
    said = run([*elsewhere, "--output", "one"], 73)
    assert "shot 1 has another source" in said and "--force" in said, said
    run([*elsewhere, "--output", "one", "--shots", "1:3", "--force"])
    assert "2 done before" in run([*elsewhere, "--output", "one", "--force"])
    assert len(bytes_of("one.1")) == 5
    survey("one", "--dt", "1e-3", "--force")
    assert len(bytes_of("one.2")) == 5
    assert "5 done before" in survey("one", "--force") and bytes_of("one") == before
    os.mkdir("other")
    with open("other/notes.txt", "w", encoding="ascii") as file:
        file.write("mine")
    survey("other", expected=73)
    assert os.listdir("other") == ["notes.txt"]


def refuses_other_bits():
    """A kernel of the same bits goes on. Of 16-bit velocities and other versions the folder says here what they leave."""
    survey("bits", "--kernel", "reference", "--shots", "1:3")
    assert "2 done before" in survey("bits", "--kernel", "kokkos", "--shots", "1:4")
    for kernel, name, order in (("semi_8x8x8", "--kernel", "semi"), ("in_plane_full", "--kernel", "in_plane")):
        refusal = survey("bits", "--kernel", kernel, "--emulate", expected=73)
        assert f'{name}\'s order of sums is "star" there and "{order}" here' in refusal, refusal
    refusal = survey("bits", "--emulate", "--kernel", "gmem", "--pml-kernel", "st_semi", expected=73)
    assert '--pml-kernel\'s order of sums is "star" there and "st_semi" here' in refusal, refusal
    assert "3 done before" in survey("bits", "--kernel", "gmem", "--emulate", "--shots", "1:4")
    with open("bits/configuration.json", encoding="utf-8") as file:
        ours = file.read()
    files = bytes_of("bits")
    said = json.loads(ours)["configuration"]
    for name, other in (("--kernel's bits of V", 16), ("the program's version", "0.0.1"), ("its arithmetic", 0)):
        with open("bits/configuration.json", "w", encoding="utf-8") as file:
            file.write(ours.replace(json.dumps(name) + ": " + json.dumps(said[name]),
                                    json.dumps(name) + ": " + json.dumps(other)))
        refusal = survey("bits", expected=73)
        assert f"{name} is {json.dumps(other)} there and {json.dumps(said[name])} here" in refusal, refusal
        assert refusal.count("\n") == 1 and len(refusal) <= 241, refusal
        assert bytes_of("bits") == files
    with open("bits/configuration.json", "w", encoding="utf-8") as file:
        file.write(ours)
    assert "3 done before" in survey("bits")


def refuses_a_checkpoint_of_another_version():
    shot = [*survey_with("--steps", "30000"), "--checkpoint-every", "0.05s", "--output", "alone.h5"]
    shot[shot.index("--sources"):shot.index("--sources") + 2] = ["--source", "70,70,50"]
    process = subprocess.Popen([PROGRAM, *shot], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20
    while not any(name.startswith("alone.checkpoint") for name in os.listdir()):
        assert time.monotonic() < end, "no checkpoint"
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 75, process.returncode
    for name in os.listdir():
        if name.startswith("alone.checkpoint"):
            as_another_version(name)
    said = run(shot, 73)
    assert "the program's version is \"9" in said, said
    assert not os.path.exists("alone.h5")


def as_another_version(checkpoint):
    with open(checkpoint, "r+b") as file:
        content = file.read()
        version = re.search(rb"\"the program's version\":\"(.*?)\"", content).group(1)
        behind = content[64:].replace(version, b"9" * len(version), 1)
        seal = content[:64].replace(b"%08x" % zlib.crc32(content[64:]), b"%08x" % zlib.crc32(behind))
        file.seek(0)
        file.write(seal + behind)


def refuses_what_does_not_fit():
    """Before anything is begun: there is no folder after it."""
    for more in ([], ["--workers", "2"]):
        before = set(os.listdir("."))
        said = run([*survey_with("--grid", "8000"), *more, "--output", "large"], 71)
        assert "largest cube that fits is --grid" in said and said.count("\n") == 1 and len(said) <= 241, said
        assert ("2 shots at once need" in said) == bool(more), said
        assert set(os.listdir(".")) == before
    free = float(re.search("([0-9.e+]+) GiB are free", said).group(1))
    edge = int((0.9 * free * 2 ** 30 / 16) ** (1 / 3))  # 16 B a point: one fits, two do not
    assert "fewer --workers" in run([*survey_with("--grid", str(edge)), "--workers", "2", "--output", "large"], 71)
    arguments = [*survey_with("--grid", "200"), "--snapshot-every", "1steps"]  # 28 MB each
    arguments[arguments.index("--steps") + 1] = "1000000"
    said = run([*arguments, "--output", "large"], 74)
    assert "are free in its file system" in said and said.count("\n") == 1 and len(said) <= 241, said
    assert set(os.listdir(".")) == before


def says_what_gives_gpus():
    """Where there are none, and what to build with only where that is why."""
    why = json.loads(run(["info", "--json"]))["no_gpu"]
    for device in ("cuda", "cuda:all") if why else ():
        said = run([*survey_with("--device", device), "--output", "gpus"], 69)
        assert why in said and "--device cpu" in said, said
        assert ("MINIMOD_ARCHITECTURES=all" in said) == ("built without" in why), said
        assert not os.path.exists("gpus")


def refuses_what_one_shot_takes():
    for more in (["--json", "r.json"], ["--output", "a.h5"], ["--workers", "0"], ["--shots", "5:9"]):
        before = set(os.listdir("."))
        run([*SURVEY, *more], 64)
        assert set(os.listdir(".")) == before


def job_array():
    for i in range(2):
        survey("array", "--worker", f"{i}/2")
        assert [row["shot"] for row in rows("array", f"survey.{i}.json")] == list(range(i + 1, 6, 2))
    assert "5 done before" in survey("array")
    survey("array", "--worker", "2/2", expected=64)
    assert "--sources" in run(["--worker", "0/2", "--grid", "24", "--pml-width", "4"], 64)


def shows_what_the_run_takes():
    with open("survey.toml", "w", encoding="ascii") as file:
        file.write("workers = 2\nranks-per-shot = 2\n")
    assert "5 of 5" in run(["survey", *SURVEY, "--config", "survey.toml", "--rate", "1"])


def selection():
    survey("some", "--shots", "2::2")
    assert list(bytes_of("some")) == ["shot_00002.h5", "shot_00004.h5"]


def shot_that_fails():
    with open("sources.csv", "w", encoding="ascii") as file:
        file.write("x,y,z,wavelet\n30,70,50,\n50,70,50,loud.txt@dt=1e-3\n70,70,50,\n")
    with open("loud.txt", "w", encoding="ascii") as file:
        file.write("\n".join(f"{1e300 * np.exp(-((t - 15) / 5) ** 2):.6e}" for t in range(31)))
    arguments = survey_with("--sources", "sources.csv")
    said = run([*arguments, "--output", "fails", "--allow-dispersion"], 65)
    assert "1 of 3 shots failed: 2" in said, said
    assert [row["state"] for row in rows("fails")] == ["done", "failed", "done"]
    assert list(bytes_of("fails")) == ["shot_00001.h5", "shot_00003.h5"]


def start_long(folder, workers=1):
    """A survey that computes for some seconds, its workers when they are at a shot."""
    arguments = survey_with("--steps", "30000")
    process = subprocess.Popen([PROGRAM, *arguments, "--shots", "1:3", "--output", folder, "--workers", str(workers)],
                               env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 20
    while len(children_of(process.pid)) < workers and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.4)
    return process


def killed_worker():
    process = start_long("killed")
    worker = children_of(process.pid)[0]
    os.kill(worker, signal.SIGKILL)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert "killed by signal 9" in said, said
    assert max(row["retries"] for row in rows("killed")) == 1


def worker_that_cannot_write():
    """The survey ends with it; the other leaves its checkpoint, and none takes its place."""
    process = start_long("full", workers=2)
    full, other = children_of(process.pid)
    os.kill(other, signal.SIGSTOP)  # until the first has ended
    resource.prlimit(full, resource.RLIMIT_FSIZE, (1000, 1000))
    end = time.monotonic() + 60
    while full in children_of(process.pid):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    os.kill(other, signal.SIGCONT)
    said = process.communicate(timeout=20)[1]
    assert process.returncode == 74 and "no other is begun" in said, (process.returncode, said)
    assert "begins again" not in said and os.listdir("full/checkpoints"), said


def one_at_a_time():
    process = start_long("locked")
    arguments = survey_with("--steps", "30000")
    said = run([*arguments, "--shots", "1:3", "--output", "locked"], 73)
    assert str(process.pid) in said, said
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 75, (process.returncode, said)
    assert "goes on" in said, said
    assert os.listdir("locked/checkpoints"), "no checkpoint"
    run([*arguments, "--shots", "1:3", "--output", "locked"])
    for name in bytes_of("killed"):
        with h5py.File(f"locked/shots/{name}") as here, h5py.File(f"killed/shots/{name}") as there:
            assert np.array_equal(here["traces"][:], there["traces"][:]), name


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for check in (same_with_any_workers, is_a_single_shot, leaves_alone_what_is_there, refuses_another_survey,
                      refuses_other_bits, refuses_a_checkpoint_of_another_version, refuses_what_does_not_fit,
                      says_what_gives_gpus, refuses_what_one_shot_takes, job_array,
                      shows_what_the_run_takes, selection, shot_that_fails,
                      killed_worker, worker_that_cannot_write, one_at_a_time):
            check()
            print(f"{check.__name__.replace('_', ' ')}: right")
        os.chdir("/")


main()
