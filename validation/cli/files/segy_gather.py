"""A run's SEG-Y against its HDF5: every header word that is defined and every sample, IEEE's exactly and IBM's within
their rounding, as segyio reads them and as Seismic Unix and Madagascar do: 240 bytes of fixed places a trace.

    python segy_gather.py PROGRAM
"""

import math
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

import h5py
import numpy as np
import segyio
from segyio import BinField, TraceField

SMALL = ["--device", "cpu", "--pml-width", "3", "--steps", "20", "--wavelet", "gaussian:f=4", "--allow-dispersion"]
GRID = ["--grid", "24", "--source", "140.25,160,55.5", "--receivers", "grid:20,40,0:300,280,30:4,3"]

# As Seismic Unix (segy.h) and Madagascar (sfsegyread) have them: name, first byte from 0, type.
SU_WORDS = [("tracl", 0, ">i4"), ("tracr", 4, ">i4"), ("fldr", 8, ">i4"), ("tracf", 12, ">i4"), ("ep", 16, ">i4"),
            ("cdp", 20, ">i4"), ("swdep", 60, ">i4"), ("gwdep", 64, ">i4"), ("cdpx", 180, ">i4"), ("cdpy", 184, ">i4"),
            ("trid", 28, ">i2"), ("nvs", 30, ">i2"), ("nhs", 32, ">i2"), ("duse", 34, ">i2"), ("offset", 36, ">i4"),
            ("gelev", 40, ">i4"), ("selev", 44, ">i4"), ("sdepth", 48, ">i4"), ("scalel", 68, ">i2"),
            ("scalco", 70, ">i2"), ("sx", 72, ">i4"), ("sy", 76, ">i4"), ("gx", 80, ">i4"), ("gy", 84, ">i4"),
            ("counit", 88, ">i2"), ("delrt", 108, ">i2"), ("ns", 114, ">u2"), ("dt", 116, ">u2"),
            ("year", 156, ">i2"), ("day", 158, ">i2"), ("hour", 160, ">i2"), ("minute", 162, ">i2"),
            ("sec", 164, ">i2"), ("timbas", 166, ">i2")]


def run(program, folder, *arguments, code=0):
    done = subprocess.run([program, *SMALL, *arguments], cwd=folder, text=True, capture_output=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def positions_on_map(file):
    """Positions of the source [3] and of the receivers [receiver, 3] in the coordinates of the model's file, z down."""
    origin = file.attrs.get("model_origin", np.zeros(3))
    cosine, sine = file.attrs.get("model_x_axis", np.array([1.0, 0.0]))
    turn = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    return origin + turn @ file["source"][:], origin + file["receivers"][:] @ turn.T


def midpoint_numbers(file):
    """Numbers of bins on the model's map: pieces of a line, or squares in rows along x."""
    middle = (file["source"][:] + file["receivers"][:])[:, :2] / 2
    size, columns = file.attrs["cmp_bin_size"], file.attrs["cmp_columns"]

    def bins(position):
        return np.floor(position / size + 0.5 + 1e-6)
    numbers = 1 + bins(middle @ file.attrs["cmp_direction"] - file.attrs["cmp_first"])
    return numbers + (columns * bins(middle[:, 1]) if columns else 0)


def expected_words(file, shot, parts):
    """Headers of each trace, by SU's names; `parts` are the units of length in a metre for coordinates and for
    elevations."""
    source, receivers = positions_on_map(file)
    count, samples = file["traces"].shape
    began = datetime.strptime(file.attrs["date"], "%Y-%m-%dT%H:%M:%SZ")
    number = np.arange(1, count + 1)
    s, g = np.rint(source[:2] * parts[0]), np.rint(receivers[:, :2] * parts[0])
    away = np.hypot(*(receivers - source)[:, :2].T)
    middle = (source + receivers)[:, :2] / 2
    sign = np.where((g[:, 0] < s[0]) | ((g[:, 0] == s[0]) & (g[:, 1] < s[1])), -1, 1)
    return {
        "tracl": number, "tracr": number, "fldr": shot, "tracf": number, "ep": shot, "cdp": midpoint_numbers(file),
        "cdpx": np.rint(middle[:, 0] * parts[0]), "cdpy": np.rint(middle[:, 1] * parts[0]),
        "swdep": np.rint(file.attrs["source_water_depth"] * parts[1]), "gwdep": np.rint(file["water_depth"][:] * parts[1]),
        "trid": 1, "nvs": 1, "nhs": 1, "duse": 1, "offset": sign * np.floor(away + 0.5),
        "gelev": -np.rint(receivers[:, 2] * parts[1]), "selev": 0, "sdepth": np.rint(source[2] * parts[1]),
        "scalel": -parts[1] if parts[1] > 1 else 1, "scalco": -parts[0] if parts[0] > 1 else 1,
        "sx": s[0], "sy": s[1], "gx": g[:, 0], "gy": g[:, 1], "counit": 1, "delrt": 0, "ns": samples,
        "dt": round(file["time"].attrs["dt"] * 1e6), "year": began.year, "day": began.timetuple().tm_yday,
        "hour": began.hour, "minute": began.minute, "sec": began.second, "timbas": 4}


def check_words(segy, file, shot, parts):
    samples = file["traces"].shape[1]
    raw = np.fromfile(segy, np.uint8, offset=3600).reshape(-1, 240 + 4 * samples)[:, :240]
    known = np.zeros(240, bool)
    with segyio.open(str(segy), ignore_geometry=True) as traces:
        for name, first, kind in SU_WORDS:
            expected = np.broadcast_to(expected_words(file, shot, parts)[name], len(raw))
            size = int(kind[2])
            known[first:first + size] = True
            as_su = raw[:, first:first + size].copy().view(kind)[:, 0]
            assert np.array_equal(as_su, expected), (name, as_su, expected)
            assert np.array_equal(traces.attributes(first + 1)[:], expected), name
    assert not raw[:, ~known].any(), "a word that is not defined is not 0"


def check_file_header(segy, file, sample_format):
    count, samples = file["traces"].shape
    interval = round(file["time"].attrs["dt"] * 1e6)
    with segyio.open(str(segy), ignore_geometry=True) as traces:
        assert (traces.tracecount, len(traces.samples)) == (count, samples)
        for field, expected in {BinField.Interval: interval, BinField.Samples: samples, BinField.Format: sample_format,
                                BinField.Traces: count, BinField.EnsembleFold: count, BinField.SortingCode: 5,
                                BinField.MeasurementSystem: 1, BinField.SEGYRevision: 1,
                                BinField.TraceFlag: 1, BinField.ExtendedHeaders: 0}.items():
            assert traces.bin[field] == expected, (field, traces.bin[field], expected)
        text = bytes(traces.text[0]).decode("ascii")
    with open(segy, "rb") as raw:
        text_of_page = raw.read(3200).decode("cp037")
        assert raw.read(400)[300:304] == b"\x01\x00\x00\x01"  # revision 1.0, traces of one length
    assert text == text_of_page, "code pages read the text header otherwise"
    lines = [text[i:i + 80] for i in range(0, 3200, 80)]
    assert [line[:4] for line in lines] == [f"C{i:2d} " for i in range(1, 41)]
    assert lines[0].startswith("C 1 minimod ") and lines[38].strip() == "C39 SEG Y REV1"
    assert lines[39].strip() == "C40 END TEXTUAL HEADER"
    return text


def check_samples(segy, file, bits):
    expected = file["traces"][:]
    assert np.abs(expected).max() > 0
    with segyio.open(str(segy), ignore_geometry=True) as traces:
        found = traces.trace.raw[:]
    if bits == 24:
        assert np.array_equal(found.view(np.uint32), expected.view(np.uint32)), "samples differ"
        return
    # IBM keeps 21 bits at the least; what segyio makes of them is a float again.
    assert np.all(np.abs(found - expected.astype(float)) <= 2.0 ** -21 * np.abs(expected)), "beyond IBM's rounding"
    raw = np.fromfile(segy, ">u4", offset=3600).reshape(len(expected), -1)[:, 60:]
    values = np.where(raw >> 31, -1.0, 1.0) * (raw & 0xffffff) * 16.0 ** ((raw >> 24 & 0x7f).astype(float) - 70)
    half = 16.0 ** ((raw >> 24 & 0x7f).astype(float) - 70) / 2
    assert np.all(np.abs(values - expected) <= half), "not the nearest IBM float"


def write_map_model(path):
    """Two layers at a place on a map, as UTM has it."""
    with h5py.File(path, "w") as file:
        velocity = file.create_dataset("vp", data=np.full((12, 14, 16), 2000, np.float32))
        velocity[6:] = 2500
        velocity.attrs.update(spacing=np.array([20.0, 20, 20]), axes="z,y,x", units="m/s",
                              origin=np.array([300.0, 6500000.25, 431000.5]))


def check_midpoints(program, folder):
    """A midpoint has one number in all shots of a survey, however many of them run at a time, and after a merge."""
    survey = ["--grid", "24", "--sources", "line:40,80,40:120,160,40:3", "--receivers", "line:20,20,-40:160,160,-40:8",
              "--receivers-move", "--format", "hdf5,segy"]
    run(program, folder, *survey, "--shots", "3", "--output", "line")
    run(program, folder, *survey, "--output", "line")
    subprocess.run([program, "merge", "line", "-o", "line.sgy"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    numbers = {}
    with segyio.open(str(folder / "line.sgy"), ignore_geometry=True) as file:
        for x, y, number in zip(*(file.attributes(word)[:] for word in (181, 185, 21))):
            numbers.setdefault(number, set()).add((x, y))
        assert file.tracecount == 24
    # Midpoints 10 m apart along x and along y, from 50, 90 to 120, 160 of the first shot, and so on for each.
    assert all(len(places) == 1 for places in numbers.values()), numbers
    assert sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers))), sorted(numbers)
    assert len(numbers) == len(set.union(*numbers.values())) == 16, numbers


def check_water(program, folder):
    """The floor of layers is where they say; a file's is half-way between its nodes, column by column."""
    layers = ["--grid", "24", "--model", "layered:1500@0,1550@40,2500@97", "--source", "140,160,40", "--receivers",
              "line:20,40,20:300,280,20:3", "--format", "hdf5,segy"]
    run(program, folder, *layers, "--output", "water.h5")
    with h5py.File(folder / "water.h5") as file:
        assert file.attrs["source_water_depth"] == 97 and list(file["water_depth"][:]) == [97] * 3
        check_words(folder / "water.sgy", file, 1, (1000, 1000))
    with h5py.File(folder / "sea.h5", "w") as file:
        velocity = file.create_dataset("vp", data=np.full((12, 14, 16), 2500, np.float32))
        velocity[:4, :, :8] = 1500  # to the west the sea is 70 m deep
        velocity[:, :, 15] = 1500  # at the eastern edge the sea has no floor
        velocity.attrs.update(spacing=np.array([20.0, 20, 20]), axes="z,y,x", units="m/s",
                              origin=np.array([30.0, 0, 0]))  # the model's top is 30 m under the sea's
    run(program, folder, "--model", "sea.h5", "--source", "60,140,40", "--receivers", "line:140,100,40:300,100,40:9",
        "--format", "hdf5,segy", "--output", "sea_shot.h5")
    with h5py.File(folder / "sea_shot.h5") as file:
        assert file.attrs["source_water_depth"] == 70 and list(file["water_depth"][:]) == [70] + [0] * 8
    with segyio.open(str(folder / "sea_shot.sgy"), ignore_geometry=True) as file:
        assert set(file.attributes(69)[:]) == {-1000} and set(file.attributes(61)[:]) == {100_000}
        assert list(file.attributes(65)[:]) == [100_000] + [0] * 8


def check_refusals(program, folder):
    """One line that names what helps, and nothing is left."""
    before = sorted(folder.iterdir())
    for code, says, *options in [
            (65, "--record-dt", "--format", "segy", "--dt", "1.29387e-3"),
            (65, "--record-dt", "--output", "x.sgy", "--record-dt", "2.0005e-3", "--dt", "5.00125e-4"),
            (65, "--record-dt", "--format", "hdf5,segy", "--grid", "24", "--spacing", "500"),
            (65, "--tmax", "--format", "segy", "--tmax", "200"),
            (64, "--format", "--output", "x.sgy", "--format", "hdf5"),
            (64, "--format", "--output", "x.h5", "--format", "segy"),
            (64, "--format segy", "--segy-floats", "ibm"),
            (64, "hdf5 or segy", "--format", "sgy"),
            (73, "one file", "--format", "segy", "--json", "shot_gather.sgy")]:
        steps = [] if "--tmax" in options else ["--steps", "20"]
        arguments = [word for word in SMALL if word not in ("--steps", "20")] + steps
        if "--spacing" in options:
            options += ["--dt", "0.04"]
        done = subprocess.run([program, *arguments, *options], cwd=folder, text=True, capture_output=True)
        lines = done.stderr.splitlines()
        assert done.returncode == code and len(lines) == 1, (options, done.returncode, done.stderr)
        assert says in lines[0] and len(lines[0]) <= 240, (options, lines)
        assert sorted(folder.iterdir()) == before, options


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        done = run(program, folder, *GRID, "--format", "hdf5,segy", "--output", "a.h5")
        assert "whole microseconds" in done.stderr, done.stderr
        with h5py.File(folder / "a.h5") as file:
            check_words(folder / "a.sgy", file, 1, (1000, 1000))
            text = check_file_header(folder / "a.sgy", file, 5)
            assert "constant:2000" in text and "gaussian" in text and "--format hdf5,segy" in text, text
            assert "first node" in text
            check_samples(folder / "a.sgy", file, 24)

        run(program, folder, *GRID, "--record-dt", "4e-3", "--format", "hdf5,segy", "--segy-floats", "ibm",
            "--output", "b.sgy")
        with h5py.File(folder / "b.h5") as file:
            assert math.isclose(file["time"].attrs["dt"], 4e-3)
            check_words(folder / "b.sgy", file, 1, (1000, 1000))
            check_file_header(folder / "b.sgy", file, 1)
            check_samples(folder / "b.sgy", file, 21)

        write_map_model(folder / "map.h5")
        run(program, folder, "--model", "map.h5", "--source", "140,140,100", "--receivers", "line:0,0,0:280,260,40:5",
            "--format", "hdf5,segy", "--output", "map_shot.h5")
        with h5py.File(folder / "map_shot.h5") as file:
            assert positions_on_map(file)[1][0, 1] > 6e6
            check_words(folder / "map_shot.sgy", file, 1, (100, 1000))
            assert "6500000.25" in check_file_header(folder / "map_shot.sgy", file, 5)

        run(program, folder, *GRID, "--output", "alone.segy")
        assert not (folder / "alone.h5").exists() and (folder / "alone.segy").stat().st_size > 3600
        check_midpoints(program, folder)
        check_water(program, folder)
        check_refusals(program, folder)
    print("SEG-Y has the headers and the samples of HDF5")


if __name__ == "__main__":
    main()
