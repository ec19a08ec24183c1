"""A survey in the geometry of field data: shots and stations of SEG-Y and SPS are where the file says, in metres or feet,
by either scalar, on a map, and keep their numbers; what is no geometry is refused in a line.

    python field_geometry.py PROGRAM
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import segyio
from segyio import BinField, TraceField

RUN = ["--device", "cpu", "--kernel", "kokkos", "--pml-width", "3", "--steps", "20", "--wavelet", "gaussian:f=4",
       "--allow-dispersion", "--dt", "0.003"]
BOX = ["--grid", "24"]
FOOT = 0.3048
EAST, NORTH = 431_000.0, 6_500_000.0
# Shot: its source, its stations with their numbers; no two shots have the same.
SHOTS = {1004: ((140.5, 160, 40), {7: (20, 40, 20), 9: (60.25, 40, 20), 8: (100, 40, 0)}),
         1001: ((180, 100, 30), {9: (60.25, 40, 20), 12: (300, 280, 10)})}


def call(program, folder, *arguments, code=0, says=""):
    done = subprocess.run([program, *RUN, *arguments], cwd=folder, text=True, capture_output=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    assert says in done.stderr, (says, done.stderr)
    if code:
        assert done.stderr.count("\n") == 1 and len(done.stderr) <= 241, done.stderr


def write_segy(path, unit=1.0, origin=(0.0, 0.0), parts=1000, surface=0.0):
    """The shots with their traces, in units of `unit` metres and `parts` of it; sources stand under a surface that is
    `surface` m over the datum."""
    traces = [(shot, source, number, station)
              for shot, (source, stations) in SHOTS.items() for number, station in stations.items()]
    spec = segyio.spec()
    spec.format, spec.samples, spec.tracecount = 5, np.arange(4), len(traces)

    def length(metres):
        return round(metres / unit * parts)
    with segyio.create(str(path), spec) as file:
        file.bin[BinField.MeasurementSystem] = 2 if unit == FOOT else 1
        for i, (shot, s, number, g) in enumerate(traces):
            file.header[i] = {
                TraceField.FieldRecord: shot, TraceField.TraceNumber: number,
                TraceField.SourceX: length(s[0] + origin[0]), TraceField.SourceY: length(s[1] + origin[1]),
                TraceField.SourceSurfaceElevation: length(surface), TraceField.SourceDepth: length(s[2] + surface),
                TraceField.GroupX: length(g[0] + origin[0]), TraceField.GroupY: length(g[1] + origin[1]),
                TraceField.ReceiverGroupElevation: -length(g[2]), TraceField.ElevationScalar: -parts,
                TraceField.SourceGroupScalar: -parts, TraceField.CoordinateUnits: 1}
            file.trace[i] = np.ones(4, np.float32)


def check(folder, rounding=0.0, stations=None):
    """Positions as asked for, numbers in names, HDF5 and SEG-Y."""
    files = sorted(path.name for path in (folder / "shots").glob("*.h5"))
    assert files == [f"shot_{shot:05d}.h5" for shot in sorted(SHOTS)], files
    for shot, (source, own) in SHOTS.items():
        expected = own if stations is None else stations
        with h5py.File(folder / "shots" / f"shot_{shot:05d}.h5") as file:
            assert file.attrs["shot_id"] == shot
            assert np.allclose(file["requested_source"][:], source, rtol=0, atol=rounding), file["requested_source"][:]
            assert list(file["station"][:]) == list(expected), file["station"][:]
            assert np.allclose(file["requested_receivers"][:], list(expected.values()), rtol=0, atol=rounding)
        with segyio.open(str(folder / "shots" / f"shot_{shot:05d}.sgy"), ignore_geometry=True) as file:
            assert set(file.attributes(9)[:]) == {shot} and list(file.attributes(13)[:]) == list(expected)


def traces(folder):
    return {path.name: h5py.File(path)["traces"][:] for path in (folder / "shots").glob("*.h5")}


def check_segy(program, folder):
    both = ["--format", "hdf5,segy", "--sources", "f.sgy", "--receivers", "f.sgy"]
    write_segy(folder / "f.sgy")
    call(program, folder, *BOX, *both, "--output", "metres")
    check(folder / "metres")
    write_segy(folder / "f.sgy", unit=FOOT, surface=12)
    call(program, folder, *BOX, *both, "--output", "feet")
    check(folder / "feet", rounding=1e-3 * FOOT)
    with h5py.File(folder / "map.h5", "w") as file:
        velocity = file.create_dataset("vp", data=np.full((18, 18, 18), 2000, np.float32))
        velocity.attrs.update(spacing=np.array([20.0, 20, 20]), axes="z,y,x", units="m/s",
                              origin=np.array([0, NORTH, EAST]))
    write_segy(folder / "f.sgy", origin=(EAST, NORTH), parts=100)
    (folder / "f.sgy").rename(folder / "F.SGY")
    call(program, folder, "--model", "map.h5", "--boundary", "pml", "--coordinates", "file",
         *[word.replace("f.sgy", "F.SGY") for word in both], "--output", "map")
    check(folder / "map", rounding=1e-6)
    # A merged survey has the numbers, too. In SEG-Y it is such a file, and makes the same survey.
    subprocess.run([program, "merge", "metres", "-o", "all.h5"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder / "all.h5") as file:
        assert list(file["station"][:]) == [9, 12, 7, 9, 8] and list(file["water_depth"][:]) == [0] * 5
        assert list(file["shot_id"][:]) == [1001, 1004]
    subprocess.run([program, "merge", "metres", "-o", "all.sgy"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    call(program, folder, *BOX, *[word.replace("f.sgy", "all.sgy") for word in both], "--interpolation", "sinc4",
         "--output", "again")
    check(folder / "again")
    for name, values in traces(folder / "metres").items():
        assert np.array_equal(values, traces(folder / "again")[name]), name
    # Stations of all shots, each once, for sources of another file or a single shot.
    write_segy(folder / "f.sgy")
    (folder / "s.csv").write_text("shot,x,y,z\n" + "".join(f"{shot},{s[0]},{s[1]},{s[2]}\n"
                                                           for shot, (s, _) in SHOTS.items()))
    once = SHOTS[1004][1] | SHOTS[1001][1]
    call(program, folder, *BOX, "--format", "hdf5,segy", "--sources", "s.csv", "--receivers", "f.sgy", "--output", "once")
    check(folder / "once", stations=once)
    call(program, folder, *BOX, "--receivers", "f.sgy", "--output", "one.h5")
    with h5py.File(folder / "one.h5") as file:
        assert list(file["station"][:]) == list(once) and file.attrs["shot_id"] == 1


def sps(kind, line, point, place, depth, elevation):
    """A record of SPS 2.1, by its columns."""
    record = f"{kind}{line:10.2f}{point:10.2f}  1{'G1':2}{0:4d}{depth:4.1f}{0:4d}{0:2d}{0:6.1f}"
    assert len(record) == 46, len(record)
    return f"{record}{place[0]:9.1f}{place[1]:10.1f}{elevation:6.1f}001120000\n"


def check_sps(program, folder):
    stations = {2001: (20, 40, 20), 2002: (60.2, 40, 20), 2003: (300, 280, 10)}
    shots = {number: ((round(s[0], 1), s[1], s[2]), own) for number, (s, own) in SHOTS.items()}
    (folder / "f.sps").write_text("H00 SPS format version num.     SPS 2.1;\n" + "".join(
        sps("S", 11, number, s, s[2] + 5, 5) for number, (s, _) in shots.items()))
    (folder / "f.R01").write_text("H26 line\r\n" + "".join(
        sps("R", 12, number, g, 0, -g[2]) for number, g in stations.items()) + "X not read\n")
    call(program, folder, *BOX, "--format", "hdf5,segy", "--sources", "f.sps", "--receivers", "f.R01", "--output", "sps")
    check(folder / "sps", stations=stations, rounding=1e-9)
    call(program, folder, *BOX, "--sources", "f.R01", code=65, says="has no records S")
    call(program, folder, *BOX, "--receivers", "f.sps", code=65, says="has no records R")
    good = (folder / "f.sps").read_text()
    (folder / "f.sps").write_text(good + good.splitlines()[1] + "\n")
    call(program, folder, *BOX, "--sources", "f.sps", code=65, says="f.sps:4:12: shot 1004 has been given on line 2")
    (folder / "f.sps").write_text(good.replace(" 140.5", " 14O.5"))
    call(program, folder, *BOX, "--sources", "f.sps", code=65, says="f.sps:2:47: '    14O.5' is no number")
    (folder / "f.sps").write_text("x,y,z\n1,2,3\n")
    call(program, folder, *BOX, "--sources", "f.sps", code=65, says="f.sps:1:1: 'x,y,z' is no record of SPS")


def check_refusals(program, folder):
    both = [*BOX, "--sources", "f.sgy", "--receivers", "f.sgy", "--output", "refused"]
    write_segy(folder / "f.sgy")
    call(program, folder, *both, "--receivers-move", code=64, says="--receivers-move")
    call(program, folder, *both, "--shots", "1:9", code=64, says="none of the survey's shots")
    with segyio.open(str(folder / "f.sgy"), "r+", ignore_geometry=True) as file:
        file.header[4] = {TraceField.SourceX: 181_000}
    call(program, folder, *both, code=65, says="in field record 1001")
    write_segy(folder / "f.sgy")
    with segyio.open(str(folder / "f.sgy"), "r+", ignore_geometry=True) as file:
        file.header[0] = {TraceField.CoordinateUnits: 3}
    call(program, folder, *both, code=65, says="are angles")
    whole = (folder / "f.sgy").read_bytes()
    (folder / "f.sgy").write_bytes(whole[:-1])
    call(program, folder, *both, code=65, says="truncated")
    (folder / "f.sgy").unlink()
    call(program, folder, *both, code=66, says="f.sgy")
    assert not (folder / "refused").exists()


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        check_segy(program, folder)
        check_sps(program, folder)
        check_refusals(program, folder)
    print("shots and stations of field data keep places and numbers")


if __name__ == "__main__":
    main()
