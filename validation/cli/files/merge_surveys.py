"""Merged surveys against their shots: HDF5 with its index, and SEG-Y; the same bytes after a kill; shots that differ,
are not what the journal says or are missing are refused and named.

    python merge_surveys.py PROGRAM
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import segyio

RUN = ["--device", "cpu", "--grid", "24", "--pml-width", "3", "--steps", "20", "--wavelet", "gaussian:f=4",
       "--allow-dispersion", "--dt", "0.003"]
SHOTS = {0: 6, 1: 9, 4: 4}  # receivers of each
PLANNED = [0, 1, 4, 7]


def call(program, folder, *arguments, code=0, says=""):
    done = subprocess.run([program, *arguments], cwd=folder, text=True, capture_output=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    assert says in done.stderr, (says, done.stderr)
    if code:
        assert done.stderr.count("\n") == 1 and len(done.stderr) <= 241, done.stderr
    return done


def shot_file(survey, shot):
    return survey / "shots" / f"shot_{shot:05d}.h5"


def model(program, folder, shot, receivers, *options):
    call(program, folder, *RUN, *options, "--source", f"{100 + 20 * shot},160,60", "--receivers",
         f"line:20,{40 + shot},20:300,280,20:{receivers}", "--output", str(shot_file(folder / "survey", shot)))


def write_journal(survey):
    """A line of what was planned and one a shot, each with its own checksum at the end."""
    with open(survey / "journal", "w") as journal:
        line = json.dumps({"planned": PLANNED})
        journal.write(f"{line} {zlib.crc32(line.encode()):08x}\n")
        for shot in SHOTS:
            content = shot_file(survey, shot).read_bytes()
            file = {"name": f"shots/{shot_file(survey, shot).name}", "bytes": len(content),
                    "crc32": f"{zlib.crc32(content):08x}"}
            line = json.dumps({"shot": shot, "configuration": "0", "files": [file]})
            journal.write(f"{line} {zlib.crc32(line.encode()):08x}\n")


def check_hdf5(merged, survey):
    with h5py.File(merged) as file:
        assert list(file["shot_id"]) == list(SHOTS) and list(file["trace_count"]) == list(SHOTS.values())
        assert file["traces"].dims[0][0].name == "/trace" and file["traces"].dims[1][0].name == "/time"
        for i, shot in enumerate(SHOTS):
            first, count, source = file["first_trace"][i], file["trace_count"][i], file["first_source"][i]
            with h5py.File(shot_file(survey, shot)) as alone:
                for name in ("traces", "receivers", "requested_receivers"):
                    assert np.array_equal(file[name][first:first + count], alone[name][:]), (shot, name)
                for name in ("source", "requested_source", "wavelet"):
                    assert np.array_equal(file[name][source], alone[name][:]), (shot, name)
                assert np.array_equal(file["time"][:], alone["time"][:])
                assert file.attrs["model"] == alone.attrs["model"]
        assert file["first_trace"][-1] + file["trace_count"][-1] == len(file["traces"]) == sum(SHOTS.values())
        assert "command_line" not in file.attrs, "shots were typed apart"


def check_segy(merged, survey):
    with segyio.open(str(merged), ignore_geometry=True) as file:
        assert file.tracecount == sum(SHOTS.values()) and file.bin[segyio.BinField.Traces] == 0
        assert np.array_equal(file.attributes(1)[:], np.arange(1, file.tracecount + 1))
        for shot in SHOTS:
            numbers = np.flatnonzero(file.attributes(9)[:] == shot)
            assert np.all(file.attributes(17)[:][numbers] == shot)
            assert np.array_equal(file.attributes(13)[:][numbers], np.arange(1, SHOTS[shot] + 1))
            with h5py.File(shot_file(survey, shot)) as alone:
                assert np.array_equal(file.trace.raw[:][numbers], alone["traces"][:]), shot
                assert np.array_equal(file.attributes(81)[:][numbers], np.rint(alone["receivers"][:, 0] * 1000))
                assert np.all(file.attributes(73)[:][numbers] == round(alone["source"][0] * 1000))


def check_kill(program, folder, name, expected):
    """Killed where it stands, it has left no file under its name, and the next call makes the same bytes."""
    merge = ["merge", "survey", "--allow-missing", "-o", name]
    for _ in range(3):
        process = subprocess.Popen([program, *merge], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(folder.glob(f".{name}*.tmp")):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / name).exists():
            assert (folder / name).read_bytes() == expected, "a file that is not whole"
            (folder / name).unlink()
    call(program, folder, *merge)
    assert (folder / name).read_bytes() == expected, f"{name} is another after a kill"


def check_refusals(program, folder):
    survey = folder / "survey"
    call(program, folder, "merge", "survey", code=64, says="--output FILE.h5")
    call(program, folder, "merge", "-o", "x.h5", code=64, says="folder")
    call(program, folder, "merge", "survey", "-o", "x.txt", code=64, says="FILE.sgy")
    call(program, folder, "merge", "survey", "-o", "x.h5", "--segy-floats", "ibm", code=64, says="--segy-floats")
    call(program, folder, "merge", ".", "-o", "x.h5", code=66, says="shot_00001.h5")
    call(program, folder, "merge", "survey", "-o", "all.h5", code=73, says="--force")
    call(program, folder, "merge", "survey", "-o", "all.h5", "--force", code=65, says="--allow-missing")
    call(program, folder, "merge", "survey", "-o", "all.h5", "--force", "--allow-missing")
    shutil.copy(shot_file(survey, 0), folder / "shot.h5")
    call(program, folder, "merge", "survey", "-o", "shot.h5", "--force", code=73, says="is not a merged survey")

    whole = shot_file(survey, 1).read_bytes()
    shot_file(survey, 1).write_bytes(whole[:-9] + bytes([whole[-9] ^ 4]) + whole[-8:])
    call(program, folder, "merge", "survey", "-o", "x.h5", code=65, says="journal says of shot 1")
    shot_file(survey, 1).unlink()
    call(program, folder, "merge", "survey", "-o", "x.h5", code=65, says="2 of 4 shots of the survey are not there: 1, 7")
    shot_file(survey, 1).write_bytes(whole)
    model(program, folder, 7, 3)
    call(program, folder, "merge", "survey", "-o", "x.h5", code=65, says="not in the journal")
    (survey / "journal").unlink()
    call(program, folder, "merge", "survey", "-o", "x.h5", says="does not say which shots were planned, merged are the 4 that")
    (folder / "x.h5").unlink()
    shot_file(survey, 7).unlink()
    model(program, folder, 7, 3, "--record-dt", "6e-3")
    for name in ("x.h5", "x.sgy"):
        call(program, folder, "merge", "survey", "-o", name, code=65, says="shot 0 has 21 samples every 0.003 s")
        call(program, folder, "merge", "survey", "-o", name, code=65, says="shot 7 11 samples every 0.006 s")
    assert not list(folder.glob("*x.*")), list(folder.iterdir())


def check_segy_alone(program, folder):
    """Shots that are SEG-Y alone make the file that those of HDF5 beside them make, with the user's numbers."""
    (folder / "sources.csv").write_text("shot,x,y,z\n" + "".join(f"{n},{n - 900},160,60\n" for n in range(1001, 1008)))
    call(program, folder, *RUN, "--sources", "sources.csv", "--shots", "1003:1005", "--receivers",
         "line:20,40,20:300,280,20:4", "--format", "hdf5,segy", "--segy-floats", "ibm", "--output", "both")
    call(program, folder, "merge", "both", "-o", "expected.sgy", "--segy-floats", "ibm")
    shots = folder / "both" / "shots"
    for file in shots.glob("*.h5"):
        file.unlink()
    call(program, folder, "merge", "both", "-o", "joined.sgy", says="")
    assert (folder / "joined.sgy").read_bytes() == (folder / "expected.sgy").read_bytes()
    with segyio.open(str(folder / "joined.sgy"), ignore_geometry=True) as file:
        for word in (9, 17):
            assert list(file.attributes(word)[:]) == [1003] * 4 + [1004] * 4, "a number that is not the user's"
    call(program, folder, "merge", "both", "-o", "y.h5", code=66, says="SEG-Y alone")
    call(program, folder, "merge", "both", "-o", "y.sgy", "--segy-floats", "ieee", code=64, says="--segy-floats")
    whole = (shots / "shot_01004.sgy").read_bytes()
    (shots / "shot_01004.sgy").write_bytes(whole[:-1])
    call(program, folder, "merge", "both", "-o", "y.sgy", code=65, says="journal says of shot 1004")
    (folder / "both" / "journal").unlink()
    call(program, folder, "merge", "both", "-o", "y.sgy", code=65, says="is cut short")
    (shots / "shot_01004.sgy").write_bytes(whole[:3224] + b"\0\5" + whole[3226:])
    call(program, folder, "merge", "both", "-o", "y.sgy", code=65, says="shot 1004 21 IEEE samples every")
    assert not list(folder.glob("*y.*")), list(folder.iterdir())


def check_plan(program, folder):
    """All shots that any run was asked for are wanted: those of a job array's workers, and of a survey that has
    grown."""
    survey = [*RUN, "--sources", "sources.csv", "--receivers", "line:20,40,20:300,280,20:4", "--output", "plan"]
    call(program, folder, *survey, "--shots", "1001:1004", "--worker", "1/3")
    for name in ("p.h5", "p.sgy"):
        call(program, folder, "merge", "plan", "-o", name, code=65, says="2 of 3 shots of the survey are not there: 1001, 1003")
    call(program, folder, *survey, "--shots", "1001:1004")
    call(program, folder, "merge", "plan", "-o", "p.h5")
    with h5py.File(folder / "p.h5") as file:
        assert list(file["shot_id"]) == [1001, 1002, 1003] and "shot_id" not in file.attrs
    with h5py.File(shot_file(folder / "plan", 1002)) as file:
        assert file.attrs["shot_id"] == 1002
    call(program, folder, *survey, "--shots", "1001:1008:6")  # the survey grows by 1007
    call(program, folder, "merge", "plan", "-o", "q.sgy")
    shot_file(folder / "plan", 1007).unlink()
    call(program, folder, "merge", "plan", "-o", "q2.h5", code=65, says="1 of 4 shots of the survey is not there: 1007")


def check_numbers_from_0(program, folder):
    """A survey that an older program began is no one's to go on with."""
    survey = [*RUN, "--sources", "line:100,160,60:140,160,60:3", "--shots", "1", "--output", "old"]
    call(program, folder, *survey)
    file = folder / "old" / "configuration.json"
    file.write_text(file.read_text().replace("survey_configuration/2", "survey_configuration/1"))
    call(program, folder, *survey, code=73, says="the number that shots count from is 0 there and 1 here")
    call(program, folder, *survey, "--force")
    assert shot_file(folder / "old.1", 1).exists()


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for shot, receivers in SHOTS.items():
            model(program, folder, shot, receivers)
        write_journal(folder / "survey")
        for name, check in (("all.h5", check_hdf5), ("all.sgy", check_segy)):
            call(program, folder, "merge", "survey", "-o", name, code=65, says="1 of 4 shots of the survey is not there: 7")
            call(program, folder, "merge", "survey", "-o", name, "--allow-missing", says="1 of 4 shots")
            check(folder / name, folder / "survey")
            expected = (folder / name).read_bytes()
            (folder / name).unlink()
            check_kill(program, folder, name, expected)
        check_refusals(program, folder)
        check_segy_alone(program, folder)
        check_plan(program, folder)
        check_numbers_from_0(program, folder)
    print("merged surveys have what their shots have")


if __name__ == "__main__":
    main()
