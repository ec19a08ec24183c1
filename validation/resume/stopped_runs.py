"""Shots that were stopped, workers that die and models that are replaced meanwhile.

    python stopped_runs.py PROGRAM
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli" / "processes"))
from processes import children_of  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1"}
LONG = "--device cpu --pml-width 4 --spacing 10 --steps 40000 --wavelet ricker:f=15 --checkpoint-every 0.05s"
SHOT = f"{LONG} --grid 24 --output o/s.h5"
CUT = "--model m.bin --model-spacing 10 --crop 0:12,0:12,0:12 --allow-dispersion --boundary pml --dt 1e-3"
SURVEY = (f"{LONG} --model m.h5 --dt 1e-3 --allow-dispersion --sources line:30,50,50:70,50,50:3 --receivers line:0,50,20:90,50,20:6 "
          "--output s")


def start(options):
    return subprocess.Popen([PROGRAM, *options.split()], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def wait_until(what):
    end = time.monotonic() + 30
    while not (found := what()):
        assert time.monotonic() < end, "it has not come"
        time.sleep(0.002)
    return found


def ends(process, code):
    """Words of the process."""
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, (process.returncode, said)
    return said


def state_of(folder):
    return {str(path): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.is_file() and path.name != ".lock"}


def checkpoints_in(folder):
    return sorted(pathlib.Path(folder).glob("*.?.h5")) if os.path.isdir(folder) else []


def stop(options, folder):
    process = start(options)
    wait_until(lambda: checkpoints_in(folder))
    process.send_signal(signal.SIGTERM)
    ends(process, 75)


def write_model(name, values):
    with h5py.File(f"{name}.new", "w") as file:
        file.create_dataset("vp", data=np.asarray(values, "<f4")).attrs["spacing"] = 10.0
    os.replace(f"{name}.new", name)


def another_shot_is_refused():
    """Whatever is added, taken away or changed that the checkpoint does not fit: it stays as it is."""
    for number, (before, then, says) in enumerate((
            ("", "--snapshot-every 5000steps", "--snapshot-every, its steps' crc32 is none there"),
            ("--snapshot-every 500steps", "", "here"),
            ("", "--schedule sequence", "is of --schedule whole-step, and this run has sequence"),
            ("--schedule sequence", "--decomposition two --schedule sequence", "of another --decomposition"),
            (f"{CUT} --model-dims 12,12,20", f"{CUT} --model-dims 20,12,12", "--model-dims is [12,12,20] there"))):
        shot = SHOT.replace("o/", f"{number}/").replace("--grid 24 ", "" if "m.bin" in before else "--grid 24 ")
        stop(f"{shot} {before}", str(number))
        kept = state_of(str(number))
        said = ends(start(f"{shot} {then}"), 73)
        assert says in said and said.count("minimod: error: ") == 1, said
        assert state_of(str(number)) == kept, then


def another_survey_is_refused():
    """One that has no shot done yet, too."""
    stop(SURVEY, "s/checkpoints")
    kept = state_of("s")
    for other, says in ((f"{SURVEY} --snapshot-every 5000steps", "--snapshot-every"),
                        (SURVEY.replace("line:30", "line:40"), "is of another shot: --source (m)")):
        said = ends(start(other), 73)
        assert says in said and state_of("s") == kept, said
    pml = SURVEY.replace("--output s", "--output p") + " --boundary pml --shots 1"
    stop(pml, "p/checkpoints")
    kept = state_of("p/checkpoints")
    assert "is of --schedule whole-step" in ends(start(f"{pml} --schedule sequence"), 73)
    assert state_of("p/checkpoints") == kept


def killed_before_it_is_ready():
    process = start(SURVEY.replace("--output s", "--output early"))
    killed = set()
    while process.poll() is None:
        for worker in set(children_of(process.pid)) - killed:
            killed.add(worker)
            os.kill(worker, signal.SIGKILL)
    said = ends(process, 70)
    assert "was killed by signal 9 before it was ready" in said and "stands above" not in said, said
    assert not list(pathlib.Path("early/shots").iterdir())
    short = SURVEY.replace("40000", "40").replace("--output s", "--output early2")
    process = start(f"{short} --workers 2")
    os.kill(wait_until(lambda: children_of(process.pid))[0], signal.SIGKILL)
    said = ends(process, 0)
    assert "was killed by signal 9 before it was ready" in said, said
    assert len(list(pathlib.Path("early2/shots").iterdir())) == 3


def a_deadly_shot_fails_alone():
    """The shot's worker dies whenever it writes the second shot, while it has computed the third."""
    os.mkdir("deadly")
    for shot, count in ((1, 2), (2, 12000), (3, 2)):
        np.savetxt(f"deadly/r{shot}.csv", np.tile((50, 50, 20), (count, 1)) + np.arange(count)[:, None] % 7, delimiter=",")
    process = start(SURVEY.replace("40000", "400").replace("line:0,50,20:90,50,20:6", "deadly/r%d.csv")
                    .replace("--output s", "--output deadly/s") + " --interpolation nearest")
    killed = set()
    while process.poll() is None:
        for name in pathlib.Path("deadly/s/shots").glob(".shot_00002.h5.*.tmp"):
            worker = int(name.name.rsplit(".", 2)[1].split("-")[0])
            if worker not in killed and worker in children_of(process.pid):
                killed.add(worker)
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.002)
    said = ends(process, 70)
    assert len(killed) == 3 and "1 of 3 shots failed: 2" in said, (killed, said)
    assert sorted(os.listdir("deadly/s/shots")) == ["shot_00001.h5", "shot_00003.h5"]


def a_replaced_model_is_not_run():
    process = start(SURVEY.replace("--output s", "--output replaced"))
    wait_until(lambda: checkpoints_in("replaced/checkpoints"))
    write_model("m.h5", np.full((12, 11, 10), 2100))
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    said = ends(process, 65)
    assert "has been replaced since it began" in said, said
    assert not os.listdir("replaced/shots"), os.listdir("replaced/shots")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.linspace(1500, 2500, 12 * 12 * 20, dtype="<f4").tofile("m.bin")
        write_model("m.h5", np.full((12, 11, 10), 2000))
        for check in (another_shot_is_refused, another_survey_is_refused, killed_before_it_is_ready,
                      a_deadly_shot_fails_alone, a_replaced_model_is_not_run):
            began = time.monotonic()
            check()
            print(f"{check.__name__.replace('_', ' ')}: right, {time.monotonic() - began:.1f} s")
        os.chdir("/")


main()
