"""`minimod plot` as a user calls it: pictures of each kind, what is printed, and what is refused.

    python plot_pictures.py PROGRAM MARMOUSI_H5
"""
import fcntl
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from plot_calls import PROGRAM, SCRIPT, figure_of, notes_of, plot, read, run, texts
from plotting import files, section_picture, selection

MARMOUSI = sys.argv[2]
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


# A model of 24 x 20 x 16 nodes of 10 m on a map, and a survey in the map's coordinates.
ORIGIN = np.array([431200.0, 4512300.0, 100.0])
PLACED = ["--model", "placed.h5", "--pml-width", "8", "--boundary", "cpml", "--device", "cpu",
          "--wavelet", "ricker:f=18", "--dt", "0.001", "--steps", "80"]
SURVEY = [*PLACED, "--coordinates", "file", "--sources", "line:431220,4512400,140:431400,4512400,140:4", "--receivers",
          "line:431200,4512400,120:431420,4512400,120:23"]


def check_axes(gathers):
    assert "offset along the line (m)" in texts(gathers["line"])
    assert "receiver y in the model (m)" in texts(gathers["line"], "--axis", "y")
    assert "receiver depth in the model (m)" in texts(gathers["well"])
    assert "| receiver |" in texts(gathers["grid"])
    assert "receiver x in the model (m)" in texts(gathers["grid"], "--line", "y=190")
    assert "receiver y in the model (m)" in texts(gathers["grid"], "--line", "x=200")
    assert "at (300, 200, 30) m in the model" in texts(gathers["one"])
    assert "source at (200, 200, 30) m in the model" in texts(gathers["one"])
    assert "the line y = 200 m is drawn" in notes_of(gathers["grid"], "--line", "y=190")
    assert not notes_of(gathers["grid"], "--line", "y=200")


def check_processing(gathers):
    line = gathers["line"]
    assert "u (source unit / m)" in texts(line)
    assert "u t^1.5 (s^1.5 source unit / m)" in texts(line, "--gain", "1.5")
    assert "u t (s source unit / m)" in texts(line, "--gain", "1")
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
    for text in ("receiver depth in the model (m)", "u (source unit / m)", "constant:2000",
                 "source at (100, 50, 30) m in the model, kernel "):
        assert f"<!-- {text}" in picture, text
    pathlib.Path("cut.sgy").write_bytes(segy.read_bytes()[:-5])
    assert "give one that is whole" in plot("cut.sgy", "-o", "no.png", code=65)


def sections_of(path):
    with h5py.File(path) as file:
        return {name: file[name][:] for name in file if name.startswith("model_") or name in "xyz"}


def check_sections(gathers):
    """The sections before a run are those of the run, and the nodes of the model's file."""
    words = texts(gathers["line"], "--sections")
    for text in ("V (m/s)", "y = 50 m", "x = 100 m", "z = 30 m", "41 receivers", "source", "x in the model (m)"):
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


def check_map_and_sections(gathers):
    """Maps have y up, sections z down; the survey's picture has the coordinates that its positions were given in."""
    folder = pathlib.Path("shown")
    folder.mkdir()
    subprocess.run([PROGRAM, "section", *SURVEY, "--output", folder], check=True, stdout=subprocess.DEVNULL)
    sections = files.read_sections(folder / "sections.h5")
    assert sections.frame == "file" and np.allclose(sections.sources[0], [20, 100, 40])
    for frame, shift in (("file", ORIGIN), ("model", np.zeros(3))):
        figure = section_picture.sections_picture(sections, frame, "")
        map_, along_x, along_y = (figure.axes[i] for i in (0, 2, 3))
        assert np.less(*map_.get_ylim()) and np.greater(*along_x.get_ylim()) and np.greater(*along_y.get_ylim())
        scale = 1000 if frame == "file" else 1
        for axes, columns in ((map_, [0, 1]), (along_x, [0, 2]), (along_y, [1, 2])):
            for line, places in zip(axes.lines, (sections.receivers, sections.sources)):
                assert np.allclose(line.get_xydata() * scale, (places + shift)[:, columns], atol=1e-3), frame
    words = texts("--survey", *SURVEY)
    for text in ("x on the map (km)", "4 shots, source at (431220, 4512400, 140) m on the map and 3 more"):
        assert text in words, words
    assert "x in the model (m)" in texts(folder / "sections.h5", "--coordinates", "model")
    assert "--gain is given with sections" in plot(folder / "sections.h5", "--gain", "1", "-o", "no.png", code=64)


def check_coordinates(gathers):
    """A shot's HDF5 and SEG-Y give one picture in either's coordinates, which the labels name."""
    run(pathlib.Path("."), *PLACED, "--source", "100,100,40", "--receivers", "line:0,100,20:230,100,20:24", "--format",
        "hdf5,segy")
    h5, segy = "shot_gather.h5", "shot_gather.sgy"
    for frame, words, shift in (("model", "in the model (m)", 0), ("file", "on the map (km)", ORIGIN[0])):
        for path in (h5, segy):
            gather, axis = read(path, "--coordinates", frame)
            assert np.allclose(axis.places, 10 * np.arange(24) + shift, atol=0.02), (path, frame)
            assert f"receiver x {words}" in texts(path, "--coordinates", frame)
        assert np.array_equal(gather.traces, read(h5)[0].traces)
    assert np.allclose(read(h5)[1].places, 10 * np.arange(24)) and "in the model" in texts(h5)
    assert np.allclose(read(segy)[1].places, ORIGIN[0] + 10 * np.arange(24)) and "on the map" in texts(segy)
    assert "source at (431300, 4512400, 140) m on the map" in texts(segy)
    assert "relative L2 0.000e+00" in plot(segy, "--minus", h5, "-o", "d.png")
    for path in (gathers["well"], gathers["well"].with_suffix(".sgy")):  # a model without a file
        assert "in the model" in texts(path)
        assert "--coordinates file is given" in plot(path, "--coordinates", "file", "-o", "no.png", code=64)


def offsets_in_headers(path):
    content = pathlib.Path(path).read_bytes()
    samples = struct.unpack(">H", content[3220:3222])[0]
    return [struct.unpack(">i", content[at + 36:at + 40])[0]
            for at in range(3600, len(content), 240 + 4 * samples)]


def check_offsets(gathers):
    """A picture's offsets are those that SEG-Y's headers have, to their rounding to whole metres."""
    for stem in (gathers["well"].with_suffix(""), pathlib.Path("shot_gather")):
        for suffix in (".sgy", ".h5"):
            offsets = selection.read_index(f"{stem}{suffix}").positions.offsets()
            assert np.abs(offsets - offsets_in_headers(f"{stem}.sgy")).max() <= 0.501, (stem, suffix)
    axis = read("shot_gather.h5", "--axis", "offset")[1]
    assert np.allclose(axis.places, np.arange(-100, 140, 10)) and axis.label("m") == "offset (m)"


def check_units(gathers):
    """Panels side by side have one unit, on the data as on the labels."""
    figure = figure_of("shot_gather.h5", "shot_gather.sgy", "--traces", "0:24")
    for axes, words, first in zip(figure.axes, ("in the model", "on the map"), (0, ORIGIN[0] / 1000)):
        assert axes.get_xlabel() == f"receiver x {words} (km)"
        assert np.allclose(axes.get_xlim(), [first - 0.005, first + 0.235], atol=2e-5)
        star, = axes.lines
        assert star.get_label() == "source" and np.allclose(star.get_xdata(), first + 0.1, atol=2e-5)


def check_merged(gathers):
    """A merged file or a folder names its shots; one of them, an offset and a midpoint are the shots' own traces."""
    subprocess.run([PROGRAM, *SURVEY, "--format", "hdf5,segy", "--output", "survey"], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copytree("survey", "segy_survey")
    for path in pathlib.Path("segy_survey/shots").glob("*.h5"):
        path.unlink()
    for folder, merged in (("survey", "all.h5"), ("segy_survey", "all.sgy")):
        subprocess.run([PROGRAM, "merge", folder, "-o", merged], check=True, stdout=subprocess.DEVNULL)
    for path in ("all.h5", "all.sgy", "survey", "segy_survey"):
        refused = plot(path, "-o", "no.png", code=64)
        first, last = map(int, re.search(r"holds 4 shots, (\d+) to (\d+); give --shot", refused).groups())
        assert "is not in" in plot(path, "--shot", last + 1, "-o", "no.png", code=64)
        single = sorted(pathlib.Path("survey/shots").glob("*.h5"))[2]
        gather, _ = read(path, "--shot", first + 2, "--coordinates", "file")
        expected, axis = read(single, "--coordinates", "file")
        assert np.array_equal(gather.traces, expected.traces)
        assert np.allclose(gather.positions.receivers, expected.positions.receivers, atol=0.02)
        assert np.allclose(gather.positions.sources, [[431340, 4512400, 140]], atol=0.02)
        assert f"shot {first + 2}, source at (431340, 4512400, 140) m on the map" in texts(
            path, "--shot", first + 2, "--coordinates", "file")
        # Sources at 20, 80, 140, 200 m, receivers every 10 m from 0 to 220 m.
        gather, axis = read(path, "--common-offset", "-38", "--coordinates", "model")
        assert np.allclose(axis.places, [60, 120, 180], atol=0.02) and axis.name == "midpoint x in the model"
        for trace, shot, receiver in zip(gather.traces, range(1, 4), (4, 10, 16)):
            own = read(sorted(pathlib.Path("survey/shots").glob("*.h5"))[shot])[0]
            assert np.array_equal(trace, own.traces[receiver])
        gather, axis = read(path, "--cmp", "431311", "--coordinates", "file")
        assert np.allclose(axis.places, [-180, -60, 60, 180], atol=0.02) and axis.name == "offset", axis.places
        assert (gather.positions.shots - first).tolist() == [3, 2, 1, 0]
    assert "1 of 4 shots have no trace" in notes_of("all.h5", "--common-offset", "-40")
    plot("all.h5", "--cmp", "111", "--axis", "depth", "-o", "no.png", code=64)  # one line, without the note
    assert "midpoint x = 110 m is drawn" in notes_of("all.h5", "--cmp", "111")
    assert "midpoint x = 110 m in the model, 4 shots" in texts("all.h5", "--cmp", "110")
    assert "x = 200 m" in texts("survey", "--sections", "--shot", first + 3)
    assert "no sections" in plot("all.h5", "--sections", "-o", "no.png", code=65)
    assert "which has no sections" in plot("shot_gather.sgy", "--sections", "-o", "no.png", code=65)
    assert "relative L2 0.000e+00" in plot("all.h5", "--cmp", "110", "--minus", "survey", "-o", "d.png")
    for words, said in ((["--shot", "1", "--cmp", "5"], "not allowed with"), (["--shot", "-1"], "no number"),
                        (["--common-offset", "900"], "near no offset"), (["--cmp", "900"], "m in the model"),
                        (["--cmp", "1,2,3"], "is not X or X,Y"), (["--cmp", "110", "--line", "0"], "--line is given")):
        assert said in plot("all.h5", *words, "-o", "no.png", code=64), words
    assert "no shots/" in plot("shown", "-o", "no.png", code=66)


def check_times_before_zero(gathers):
    """Traces that begin before t = 0 are drawn where they are, with a line at 0; a power of t leaves nothing there."""
    shutil.copy("shot_gather.h5", "early.h5")
    with h5py.File("early.h5", "r+") as file:
        file["time"][...] = file["time"][:] - 0.05
    content = bytearray(pathlib.Path("shot_gather.sgy").read_bytes())
    samples = struct.unpack(">H", content[3220:3222])[0]
    for at in range(3600, len(content), 240 + 4 * samples):
        content[at + 108:at + 110] = struct.pack(">h", -50)
    pathlib.Path("early.sgy").write_bytes(content)
    for path in ("early.h5", "early.sgy"):
        gather, _ = read(path)
        assert np.allclose([gather.time[0], gather.time[-1]], [-0.05, 0.03])
        axes = figure_of(path).axes[0]
        assert axes.get_ylim()[1] < -0.05 and [0, 0] in [list(line.get_ydata()) for line in axes.lines]
        for words in (["--gain", "1"], ["--agc", "0.02"], ["--reduce", "2000"], ["--time=-0.02:0.01"], ["--wiggles"],
                      ["--spectrum"]):
            plot(path, *words, "-o", "early.png")
    assert not [line for line in figure_of("shot_gather.h5").axes[0].lines if list(line.get_ydata()) == [0, 0]]
    assert "relative L2 0.000e+00" in plot("early.sgy", "--minus", "early.h5", "-o", "d.png")


def check_unheard(gathers):
    """No picture drops an option: each names the first that it does not hear."""
    line, one = gathers["line"], gathers["one"]
    for path, words, said in (
            (line, ["--wiggles", "--colormap", "gray"], "--colormap is given with wiggles"),
            (line, ["--spectrum", "--clip", "99"], "--clip is given with a spectrum"),
            (line, ["--spectrum", "--axis", "x"], "--axis is given with a spectrum"),
            (line, ["--spectrum", "--wiggles"], "--wiggles is given with a spectrum"),
            (line, ["--rate", "3"], "--rate is given with an image"),
            (line, ["--at", "1"], "--at is given with an image"),
            (line, ["--position", "0", "--wiggles"], "--position is given with wiggles"),
            (one, ["--clip", "99"], "--clip is given with one trace"),
            (one, ["--colormap", "gray"], "--colormap is given with one trace"),
            (line, ["--sections", "--spectrum"], "--spectrum is given with sections"),
            (line, ["--sections", "--time", "0:1"], "--time is given with sections"),
            (line, [line, "--title", "two"], "--title is given with 2 files"),
            (line, [line, "--minus", line], "--minus is given with 2 files")):
        assert said in plot(path, *words, "-o", "no.png", code=64), words
    assert len(figure_of(line, "--traces", "0:9", "--colormap", "gray").axes[0].images) == 1  # fewer than an image has
    assert len(figure_of(line, "--traces", "0:9").axes[0].images) == 0


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
    assert "without a number" in plot("older.h5", "--shot", "1", "-o", "no.png", code=64)
    run(pathlib.Path("older"), *BOX, "--wavelet", "older.h5", "--steps", "5")


def check_refusals(gathers):
    line = gathers["line"]
    pathlib.Path("words.h5").write_text("no HDF5")
    refused = [
        (64, ["--agc", "0"], "above 0"), (64, ["--gain", "1", "--agc", "1"], "not allowed with"),
        (64, ["--time", "0.2:0.1"], "does not rise"), (64, ["--time", "5:6"], "holds no sample"),
        (64, ["--traces", "50:60"], "takes none"), (64, ["--line", "q=1"], "give y=300"),
        (64, ["--line", "y=900"], "half a spacing"), (64, ["--reduce=-5"], "above 0"), (64, ["--clip", "0"], "above 0"),
        (64, ["--clip", "nan"], "above 0"), (64, ["--axis", "w"], "invalid choice"), (64, ["--wigles"], "--wigles"),
        (64, ["--sections", "--gain", "1"], "have no traces"), (64, ["--sections", "--minus", "a.h5"], "not allowed"),
        (65, ["--minus", "words.h5"], "not a shot gather"), (66, ["--minus", "none.h5"], "is no file"),
        (73, ["-o", "no/folder/a.png"], "choose another"), (64, ["-o", "a.xyz"], "xyz"),
        (64, ["-o", "a"], "no suffix of a picture")]
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


def check_stdout(gathers):
    for words, unbuffered in ((["--help"], ""), (["--help"], "1"), ([str(gathers["line"]), "-o", "full.png"], "")):
        with open("/dev/full", "w") as full:
            result = subprocess.run([sys.executable, "-B", SCRIPT, *words], stdout=full, stderr=subprocess.PIPE,
                                    text=True, env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
        assert result.returncode == 74 and result.stderr.count("\n") == 1, (result.returncode, result.stderr)
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run([sys.executable, "-B", SCRIPT, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert result.returncode == 0 and result.stderr == "", (result.returncode, result.stderr)


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
        with h5py.File("placed.h5", "w") as file:
            file["vp"] = np.fromfunction(lambda z, y, x: 1800 + 20 * z + 5 * x, (16, 20, 24), dtype=np.float32)
            file["vp"].attrs.update({"spacing": [10.0, 10, 10], "axes": "z,y,x", "origin": ORIGIN[::-1],
                                     "units": "m/s"})
        for name, check in list(globals().items()):
            if name.startswith("check_"):
                check(gathers)
        os.chdir("/")


if __name__ == "__main__":
    main()
