"""Geometries that segyio writes are honoured or refused. The same volume may be in metres or in feet, turned, or
numbered against its coordinates, elsewhere or not at all. Placed on a map it gives the same gather from positions on
the map. Angles for coordinates, sheared grids, volumes in time and lines without an order end with 65.

    python segy_geometry.py PROGRAM
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import segyio

NX, NY, NZ, H = 24, 20, 16, 10.0
FOOT = 0.3048
RUN = ["--pml-width", "5", "--wavelet", "ricker:f=12", "--steps", "60", "--kernel", "kokkos", "--device", "cpu"]


def velocity(x, y):
    """m/s at the node (x, y), all along z: no two corners alike."""
    return np.float32(1800 + 10 * x + 4 * y)


def write(path, x_step=(H, 0), y_step=(0, H), corner=(0, 0), crossline=1, unit=1.0, words=(189, 193, 181), **header):
    """A volume whose node (x, y) stands at corner + x x_step + y y_step, in units of `unit` metres. Inlines, crosslines
    and coordinates are at the bytes `words`, and nowhere where these are 0."""
    spec = segyio.spec()
    spec.format, spec.samples, spec.tracecount = 5, np.arange(NZ), NX * NY
    field = segyio.TraceField
    with segyio.create(str(path), spec) as file:
        file.bin[segyio.BinField.Interval] = header.get("interval", round(1000 * H / unit))
        file.bin[segyio.BinField.MeasurementSystem] = 2 if unit == FOOT else 1
        for i in range(NX * NY):
            x, y = i % NX, i // NX
            at = [corner[k] + x * x_step[k] + y * y_step[k] for k in range(2)]
            numbers = zip((*words, words[2] and words[2] + 4),
                          (y + 1, crossline * (x + 1), *(round(100 * a / unit) for a in at)))
            file.header[i] = {word: number for word, number in numbers if word} | {
                field.SourceGroupScalar: -100, field.TraceIdentificationCode: header.get("kind", 1),
                field.CoordinateUnits: header.get("coordinate_units", 1),
                field.DelayRecordingTime: round(header.get("delay", 0) / unit)}
            file.trace[i] = np.full(NZ, velocity(x, y) / unit, np.float32)


def run(program, folder, model, place, options=()):
    """The gather's traces with a source at node (12, 10) and receivers at nodes (3, 5) and (20, 14), by `place`."""
    def point(x, y, z):
        return ",".join(repr(float(v)) for v in place(x, y, z))
    command = [program, "--model", str(model), "--coordinates", "file", "--source", point(12, 10, 8), "--receivers",
               f"line:{point(3, 5, 2)}:{point(20, 14, 2)}:2", *RUN, *options, "--output", str(folder), "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.returncode, done.stderr
    with h5py.File(folder / "shot_gather.h5") as gather:
        return 0, gather["traces"][:]


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = folder / "model.sgy"

        def traces(place, options=(), **geometry):
            write(model, **geometry)
            code, result = run(program, folder, model, place, options)
            assert code == 0, result
            return result

        expected = traces(lambda x, y, z: (H * x, H * y, H * z))
        assert np.abs(expected).max() > 0

        def check(name, limit, *arguments, **geometry):
            error = np.linalg.norm(traces(*arguments, **geometry) - expected) / np.linalg.norm(expected)
            assert error <= limit, f"{name}: {error}"

        east, north = 500_000.0, 4_200_000.0
        check("on a map", 0, lambda x, y, z: (east + H * x, north + H * y, H * z), corner=(east, north))
        check("numbered backwards", 0, lambda x, y, z: (H * x, H * y, H * z), crossline=-1)
        check("delay", 0, lambda x, y, z: (H * x, H * y, 700 + H * z), delay=700)
        # Turned by the angle of 3, 4, 5: rounding of the spacing alone.
        check("turned", 1e-4, lambda x, y, z: (east + 8 * x - 6 * y, north + 6 * x + 8 * y, H * z),
              corner=(east, north), x_step=(8, 6), y_step=(-6, 8))
        # At 33 degrees the centimetre of the coordinates makes 10.0003 m of 10: a row less, were it taken as it is.
        c, s = np.cos(np.radians(33)), np.sin(np.radians(33))
        check("turned, resampled to what it has", 1e-3,
              lambda x, y, z: (east + H * (c * x - s * y), north + H * (s * x + c * y), H * z), ["--spacing", "10"],
              corner=(east, north), x_step=(H * c, H * s), y_step=(-H * s, H * c))

        def model_of(*place):
            return H * np.array(place)

        given = ["--model-spacing", "10"]
        check("lines on the map", 0, model_of, words=(0, 0, 73))
        check("lines on the map, spacing given", 0, model_of, given, words=(0, 0, 181))
        check("older numbers", 0, model_of, given, words=(9, 21, 0))
        check("named words", 0, model_of, ["--segy-header", "inline=17,crossline=25,x=53"], words=(17, 25, 53))
        check("dims", 0, model_of, [*given, "--model-dims", f"{NX},{NY},{NZ}"], words=(0, 0, 0))
        check("depth, says the option", 0, model_of, ["--segy-header", "domain=depth"], kind=22)
        # The step of depth is a whole number of thousandths of a foot, 32808: 2.6e-6 too short.
        check("feet", 1e-3, lambda x, y, z: (H * x, H * y, H * z), ["--velocity-unit", "ft/s"], unit=FOOT)

        def refused(says, **geometry):
            write(model, **geometry)
            code, error = run(program, folder, model, lambda x, y, z: (H * x, H * y, H * z))
            assert code == 65 and says in error and error.count("\n") == 1, (code, error)

        refused("--velocity-unit ft/s", unit=FOOT)
        refused("coordinate units 2", coordinate_units=2)
        refused("coordinate units 3", coordinate_units=3)
        refused("degrees, not 90", y_step=(3, H))
        refused("--segy-header domain=depth", interval=4000)
        refused("--segy-header inline=9,crossline=21", words=(0, 193, 0))
    print("geometries of segyio are honoured or refused")


if __name__ == "__main__":
    main()
