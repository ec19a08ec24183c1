"""Checks with h5py that a file is a shot gather as documented: names, shapes, types, filters, units.

    python read_gather.py shot_gather.h5 [--receivers N] [--samples N] [--attribute NAME ...]
"""
import argparse

import h5py
import numpy as np

MOST_CHUNK_BYTES = 1 << 20
UNITS = {
    "traces": b"source unit / m",
    "receivers": b"m",
    "requested_receivers": b"m",
    "source": b"m",
    "requested_source": b"m",
    "wavelet": b"source unit",
    "time": b"s",
}


def check_dataset(dataset, shape):
    name = dataset.name
    assert dataset.shape == shape, f"{name}: shape {dataset.shape}, not {shape}"
    expected = np.float32 if name == "/traces" else np.float64
    assert dataset.dtype == expected, f"{name}: {dataset.dtype}"
    assert dataset.compression == "gzip" and dataset.shuffle and dataset.fletcher32, f"{name}: filters"
    assert dataset.id.get_create_plist().get_nfilters() == 3, f"{name}: more filters"
    bytes_of_chunk = np.prod(dataset.chunks) * dataset.dtype.itemsize
    assert bytes_of_chunk <= MOST_CHUNK_BYTES, f"{name}: a chunk of {bytes_of_chunk} bytes"
    assert dataset.attrs["units"] == UNITS[name.strip("/")], f"{name}: units {dataset.attrs['units']}"
    assert len(dataset.attrs["description"]) > 0, f"{name}: no description"
    assert np.isfinite(dataset[:]).all(), f"{name}: not finite"


def check_times(file):
    time, dt = file["time"][:], file["time"].attrs["dt"]
    assert dt > 0 and np.allclose(np.diff(time), dt, rtol=1e-6), "times are not dt apart"
    assert file["wavelet"].attrs["dt"] > 0, "the wavelet has no dt"


def check_gather(file, receivers, samples):
    assert set(file) == set(UNITS), f"datasets {sorted(file)}"
    assert file.attrs["format"] == b"minimod shot gather 1", file.attrs["format"]
    n, nt = file["traces"].shape
    assert receivers in (None, n), f"{n} receivers, not {receivers}"
    assert samples in (None, nt), f"{nt} samples, not {samples}"
    shapes = {"traces": (n, nt), "receivers": (n, 3), "requested_receivers": (n, 3), "source": (3,),
              "requested_source": (3,), "wavelet": file["wavelet"].shape, "time": (nt,)}
    for name, shape in shapes.items():
        check_dataset(file[name], shape)
    check_times(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gather")
    parser.add_argument("--receivers", type=int)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--attribute", action="append", default=[], help="that the root must have")
    arguments = parser.parse_args()
    with h5py.File(arguments.gather, "r", libver="latest") as file:
        check_gather(file, arguments.receivers, arguments.samples)
        missing = [name for name in arguments.attribute if name not in file.attrs]
        assert not missing, f"missing attributes {missing}, present {sorted(file.attrs)}"
        for name in arguments.attribute:
            assert np.size(file.attrs[name]) > 0, f"{name} is empty"
        print(f"{arguments.gather}: {file['traces'].shape[0]} receivers, {file['traces'].shape[1]} samples")


if __name__ == "__main__":
    main()
