"""`minimod plot` as a user calls it: runs, pictures of each kind, what is printed, and what is refused.

    python plot_pictures.py PROGRAM MARMOUSI_H5
"""
import fcntl
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from forked_script import run_forked

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "src" / "shot" / "plot_gather.py"
PROGRAM, MARMOUSI = sys.argv[1:]
BOX = ["--grid", "60", "--pml-width", "10", "--spacing", "10", "--device", "cpu"]  # 0 to 390 m
RUN = [*BOX, "--wavelet", "ricker:f=20", "--tmax", "0.3"]
SHOTS = {
    "line": ["--source", "100,50,30", "--receivers", "line:20,20,10:260,340,10:41"],
    "well": ["--source", "100,50,30", "--receivers", "line:200,200,0:200,200,390:40", "--format", "hdf5,segy"],
    "grid": ["--source", "200,200,30", "--receivers", "grid:0,0,10:390,300,10:40,4"],
    "one": ["--source", "200,200,30", "--receivers", "line:300,200,30:300,200,30:1"],
}
CUT = ["--model", MARMOUSI, "--crop", "300:400,:,0:100", "--extrude", "31", "--pml-width", "10",
       "--source", "150,112.5,15", "--wavelet", "ricker:f=3"]


def run(folder, *options):
    subprocess.run([PROGRAM, *options, "--output", str(folder), "--force"], check=True, stdout=subprocess.DEVNULL)
    return folder / "shot_gather.h5"


def plot(*words, code=0):
    """What the plot says on stdout, or in its one line on stderr where it is to fail."""
    result = run_forked(SCRIPT, [*map(str, words), "--force"])
    assert result.returncode == code, f"exit {result.returncode}, not {code}, of {words}: {result.stderr}"
    if code:
        assert result.stderr.startswith("minimod: error: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr if code else result.stdout


def texts(*words):
    """The texts of the picture, which an SVG has as comments, in one line."""
    picture = pathlib.Path("picture.svg")
    plot(*words, "-o", picture)
    found = re.findall(r"<!-- (.*?) -->", picture.read_text())
    picture.unlink()
    return " | ".join(found)


def check_axes(gathers):
    assert "offset along the line (m)" in texts(gathers["line"])
    assert "receiver y (m)" in texts(gathers["line"], "--axis", "y")
    assert "receiver depth (m)" in texts(gathers["well"])
    assert "| receiver |" in texts(gathers["grid"])
    assert "receiver x (m)" in texts(gathers["grid"], "--line", "y=190")
    assert "receiver y (m)" in texts(gathers["grid"], "--line", "x=200")
    assert "at (300, 200, 30) m" in texts(gathers["one"])


def check_processing(gathers):
    line = gathers["line"]
    assert "u (source unit / m)" in texts(line)
    assert "u t^1.5 (s^1.5 source unit / m)" in texts(line, "--gain", "1.5")
    assert "u / its RMS in 0.1 s" in texts(line, "--agc", "0.1", "--colormap", "seismic")
    assert "time - distance / 2000 m/s (s)" in texts(line, "--reduce", "2000", "--time=-0.05:0.2")
    assert "one trace of 2" in texts(gathers["grid"], "--wiggles")
    words = texts(line, "--spectrum", "--traces", "0:10", "--time", "0.05:")
    assert "frequency (Hz)" in words and "root mean square of 10 traces" in words


def check_kinds(gathers):
    """Pictures have what their suffix says; one without colours has a byte a pixel."""
    for name, start in (("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.svg", b"<?xml")):
        assert plot(gathers["well"], "-o", name).startswith(f"picture {name}, ")
        assert pathlib.Path(name).read_bytes().startswith(start)
    grey, colour = 0, 2
    plot(gathers["line"], "-o", "grey.png")
    plot(gathers["line"], "-o", "colour.png", "--colormap", "seismic")
    plot(gathers["line"], "-o", "wiggles.png", "--wiggles", "--time", "0.1:0.2", "--traces", "0:41:2")
    assert [pathlib.Path(f"{name}.png").read_bytes()[25] for name in ("grey", "colour", "wiggles")] == [grey, colour,
                                                                                                       grey]


def check_difference(gathers):
    """Another kernel differs by rounding; a gather that is 1 % louder by 1 %; another source is another geometry."""
    other = run(pathlib.Path("other"), *RUN, *SHOTS["line"], "--kernel", "reference")
    figure = re.search(r"relative L2 (\S+) of all", plot(gathers["line"], "--minus", other, "-o", "d.png"))
    assert float(figure[1]) < 1e-5, figure[1]
    with h5py.File(other, "r+") as file:
        file["traces"][...] = file["traces"][:] * np.float32(1.01)
    figure = re.search(r"relative L2 (\S+) of all", plot(other, "--minus", gathers["line"], "-o", "d.png"))
    assert abs(float(figure[1]) - 0.01) < 1e-4, figure[1]
    assert "difference, relative L2 1.00e-02" in texts(other, "--minus", gathers["line"])
    assert "receivers" in plot(gathers["line"], "--minus", gathers["well"], "-o", "no.png", code=65)
    assert not pathlib.Path("no.png").exists()


def check_segy(gathers):
    """The SEG-Y of a run is drawn, and differs from its HDF5 in nothing."""
    segy = gathers["well"].with_suffix(".sgy")
    assert "relative L2 0.000e+00 of all" in plot(segy, "--minus", gathers["well"], "-o", "d.svg")
    picture = pathlib.Path("d.svg").read_text()
    for text in ("receiver depth (m)", "u (source unit / m)", "constant:2000", "source at (100, 50, 30) m"):
        assert f"<!-- {text}" in picture, text
    pathlib.Path("cut.sgy").write_bytes(segy.read_bytes()[:-5])
    assert "give one that is whole" in plot("cut.sgy", "-o", "no.png", code=65)


def sections_of(path):
    with h5py.File(path) as file:
        return {name: file[name][:] for name in file if name.startswith("model_") or name in "xyz"}


def check_sections(gathers):
    """The sections before a run are those of the run, and the nodes of the model's file."""
    words = texts(gathers["line"], "--sections")
    for text in ("V (m/s)", "y = 50 m", "x = 100 m", "z = 30 m", "41 receivers", "source"):
        assert text in words, text
    folder = pathlib.Path("cut")
    folder.mkdir()
    after = sections_of(run(folder, *CUT, "--steps", "2", "--device", "cpu"))
    subprocess.run([PROGRAM, "section", *CUT, "--output", folder], check=True, stdout=subprocess.DEVNULL)
    before = sections_of(folder / "sections.h5")
    with h5py.File(MARMOUSI) as file:
        section = file["vp"][:, 0, :][0:100, 300:400]
    assert sorted(before) == ["model_xy", "model_xz", "model_yz", "x", "y", "z"]
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert np.array_equal(before["model_xz"], section)
    assert np.array_equal(before["model_yz"], np.repeat(section[:, [20]], 31, axis=1))
    assert np.array_equal(before["model_xy"], np.repeat(section[[2]], 31, axis=0))
    assert np.allclose(np.diff(before["x"]), 7.5) and before["x"][0] == 0
    assert "y = 112.5 m" in texts(*CUT) and "V (m/s)" in texts(folder / "sections.h5")
    assert "two layers" in texts("--model", "layered:1500@0,2500@200", *BOX, "--title", "two layers")


def check_older_file(gathers):
    """A gather whose texts are bytes and whose spacing is a text, as they were, is drawn, and is a wavelet."""
    with h5py.File(gathers["line"]) as new, h5py.File("older.h5", "w") as old:
        for name in ("traces", "receivers", "requested_receivers", "source", "requested_source", "wavelet", "time"):
            old[name] = new[name][:]
            for key in {"units", "description", "dt"} & set(new[name].attrs):
                value = new[name].attrs[key]
                old[name].attrs[key] = np.bytes_(value) if isinstance(value, str) else value
        old.attrs.update({"format": np.bytes_(new.attrs["format"]), "model": np.bytes_(b"m"), "spacing": b"10,10,10"})
    assert "offset along the line (m)" in texts("older.h5")
    assert "no sections" in plot("older.h5", "--sections", "-o", "no.png", code=65)
    run(pathlib.Path("older"), *BOX, "--wavelet", "older.h5", "--steps", "5")


def check_refusals(gathers):
    line = gathers["line"]
    pathlib.Path("words.h5").write_text("no HDF5")
    refused = [
        (64, ["--agc", "0"], "above 0"), (64, ["--gain", "1", "--agc", "1"], "not allowed with"),
        (64, ["--time", "0.2:0.1"], "does not rise"), (64, ["--time", "5:6"], "holds no sample"),
        (64, ["--traces", "50:60"], "takes none"), (64, ["--line", "q=1"], "give y=300"), (64, ["--reduce=-5"], "above 0"), (64, ["--clip", "0"], "above 0"),
        (64, ["--clip", "nan"], "above 0"), (64, ["--axis", "w"], "invalid choice"), (64, ["--wigles"], "--wigles"),
        (64, ["--sections", "--gain", "1"], "draws no traces"), (64, ["--sections", "--minus", "a.h5"], "not allowed"),
        (65, ["--minus", "words.h5"], "not a shot gather"), (66, ["--minus", "none.h5"], "is no file"),
        (73, ["-o", "no/folder/a.png"], "choose another"), (64, ["-o", "a.xyz"], "xyz")]
    for code, words, said in refused:
        message = plot(line, "-o", "no.png", *words, code=code)
        assert said in message, message
    with open(line, "rb+") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)  # as HDF5 locks what it writes
        assert "is open for writing elsewhere" in plot(line, "-o", "no.png", code=65)
    assert "the 4 lines along x" in plot(gathers["grid"], "-o", "no.png", "--line", "4", code=64)
    assert "none.h5" in plot("--model", "none.h5", "-o", "no.png", code=66)
    assert "--surce" in plot("--model", "constant:2000", "--surce", "1,2,3", "-o", "no.png", code=64)
    assert not pathlib.Path("no.png").exists()


def main():
    os.environ["MINIMOD_PROGRAM"] = PROGRAM
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        gathers = {}
        for name, shot in SHOTS.items():
            pathlib.Path(name).mkdir()
            gathers[name] = run(pathlib.Path(name), *RUN, *shot)
        for name in ("other", "older"):
            pathlib.Path(name).mkdir()
        for name, check in list(globals().items()):
            if name.startswith("check_"):
                check(gathers)
        os.chdir("/")


if __name__ == "__main__":
    main()
