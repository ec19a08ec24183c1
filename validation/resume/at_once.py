"""Commands that make one file are called at once: one makes it, the others are refused before they compute.

    at_once.py PROGRAM FAILING_CALLS_LIBRARY [NAME ...]
"""
import contextlib
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])
DOMAIN = "--device cpu --grid 24 --pml-width 4 --dt 2e-3"
SHOT = f"{DOMAIN} --steps 400 --receivers line:20,100,20:200,100,20:3"
LONG = SHOT.replace("--steps 400", "--steps 1000000")
LINE = "--sources line:60,100,60:160,100,60:2"
SURVEY = f"{DOMAIN} --steps 300 {LINE} --output o"
LONG_SURVEY = SURVEY.replace("--steps 300", "--steps 1000000")
BENCH = f"bench --device cpu --kernel reference --grid 48 --steps 4"
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PRELOAD = f"{LIBRARY}:{os.environ.get('LD_PRELOAD', '')}".strip(":")
NO_LOCKS = {"LD_PRELOAD": PRELOAD, "FAILING_FLOCK": str(errno.ENOLCK)}
CREATE, STOPPED = 73, 75


def start(words, environment):
    return subprocess.Popen([PROGRAM, *words.split()], env=ENVIRONMENT | environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ends(processes):
    """Exit code and stderr of each."""
    return [(error, process.returncode) [::-1] for process in processes for _, error in [process.communicate(timeout=120)]]


def call(words, expected, environment, says=""):
    (code, error), = ends([start(words, environment)])
    assert code == expected and says in error, (words, code, error)
    return error


@contextlib.contextmanager
def at_work(words, marks, environment):
    """A command that has all of these files, and is killed at the end."""
    process = start(words, environment)
    try:
        began = time.monotonic()
        while not all(os.path.exists(mark) for mark in marks):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < began + 60
            time.sleep(0.002)
        yield process
    finally:
        process.kill()
        process.communicate()


def files():
    return sorted(str(file) for file in pathlib.Path().rglob("*"))


def one_of(commands, environment):
    """All started at once: one ends with 0, the others with 73 and the name of the one that was before."""
    found = ends([start(words, environment) for words in commands])
    codes = sorted(code for code, _ in found)
    assert codes == [0] + [CREATE] * (len(commands) - 1), found
    return [code for code, _ in found].index(0)


def one_stays(words, environment):
    """Four started at once that would all end with 0: one is at work, the others have ended with 73."""
    processes = [start(words, environment) for _ in range(4)]
    try:
        began = time.monotonic()
        while sum(process.poll() is not None for process in processes) < 3:
            assert time.monotonic() < began + 60
            time.sleep(0.01)
        time.sleep(0.1)
        codes = [process.poll() for process in processes]
        assert sorted(codes, key=str) == [CREATE] * 3 + [None], codes
    finally:
        for process in processes:
            process.terminate()
        found = ends(processes)
    assert sorted(code for code, _ in found) == [CREATE] * 3 + [STOPPED], found


def a_gather_has_one_run(environment):
    for _ in range(2):
        one_of([f"{SHOT} --output g.h5"] * 4, environment)
        one_of([f"{SHOT} --output new/g.h5", f"{SHOT} --output ./new/g.h5"], environment)
        assert files() == ["g.h5", "new", "new/g.h5"], files()
        one_stays(f"{LONG} --output g.h5 --force", environment)
        for checkpoint in pathlib.Path().glob("g.checkpoint.*"):
            checkpoint.unlink()
        pathlib.Path("g.h5").unlink()
        shutil.rmtree("new")


def the_second_is_refused_at_once(environment):
    """Whatever it calls the file, and whichever of its files the two would share."""
    os.mkdir("real")
    os.symlink("real", "link")
    with at_work(f"{LONG} --checkpoint-every 1e-9 --json r.json --snapshot-every 900000steps --output real/g.h5",
                 ["real/g.checkpoint.0.h5"], environment) as first:
        before = [name for name in files() if "checkpoint" not in name]
        name = f"in use by process {first.pid} of {os.uname().nodename} since 20"
        for words in (f"{SHOT} --output real/g.h5", f"{SHOT} --output link/g.h5 --force", f"{SHOT} --output ./real/../real/g.sgy",
                      f"{SHOT} --output x.h5 --json r.json --force", f"{BENCH} --json real/g.h5",
                      f"section {SHOT} --output real/g.snapshots.h5", f"heat --kernel all --device cpu --grid coarse --json link/g.h5",
                      f"verify stability --device cpu --json r.json"):
            began = time.monotonic()
            call(words, CREATE, environment, name)
            assert time.monotonic() < began + 2
            assert [name for name in files() if "checkpoint" not in name] == before, (words, files())
        call(f"{SHOT} --output x.h5", 0, environment)


def nothing_stays(environment):
    for words, expected in ((f"{SHOT} --output g.h5 --json r.json", 0), (f"{SHOT} --output g.h5", CREATE),
                            (f"{SHOT} --grid 100000 --output h.h5".replace("--grid 24 ", ""), 71)):
        call(words, expected, environment)
        assert files() == ["g.h5", "r.json"], files()
    with at_work(f"{LONG} --output h.h5", [".h.h5.lock"], environment) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait() == STOPPED
        assert not [name for name in files() if ".lock" in name], files()


def a_killed_run_hinders_nobody(environment):
    for _ in range(2):
        with at_work(f"{LONG} --output g.h5", [".g.h5.lock"], environment) as process:
            process.kill()
        assert os.path.exists(".g.h5.lock")
        one_of([f"{SHOT} --output g.h5"] * 4, environment)
        assert files() == ["g.h5"], files()
        os.remove("g.h5")


def what_is_no_lock_is_kept(environment):
    pathlib.Path("victim").write_bytes(b"mine")
    os.symlink("victim", ".g.h5.lock")
    call(f"{SHOT} --output g.h5", CREATE, environment, "is a link")
    os.remove(".g.h5.lock")
    for content in (b"mine", b"process of mine\n", bytes(5000)):
        pathlib.Path(".g.h5.lock").write_bytes(content)
        call(f"{SHOT} --output g.h5 --force", CREATE, environment, "is no lock of minimod")
        assert pathlib.Path(".g.h5.lock").read_bytes() == content
    assert files() == [".g.h5.lock", "victim"] and pathlib.Path("victim").read_bytes() == b"mine"


def a_folder_has_one_survey(environment):
    """Two different surveys, or one twice: the one that began can be continued, and the other leaves nothing."""
    one_stays(LONG_SURVEY, environment)
    for other in (SURVEY.replace("2e-3", "1e-3"), SURVEY.replace(":160", ":140")):
        for _ in range(2):
            shutil.rmtree("o", ignore_errors=True)
            commands = [SURVEY, other]
            winner = one_of(commands, environment)
            left = files()
            assert not [name for name in left if ".lock" in name or name.endswith(".tmp")], left
            call(commands[winner], 0, environment)
            call(commands[1 - winner], CREATE, environment, "has another survey")
            assert files() == left, files()


def workers_share_a_folder(environment):
    for _ in range(2):
        shutil.rmtree("o", ignore_errors=True)
        found = ends([start(f"{SURVEY} --worker {i}/2", environment) for i in range(2)])
        assert [code for code, _ in found] == [0, 0], found
        assert not [name for name in files() if ".lock" in name], files()
    with at_work(f"{LONG_SURVEY} --output p --worker 0/2".replace("--output o ", ""), ["p/.lock.0", "p/journal.0"],
                 environment) as worker:
        for words in ("", "--worker 0/2"):
            call(f"{LONG_SURVEY} --output p {words}".replace("--output o ", ""), CREATE, environment,
                 f"in use by process {worker.pid} of")


def a_survey_is_merged_at_its_end(environment):
    call(SURVEY + " --shots 1", 0, environment)
    with at_work(SURVEY.replace("--steps 300", "--steps 300 --shots 2 --checkpoint-every 1e-9"),
                 ["o/.lock", "o/checkpoints"], environment) as survey:
        os.kill(survey.pid, signal.SIGSTOP)
        call("merge o --output m.h5", CREATE, environment, f"'o' is in use by process {survey.pid} of")
        assert not os.path.exists("m.h5")
        call("merge o --output m.h5 --allow-missing", 0, environment)
        os.kill(survey.pid, signal.SIGCONT)
    call(SURVEY, 0, environment)
    one_of(["merge o --output n.h5"] * 4, environment)


def ranks_have_one_lock(environment):
    said = subprocess.run([PROGRAM, "info", "--json"], capture_output=True, text=True, check=True).stdout
    if not json.loads(said)["build"]["mpi"]:
        return
    with at_work(f"{LONG} --ranks 2 --output g.h5", [".g.h5.lock"], environment):
        call(f"{SHOT} --ranks 2 --output g.h5", CREATE, environment, "in use by process")


CASES = [a_gather_has_one_run, the_second_is_refused_at_once, nothing_stays, a_killed_run_hinders_nobody, what_is_no_lock_is_kept,
         a_folder_has_one_survey, workers_share_a_folder, a_survey_is_merged_at_its_end, ranks_have_one_lock]


def main():
    wanted = sys.argv[3:]
    for environment in ({}, NO_LOCKS):
        for case in CASES:
            if wanted and case.__name__ not in wanted:
                continue
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                began = time.monotonic()
                case(environment)
                os.chdir("/")
                print(case.__name__, "without locks" if environment else "", f"{time.monotonic() - began:.1f} s", flush=True)


main()
