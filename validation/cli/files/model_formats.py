"""The Marmousi section as HDF5, as SEG-Y (written with segyio, IBM and IEEE floats) and as raw floats in km/s
must give the same gather: bit-identical, and within 1e-5 for the raw file.

    python model_formats.py PROGRAM MARMOUSI_H5
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
import segyio

CUT = ["--crop", "300:1100,:,0:400", "--decimate", "8", "--extrude", "31", "--pml-width", "10"]
RUN = ["--wavelet", "ricker:f=1.6", "--steps", "150", "--source", "3000,900,60", "--device", "cpu"]


def write_segy(path, section, spacing, sample_format):
    spec = segyio.spec()
    spec.format = sample_format
    spec.samples = np.arange(section.shape[0]) * spacing
    spec.tracecount = section.shape[1]
    with segyio.create(str(path), spec) as file:
        file.bin[segyio.BinField.Interval] = int(spacing * 1000)
        for i in range(section.shape[1]):
            file.header[i] = {
                segyio.TraceField.CDP_X: int(i * spacing * 10),
                segyio.TraceField.SourceGroupScalar: -10,
                segyio.TraceField.TRACE_SAMPLE_INTERVAL: int(spacing * 1000),
            }
            file.trace[i] = np.ascontiguousarray(section[:, i])


def traces(program, folder, model):
    command = [program, *model, *CUT, *RUN, "--output", str(folder), "--force"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder / "shot_gather.h5") as gather:
        return gather["traces"][:]


def main():
    program, marmousi = sys.argv[1:]
    with h5py.File(marmousi) as file:
        section = file["vp"][:, 0, :].astype(np.float32)  # [z, x]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_segy(folder / "ibm.sgy", section, 7.5, 1)
        write_segy(folder / "ieee.segy", section, 7.5, 5)
        (section.T / np.float32(1000)).astype("<f4").tofile(folder / "raw.bin")

        expected = traces(program, folder, ["--model", marmousi])
        assert np.abs(expected).max() > 0
        assert np.array_equal(traces(program, folder, ["--model", str(folder / "ibm.sgy")]), expected), "IBM"
        assert np.array_equal(traces(program, folder, ["--model", str(folder / "ieee.segy")]), expected), "IEEE"
        raw = traces(program, folder, ["--model", str(folder / "raw.bin"), "--model-dims", "1601,1,401",
                                       "--model-axes", "x,y,z", "--model-spacing", "7.5", "--velocity-unit", "km/s"])
        difference = np.linalg.norm(raw - expected) / np.linalg.norm(expected)
        assert difference < 1e-5, f"raw floats: relative difference {difference}"
    print("HDF5, SEG-Y (IBM, IEEE) and raw floats give the same gather")


if __name__ == "__main__":
    main()
