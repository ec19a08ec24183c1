"""Snapshots of a run as a user gets them: what h5py and an XDMF reader find, what `plot` draws of them, and what
is refused.

    python snapshots.py PROGRAM
"""
import argparse
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import h5py
import matplotlib
import numpy as np
from PIL import Image

from exit_codes import code_of

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures" / "plot_gather.py"
matplotlib.use("Agg")
sys.path.insert(0, str(SCRIPT.parent))
from plotting import snapshots  # noqa: E402

PROGRAM = sys.argv[1]
RUN = ["--grid", "44,40,36", "--pml-width", "8", "--spacing", "10", "--device", "cpu", "--wavelet", "ricker:f=12",
       "--model", "layered:1500@0,2500@100", "--source", "100,120,60", "--steps", "60",
       "--time-dispersion", "as-is"]  # 28 x 24 x 20 nodes
EVERY = ["--snapshot-every", "15steps"]


def run(*options, code=0, limit=None, shot=RUN):
    """Words of the program, on stderr in one line where it is to fail."""
    def bound():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = subprocess.run([PROGRAM, *shot, *options], text=True, capture_output=True, preexec_fn=bound,
                            env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert result.returncode == code, f"exit {result.returncode}, not {code}, of {options}: {result.stderr}"
    if code:
        errors = [line for line in result.stderr.splitlines() if "error" in line]
        assert len(errors) == 1 and len(errors[0]) <= 240, result.stderr
        return errors[0]
    return result.stdout


def plot(*words, code=0):
    result = subprocess.run([sys.executable, SCRIPT, *words, "--force"], text=True, capture_output=True)
    assert result.returncode == code, f"exit {result.returncode}, not {code}, of {words}: {result.stderr}"
    if code:
        assert result.stderr.startswith("minimod: error: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr if code else result.stdout


def said_on_stderr(*words):
    """Words on a picture that is drawn."""
    command = [sys.executable, SCRIPT, "whole.snapshots.h5", *words, "-o", "said.png", "--force"]
    result = subprocess.run(command, text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
    pathlib.Path("said.png").unlink()
    return result.stderr


def texts(*words):
    """The texts of the picture, which an SVG has as comments, in one line."""
    plot(*words, "-o", "picture.svg")
    return " | ".join(re.findall(r"<!-- (.*?) -->", pathlib.Path("picture.svg").read_text()))


def check_hdf5():
    with h5py.File("whole.snapshots.h5") as file, h5py.File("whole.h5") as gather:
        field = file["wavefield"]
        assert field.shape == (4, 20, 24, 28) and field.dtype == np.float32 and field.chunks == (1, 20, 24, 28)
        assert field.fletcher32 and [field.dims[i].keys() for i in range(4)] == [["time"], ["z"], ["y"], ["x"]]
        assert file["time"].attrs["units"] == "s" and all(file[axis].attrs["units"] == "m" for axis in "xyz")
        assert field.attrs["units"] == gather["traces"].attrs["units"] == "source unit / m"
        assert file["step"][:].tolist() == [15, 30, 45, 60]
        assert np.allclose(file["time"][:], file["step"][:] * gather.attrs["dt"], rtol=1e-15, atol=0)
        assert np.array_equal(file["x"][:], np.arange(28) * 10) and np.array_equal(file["source"][:], [100, 120, 60])
        for name in ("model", "equation", "command_line", "kernel_inner", "git_hash", "dt"):
            assert file.attrs[name] == gather.attrs[name], name
        # The receivers stand on the line of the source at z = 0: a trace's samples are the wavefield's.
        traces = gather["traces"][:]
        assert np.array_equal(field[:, 0, 12, :], traces[:, file["step"][:]].T) and traces.any()


def check_part():
    """Every second node of a box has the values of the whole; the interval in seconds finds the same steps."""
    with h5py.File("part.snapshots.h5") as part, h5py.File("whole.snapshots.h5") as whole:
        assert part["x"][:].tolist() == [50, 70, 90, 110] and part["y"][:].tolist() == [120]
        assert part["z"][:].tolist() == list(range(0, 200, 30))
        assert part["step"][:].tolist() == whole["step"][:].tolist()
        assert np.array_equal(part["wavefield"][:], whole["wavefield"][:, ::3, 12:13, 5:13:2])


def slab(item):
    """The values of an XDMF item, its hyperslab cut from the HDF5 file."""
    selection, source = item
    begin, stride, count = np.array(selection.text.split(), int).reshape(3, 4)
    name, dataset = source.text.split(":")
    with h5py.File(name) as file:
        values = file[dataset]
        assert [int(n) for n in source.get("Dimensions").split()] == list(values.shape)
        cut = values[tuple(slice(b, b + s * c, s) for b, s, c in zip(begin, stride, count))]
    return cut.reshape([int(n) for n in item.get("Dimensions").split()])


def check_xdmf():
    for stem in ("whole", "part"):
        grids = xml.parse(f"{stem}.snapshots.xdmf").getroot().findall("./Domain/Grid/Grid")
        with h5py.File(f"{stem}.snapshots.h5") as file:
            assert len(grids) == 4
            for number, grid in enumerate(grids):
                assert float(grid.find("Time").get("Value")) == file["time"][number]
                topology = grid.find("Topology")
                assert topology.get("TopologyType") == "3DCoRectMesh"
                shape = [int(n) for n in topology.get("Dimensions").split()]
                origin, spacing = (np.array(item.text.split(), float) for item in grid.findall("Geometry/DataItem"))
                for axis, n, first, apart in zip("zyx", shape, origin, spacing):
                    assert np.array_equal(file[axis][:], first + np.arange(n) * apart)
                item = grid.find("Attribute/DataItem")
                assert item.get("ItemType") == "HyperSlab"
                assert np.array_equal(slab(item), file["wavefield"][number])


def check_vtk():
    """As ParaView reads it, where VTK is here."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    except ImportError:
        return
    for stem, origin, spacing in (("whole", (0, 0, 0), (10, 10, 10)), ("part", (50, 120, 0), (20, 20, 30))):
        reader = vtkXdmfReader()
        reader.SetFileName(f"{stem}.snapshots.xdmf")
        reader.UpdateInformation()
        with h5py.File(f"{stem}.snapshots.h5") as file:
            reader.UpdateTimeStep(float(file["time"][2]))
            grid = reader.GetOutputDataObject(0)
            assert grid.GetDimensions() == file["wavefield"].shape[:0:-1]
            assert (grid.GetOrigin(), grid.GetSpacing()) == (origin, spacing)
            found = vtk_to_numpy(grid.GetPointData().GetArray("u"))
            assert np.array_equal(found, file["wavefield"][2].ravel())


def check_pictures():
    words = texts("whole.snapshots.h5", "--at", "0.05,0.08", "--plane", "xz", "--title", "two")
    assert words.count("t = ") == 2 and "u (source unit / m)" in words and "z (m)" in words and "two" in words
    words = texts("whole.h5", "part.h5", "--traces", "0:25")
    assert "whole.h5" in words and "part.h5" in words and words.count("receiver x in the model (m)") == 2
    for words, said in ((["--agc", "1"], "--agc is given"), (["--rate", "5"], "--rate is given"),
                        (["--coordinates", "model"], "--coordinates is given"),
                        (["--at", "0.05", "--time", "0:1"], "--at is given with --time")):
        assert said in plot("whole.snapshots.h5", *words, "-o", "no.png", code=64), words
    with h5py.File("whole.snapshots.h5") as file:
        first, second = file["time"][:2]
    assert not said_on_stderr("--at", f"{second:.4g}") and not said_on_stderr("--position", "120")
    assert f"the snapshot at {second:.4g} s is drawn" in said_on_stderr("--at", f"{0.4 * first + 0.6 * second}")
    assert "the plane y = 120 m is drawn" in said_on_stderr("--position", "117")
    assert not [name for name in os.listdir() if name.startswith(".") or name.startswith("no.")]


def section(**options):
    """The section that a picture would be made of."""
    given = {"at": None, "time": (None, None), "output": "a.png", "plane": "xz", "position": None}
    return snapshots.read_section("whole.snapshots.h5", argparse.Namespace(**given | options))


def check_sections():
    with h5py.File("whole.snapshots.h5") as file:
        field = file["wavefield"][:]
    whole = section()
    assert np.array_equal(whole.values, field[:, :, 12, :]) and whole.at == 120 and whole.velocity.shape == (20, 28)
    # Interfaces ripple: nodes are band-limited samples of the layers.
    assert abs(whole.velocity[5, 3] - 1500) < 1 and abs(whole.velocity[15, 3] - 2500) < 1
    found = section(at=[0.08, 0.05], plane="xy", position=44.0)
    assert np.array_equal(found.values, field[[1, 3], 4]) and found.velocity is None
    assert np.array_equal(section(plane="yz", time=(0.03, 0.07)).values, field[1:3, :, :, 10])
    for wrong in ({"at": [0.9]}, {"position": 900.0}, {"time": (0.2, None)}):
        assert code_of(lambda: section(**wrong)) == 64, wrong
    os.rename("whole.h5", "whole.HDF5")
    assert section().velocity is not None
    os.rename("whole.HDF5", "whole.h5")
    film = argparse.Namespace(output="film.gif", clip=99.0, colormap=None, title=None, rate=10)
    slopes = np.add.outer(10 * np.arange(20), np.arange(28))  # many greys beneath
    snapshots.save_film(dataclasses.replace(whole, velocity=1500.0 + slopes), film)
    with Image.open("film.gif") as frames:
        assert frames.format == "GIF" and frames.n_frames == 4 and frames.info["duration"] == 100
        for number in range(4):
            frames.seek(number)
            pixels = np.asarray(frames.convert("RGB"), int).reshape(-1, 3)
            for share in (0.05, 0.25, 0.4, 0.6, 0.75, 0.95):  # shares of the scale of colours
                colour = np.array(matplotlib.colormaps["seismic"](share)[:3]) * 255
                assert np.abs(pixels - colour).max(axis=1).min() < 16, (number, share)
    film.output = "film.mp4"
    if shutil.which("ffmpeg"):
        snapshots.save_film(whole, film)
        assert pathlib.Path("film.mp4").read_bytes()[4:8] == b"ftyp"
    else:
        assert code_of(lambda: snapshots.save_film(whole, film)) == 69


def check_directions():
    """A map has y up, a section z down; row and source stand where their positions are."""
    style = argparse.Namespace(clip=99.0, colormap=None, title=None)
    for plane, upwards in (("xy", True), ("xz", False), ("yz", False)):
        found = section(plane=plane, at=[0.08])
        axes = snapshots.snapshots_picture(found, style).axes[0]
        bottom, top = axes.get_ylim()
        assert (bottom < top) == upwards, plane
        left, right, last, first = axes.images[-1].get_extent()  # row 0 is at `first`
        assert (first, last) == (found.down[0] - 5, found.down[-1] + 5) and axes.images[-1].origin == "upper"
        assert axes.lines[0].get_xydata().tolist() == [[found.sources[0, "xyz".index(a)] for a in found.axes[1::-1]]]
        assert axes.get_xlabel() == f"{plane[0]} in the model (m)"


def check_refusals():
    """Refused before anything is computed, or, where writing fails, with nothing left."""
    before = sorted(os.listdir())
    refused = [
        (64, ["--snapshot-every", "0s"], "0"), (64, ["--snapshot-every", "2.5steps"], "2.5"),
        (64, ["--snapshot-every", "1e-4s"], "less than the time step"),
        (64, ["--snapshot-every", "61steps"], "60 steps"),
        (64, ["--snapshot-box", "0:100,:,:"], "without --snapshot-every"),
        (64, [*EVERY, "--snapshot-stride", "0"], "0"), (64, [*EVERY, "--snapshot-box", "0:100,:"], "X0:X1"),
        (64, [*EVERY, "--snapshot-box", "100:0,:,:"], "lesser"),
        (65, [*EVERY, "--snapshot-box", "0:400,:,:"], "inside"),
        (73, [*EVERY, "--output", "whole.h5"], "exists"),
        (73, [*EVERY, "--output", "new.h5", "--json", "new.snapshots.h5"], "one file")]
    for code, words, said in refused:
        output = [] if "--output" in words else ["--output", "no.h5"]
        message = run(*words, *output, code=code)
        assert said in message, message
    message = run(*EVERY, "--output", "no.h5", code=74, limit=100000)
    assert "no.snapshots.h5" in message, message
    assert sorted(os.listdir()) == before


def free_memory():
    """As the program counts it."""
    lines = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    free = int(lines["MemAvailable"].split()[0]) * 1024
    try:
        limit, used = (pathlib.Path("/sys/fs/cgroup", name).read_text() for name in ("memory.max", "memory.current"))
        return min(free, int(limit) - int(used))
    except (OSError, ValueError):
        return free


def check_memory_and_disk():
    """Four fields take three quarters of the memory, and two snapshots half as much; of 28 MB each a million no disk has."""
    edge = int((free_memory() * 0.75 / 4 / 4) ** (1 / 3))
    large = ["--grid", str(edge), "--device", "cpu", "--output", "no.h5"]
    message = run(*large, "--snapshot-every", "1000steps", code=71, shot=[])
    assert "bytes" in message and "--snapshot-stride" in message, message
    many = ["--grid", "200", "--device", "cpu", "--output", "no.h5", "--steps", "1000000", "--snapshot-every", "1steps"]
    message = run(*many, code=74, shot=[])
    assert "are free in its file system" in message and "--snapshot-stride" in message, message
    assert not [name for name in os.listdir() if name.startswith("no.")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        said = run(*EVERY, "--receivers", "line:0,120,0:270,120,0:28", "--output", "whole.h5")
        assert re.search(r"snapshots +4 every .* ms, 28 x 24 x 20 nodes; .* on disk", said), said
        with h5py.File("whole.h5") as file:
            seconds = 15 * file.attrs["dt"]
        run("--snapshot-every", f"{seconds}s", "--snapshot-box", "50:110,120:120,:", "--snapshot-stride", "2,2,3",
            "--receivers", "line:0,120,0:270,120,0:28", "--output", "part.h5")
        for name, check in list(globals().items()):
            if name.startswith("check_"):
                check()
        os.chdir("/")


if __name__ == "__main__":
    main()
