"""HDF5 files that are whole and contradict themselves: readers refuse them in a line (65) and publish nothing.

    hostile_files.py PROGRAM [--all]

One object at a time of a gather, a model, snapshots and a checkpoint is given another shape, type, kind or value; the
program and `plot` read the file. Without --all each change meets one of the readers of what it changes, in turn.
Damaged bytes are cases of robustness.py.
"""
import contextlib
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

from hostile_changes import CHANGES, NAN, NUMBERS, SECRET, TEXTS, attribute

PLOT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures"
sys.path.insert(0, str(PLOT))
from plotting import files, snapshots  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ALL = "--all" in sys.argv
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
GRID = "--device cpu --grid 24 --spacing 10 --pml-width 4 --dt 1e-3"
LINE = "--receivers line:30,70,20:130,70,20:6"
SHORT = f"{GRID} --steps 8 {LINE}"
LONG = f"{GRID} --steps 400 {LINE} --wavelet ricker:f=20 --checkpoint-every 1e-9"
LONGEST = 240


# ---- readers

def run(words, folder):
    done = subprocess.run([PROGRAM, *words.split()], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def program(words):
    return lambda folder: run(words, folder)


def merge(output, name="g.h5"):
    def read(folder):
        (folder / "o").mkdir()
        (folder / "o/shots").symlink_to("..")
        (folder / name).rename(folder / "shot_00001.h5")
        return run(f"merge o -o {output}", folder)
    return read


def drawn(formats, name, reader):
    """Reader of `plot` before it draws, here and thus in one thread."""
    def read(folder):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                files.read(str(folder / name), formats, lambda file: reader(file, str(folder / name)))
            except SystemExit as end:
                return end.code, said.getvalue()
        return 0, ""
    return read


def draw_gather(file, path):
    index = files.index_in(file, path)
    index.gather(np.arange(len(index.positions)))


def draw_snapshots(file, _):
    snapshots.section_in(file, lambda times: np.arange(len(times)), "xz", None)


ROWS = ("traces", "receivers", "requested_receivers", "source", "requested_source", "wavelet", "time")
READERS = {  # readers by name: their file, and what they read of it
    "merge to HDF5": ("g.h5", merge("out.h5"), ROWS), "merge to SEG-Y": ("g.h5", merge("out.sgy"), ROWS),
    "merge of two sources": ("g2.h5", merge("out.h5", "g2.h5"), ("source", "requested_source", "wavelet")),
    "--inject": ("g.h5", program(f"{SHORT} --inject g.h5 --output out.h5"), ("traces", "receivers", "time")),
    "--wavelet": ("g.h5", program(f"{SHORT} --wavelet g.h5 --output out.h5"), ("wavelet",)),
    "--model": ("m.h5", program("--device cpu --pml-width 3 --steps 2 --wavelet ricker:f=5 --model m.h5 --output out.h5"), ("vp",)),
    "plot": ("g.h5", drawn(files.TRACES, "g.h5", draw_gather), ("traces", "receivers", "requested_receivers", "source", "time")),
    "plot of snapshots": ("s.h5", drawn((snapshots.SNAPSHOTS,), "s.h5", draw_snapshots),
                          ("wavefield", "time", "x", "source", *(("y", "z") if ALL else ())))}


def may_pass(reader, name, change):
    """Where nothing contradicts itself, or h5py reads what the program does not."""
    lengths = ("a row more", "a row less", "a column more")
    return ((name == "wavelet" and change in lengths[2 if reader.endswith("sources") else 0:]) or
            (name == "vp" and change in (*lengths, "200 rows", "an axis less")) or
            (name in ("traces", "wavefield") and change in ("NaN", "infinite") and reader != "--inject") or
            (reader.startswith("plot") and change in ("halves", "compact", "of another filter", "unwritten", "NaN", "infinite")) or
            (reader == "plot" and name == "requested_receivers" and change == "missing") or
            (reader.startswith("plot") and name == "source" and change in ("200 rows", "an axis more")))


def cases():
    """(reader, what it is, change, name, whether it must be refused)."""
    turns = itertools.count()
    names = dict.fromkeys((file, name) for file, _, names in READERS.values() for name in names)
    for file, name in names:
        readers = [reader for reader, (its, _, read) in READERS.items() if its == file and name in read]
        for what, change in CHANGES.items():
            for reader in readers if ALL else [readers[next(turns) % len(readers)]]:
                yield reader, f"{name}: {what}", change, name, not may_pass(reader, name, what)
    for readers, owner, key, chosen in (
            (("merge to HDF5", "merge to SEG-Y"), "time", "dt", NUMBERS), (("merge to HDF5", "--wavelet"), "wavelet", "dt", NUMBERS),
            (("--model",), "vp", "spacing", NUMBERS), (("--model",), "vp", "units", {"a number for": 7, "texts for": TEXTS}),
            (("--model",), "vp", "axes", {"a number for": 7, "texts for": TEXTS, "a wrong": "z,y,q"}),
            (("--model",), "vp", "origin", {"two": [0.0, 0.0], "a NaN for": [NAN, 0, 0], "a text for": "0,0,0"}),
            (("merge to HDF5", "merge to SEG-Y", "--inject"), "/", "model_origin", {"a NaN for": [0, NAN, 0]}),
            (("merge to HDF5",), "/", "model", {"a number for": 7}),
            (("merge to HDF5",), "texts", "format", {"a number for": 7, "no": None, "another": "minimod snapshots 1"}),
            (("plot",), "/", "format", {"a number for": 7, "no": None, "texts for": TEXTS}),
            (("plot",), "traces", "units", {"no": None})):
        for what, value in chosen.items():
            for reader in readers:
                yield reader, f"{what} {key} of {owner}", attribute(owner, key, value), "", True


def holds_secret(path):
    """As HDF5 and SEG-Y would have it."""
    content = path.read_bytes()
    return any(np.array(SECRET, kind).tobytes() in content for kind in ("<f8", "<f4", ">f4"))


def faults_of(case, originals):
    reader, what, change, name, is_wrong = case
    file, read, _ = READERS[reader]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        path = folder / file
        path.write_bytes(originals[file])
        with h5py.File(path, "r+") as opened:
            if reader.endswith(("SEG-Y", "--inject")) and "model_origin" in what:
                opened.attrs["model_x_axis"] = [1.0, 0.0]
            change(opened, name)
        code, said = read(folder)
        lines = [line for line in said.splitlines() if "error: " in line]
        made = [entry for entry in folder.iterdir() if entry.name.startswith(("out", ".out"))]
        faults = {
            f"ends with {code}": code not in ((65,) if is_wrong else (0, 65)),
            "has no line of its own": code != 0 and (len(lines) != 1 or len(lines[0]) > LONGEST or
                                                     (is_wrong and ".h5" not in lines[0])),
            f"publishes {made}": bool(made) == (code != 0) if not reader.startswith("plot") else bool(made),
            "tells a secret": any(holds_secret(entry) for entry in made)}
        return [f"{reader}: {what} {fault}: {said[-600:]}" for fault, is_there in faults.items() if is_there]


def made_files():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "two.csv").write_text("x,y,z,shot\n50,70,50,1\n90,70,50,1\n", encoding="ascii")
        for words in (f"{SHORT} --wavelet ricker:f=20 --snapshot-every 4steps --output g.h5",
                      f"{SHORT} --wavelet ricker:f=20 --sources two.csv --output o"):
            code, said = run(words, folder)
            assert code == 0, said
        with h5py.File(folder / "m.h5", "w") as file:
            file.create_dataset("vp", data=np.full((9, 10, 11), 2000, "<f4")).attrs["spacing"] = 10.0
        found = {"g.h5": "g.h5", "g2.h5": "o/shots/shot_00001.h5", "s.h5": "g.snapshots.h5", "m.h5": "m.h5"}
        return {name: (folder / path).read_bytes() for name, path in found.items()}


# ---- checkpoints, and the snapshots beside them

def leave(folder, words, wanted):
    """A run that is killed when the files are there."""
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        process = subprocess.Popen([PROGRAM, *words.split()], cwd=folder, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere)
        while not all((folder / name).exists() for name in wanted):
            assert process.poll() is None, "it ended before"
            time.sleep(0.001)
        process.kill()
        process.wait()


def sealed(content, head=None):
    """A checkpoint with another head, and the checksum that belongs to it."""
    size = 512
    while content[size:size + 4] != b"\x89HDF":
        size *= 2
    old, first = content[64:size].split(b"\0")[0], content.split(b": ")[0]
    words = old if head is None else head(old)
    behind = words.ljust(size - 64, b"\0") + content[size:]
    return (first + f": {zlib.crc32(behind):08x}".encode()).ljust(63) + b"\n" + behind


def with_head(**changes):
    def change(content):
        def head(old):
            fields = json.loads(old)
            fields.update(changes)
            return (json.dumps({key: value for key, value in fields.items() if value is not None}) + "\n").encode()
        return sealed(content, head)
    return change


def with_dataset(name, change, folder):
    def edit(content):
        path = folder / "edited.h5"
        path.write_bytes(content)
        with h5py.File(path, "r+") as file:
            change(file, name)
        return sealed(path.read_bytes())
    return edit


def checkpoints_count_for_nothing():
    """Checkpoints that contradict themselves, with the right checksum: the shot starts anew, to the same bits."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        leave(folder, f"{LONG} --output g.h5", ["g.checkpoint.0.h5"])
        left = (folder / "g.checkpoint.0.h5").read_bytes()
        whole = (folder / "whole.checkpoint.0.h5")
        for other in folder.glob("*g.*"):
            other.unlink()
        whole.write_bytes(left)
        assert run(f"{LONG.replace(' --checkpoint-every 1e-9', '')} --output whole.h5", folder)[0] == 0
        with h5py.File(folder / "whole.h5") as file:
            traces = file["traces"][:]
        heads = [{"samples": 10 ** 6}, {"samples": 500}, {"samples": -1}, {"samples": 1 << 40}, {"step": 10 ** 6}, {"step": "7"},
                 {"step": 1.5}, {"watch": []}, {"watch": {"is_settled": 7}}, {"date": 7}, {"configuration": [1]}, {"schema": 7},
                 {"order of values": None}, *({key: None} for key in ("step", "samples", "watch", "date", "configuration"))]
        datasets = [with_dataset("traces", CHANGES[what], folder)
                    for what in ("a column more", "a row less", "an axis more", "stored outside", "virtual", "a link outside", "texts")]
        assert sealed(left) == left
        for what, change in [*((str(head), with_head(**head)) for head in heads), *(("traces", change) for change in datasets)]:
            (folder / "g.checkpoint.0.h5").write_bytes(change(left))
            code, said = run(f"{LONG.replace(' --checkpoint-every 1e-9', '')} --output g.h5", folder)
            assert code == 0 and ("counts for nothing" in said or "starts anew" in said), (what, code, said)
            with h5py.File(folder / "g.h5") as file:
                assert np.array_equal(file["traces"], traces), what
            (folder / "g.h5").unlink()


def parts_count_for_nothing():
    """Hostile snapshots beside a checkpoint."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        words = f"{LONG} --snapshot-every 40steps --output g.h5"
        leave(folder, words, ["g.checkpoint.0.h5", "g.snapshots.part1.h5"])
        left = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
        part = "g.snapshots.part0.h5"
        changes = [(what, lambda file, what=what: CHANGES[what](file, "wavefield"))
                   for what in ("an axis more", "a row less", "stored outside", "virtual", "a link outside", "unwritten", "texts")]
        changes += [(f"until {until}", lambda file, until=until: file.attrs.__setitem__("snapshots_until", until))
                    for until in (-1, 0, 1 << 40, NAN, 1e300)]
        whole = None
        for what, change in [("as they are", lambda _: None), *changes]:
            for path in folder.iterdir():
                path.unlink()
            for name, content in left.items():
                (folder / name).write_bytes(content)
            with h5py.File(folder / part, "r+") as file:
                change(file)
            code, said = run(words.replace(" --checkpoint-every 1e-9", ""), folder)
            assert code == 0 and ("starts anew" in said) == (what != "as they are"), (what, code, said)
            with h5py.File(folder / "g.snapshots.h5") as file:
                found = file["wavefield"][:]
            whole = found if whole is None else whole
            assert np.array_equal(found, whole), what


def main():
    originals = made_files()
    every = list(cases())
    here = [case for case in every if case[0].startswith("plot")]
    faults = [fault for case in here for fault in faults_of(case, originals)]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda case: faults_of(case, originals), [case for case in every if case not in here]):
            faults += found
    print(*faults, f"{len(every)} cases, {len(faults)} faults", sep="\n", flush=True)
    checkpoints_count_for_nothing()
    parts_count_for_nothing()
    sys.exit(1 if faults else 0)


main()
