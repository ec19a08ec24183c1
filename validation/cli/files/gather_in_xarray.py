"""A gather as xarray opens it, with what its page says: dimensions, coordinates, texts, numbers.

    python gather_in_xarray.py PROGRAM        ends with 77 where xarray or h5netcdf is missing
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

try:
    import h5netcdf  # noqa: F401
    import matplotlib
    import numpy as np
    import xarray
except ImportError as missing:
    print(f"{missing.name} is not here")
    sys.exit(77)
matplotlib.use("Agg")


def check(shot):
    assert shot.traces.dims == ("receiver", "time") and shot.traces.dtype == np.float32
    assert {"receiver", "time", "axis", "receiver_x", "receiver_y", "receiver_z", "wavelet_time"} <= set(shot.coords)
    assert shot.traces.sel(time=0.1, method="nearest", receiver=3).ndim == 0
    assert np.array_equal(shot.traces.receiver_x, [20, 70, 120, 170, 220])  # comes with the traces
    assert shot.source.sel(axis="z") == 40 and shot.receivers.sel(axis="y").values.tolist() == [200] * 5
    assert shot.attrs["model"] == "layered:1500@0,2500@200" and isinstance(shot.attrs["equation"], str)
    assert shot.attrs["spacing"].tolist() == [10, 10, 10] and shot.attrs["grid"].tolist() == [60, 60, 60]
    assert shot.model_xz.sel(x=100, z=50) == 1500 and shot.model_xz.sel(x=100, z=350) == 2500
    assert shot.traces.units == "source unit / m" and shot.time.units == "s" and shot.time.dtype == np.float64
    # A wave of 1500 m/s: the moveout between the nearest and the farthest receiver.
    first = abs(shot.traces).idxmax("time")
    distance = ((shot.receivers - shot.source) ** 2).sum("axis") ** 0.5
    slope = (first[-1] - first[0]) / (distance[-1] - distance[0])
    assert abs(slope * 1500 - 1) < 0.05, float(slope)


def check_snapshots(shot):
    u = shot.wavefield
    assert u.dims == ("time", "z", "y", "x") and u.dtype == np.float32 and u.shape == (2, 40, 40, 40)
    assert {"time", "z", "y", "x"} <= set(shot.coords) and shot.x.units == "m" and shot.time.units == "s"
    assert u.units == "source unit / m" and shot.step.dims == ("time",) and shot.source.sel(axis="z") == 40
    assert u.sel(x=20, y=200, z=30).sel(time=0.2, method="nearest").ndim == 0
    assert shot.attrs["model"] == "layered:1500@0,2500@200"


def run_page(folder):
    """Runs the page on gathers' lines about xarray, word for word, in the gather's folder."""
    page = (pathlib.Path(__file__).resolve().parents[3] / "src/io/README.md").read_text()
    block = page[page.index("    import xarray\n"):].split("\n\n")[0]
    os.chdir(folder)
    names = {}
    exec(textwrap.dedent(block), names)
    names["shot"].close()
    os.chdir("/")
    assert np.allclose(names["offset"][0], 30), names["offset"]  # 30 m below the first receiver


def main():
    with tempfile.TemporaryDirectory() as folder:
        options = ["--grid", "60", "--spacing", "10", "--pml-width", "10", "--model", "layered:1500@0,2500@200",
                   "--source", "20,200,40", "--receivers", "line:20,200,10:220,200,10:5", "--wavelet", "ricker:f=15",
                   "--tmax", "0.3", "--snapshot-every", "0.15", "--device", "cpu", "--output", folder]
        subprocess.run([sys.argv[1], *options], check=True, stdout=subprocess.DEVNULL)
        with xarray.open_dataset(pathlib.Path(folder) / "shot_gather.h5", engine="h5netcdf") as shot:
            check(shot)
        with xarray.open_dataset(pathlib.Path(folder) / "shot_gather.snapshots.h5", engine="h5netcdf") as shot:
            check_snapshots(shot)
        run_page(folder)


if __name__ == "__main__":
    main()
