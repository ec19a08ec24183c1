"""Checks with h5py that a file is a shot gather as documented: names, shapes, scales, types, filters, units.

    python read_gather.py shot_gather.h5 [--receivers N] [--samples N] [--attribute NAME ...]
"""
import argparse

import h5py
import numpy as np

MOST_CHUNK_BYTES = 1 << 20
LEAST_COMPRESSED_BYTES = 1 << 20
UNITS = {
    "traces": "source unit / m",
    "receiver": "1",
    "receiver_x": "m",
    "receiver_y": "m",
    "receiver_z": "m",
    "receivers": "m",
    "requested_receivers": "m",
    "water_depth": "m",
    "source": "m",
    "requested_source": "m",
    "wavelet": "source unit",
    "wavelet_time": "s",
    "time": "s",
    "x": "m",
    "y": "m",
    "z": "m",
    "model_xz": "m/s",
    "model_yz": "m/s",
    "model_xy": "m/s",
}
AXES = {  # scales of each dataset's dimensions, which say where its indices are
    "traces": ("receiver", "time"),
    "receivers": ("receiver", "axis"),
    "requested_receivers": ("receiver", "axis"),
    "water_depth": ("receiver",),
    "source": ("axis",),
    "requested_source": ("axis",),
    "wavelet": ("wavelet_time",),
    "model_xz": ("z", "x"),
    "model_yz": ("z", "y"),
    "model_xy": ("y", "x"),
} | {f"receiver_{axis}": ("receiver",) for axis in "xyz"}


def check_dataset(dataset):
    name = dataset.name.strip("/")
    expected = {"traces": np.float32, "receiver": np.int64}.get(name, np.float32 if "model" in name else np.float64)
    assert dataset.dtype == expected, f"{name}: {dataset.dtype}"
    is_large = dataset.nbytes >= LEAST_COMPRESSED_BYTES
    assert (dataset.compression == "gzip") == dataset.shuffle == is_large and dataset.fletcher32, f"{name}: filters"
    assert dataset.id.get_create_plist().get_nfilters() == (3 if is_large else 1), f"{name}: more filters"
    bytes_of_chunk = np.prod(dataset.chunks) * dataset.dtype.itemsize
    assert bytes_of_chunk <= MOST_CHUNK_BYTES, f"{name}: a chunk of {bytes_of_chunk} bytes"
    assert dataset.attrs["units"] == UNITS[name], f"{name}: units {dataset.attrs['units']}"
    assert len(dataset.attrs["description"]) > 0, f"{name}: no description"
    assert np.isfinite(dataset[:]).all(), f"{name}: not finite"


def check_scales(dataset, file):
    name = dataset.name.strip("/")
    if name not in AXES:
        assert dataset.is_scale and dataset.ndim == 1, f"{name} is no scale"
        return
    for number, axis in enumerate(AXES[name]):
        assert dataset.dims[number].keys() == [axis], f"{name}: scales {dataset.dims[number].keys()}"
        assert dataset.shape[number] == len(file[axis]), f"{name}: not as long as {axis}"


def check_attributes(attributes):
    """Texts are texts, numbers are numbers."""
    for name, value in attributes.items():
        assert isinstance(value, (str, np.float64, np.int64, np.ndarray)), f"{name}: {type(value)}"
    assert attributes["grid"].dtype == np.int64 and attributes["grid"].shape == (3,), attributes["grid"]
    assert attributes["spacing"].dtype == np.float64 and attributes["spacing"].shape == (3,), attributes["spacing"]


def check_times(file):
    time, dt = file["time"][:], file["time"].attrs["dt"]
    assert dt > 0 and np.allclose(np.diff(time), dt, rtol=1e-6), "times are not dt apart"
    assert file["wavelet"].attrs["dt"] > 0, "the wavelet has no dt"


def check_gather(file, receivers, samples):
    assert set(file) == {"axis", "texts", *UNITS}, f"datasets {sorted(file)}"
    assert file.attrs["format"] == "minimod shot gather 1", file.attrs["format"]
    n, nt = file["traces"].shape
    assert receivers in (None, n), f"{n} receivers, not {receivers}"
    assert samples in (None, nt), f"{nt} samples, not {samples}"
    for name in UNITS:
        check_dataset(file[name])
        check_scales(file[name], file)
    assert [axis.decode() for axis in file["axis"][:]] == ["x", "y", "z"]
    assert np.array_equal(file["receiver"][:], np.arange(n))
    for number, axis in enumerate("xyz"):
        assert np.array_equal(file[f"receiver_{axis}"][:], file["receivers"][:, number]), axis
    check_attributes(file.attrs)
    for name, copy in file["texts"].attrs.items():
        dataset, _, text = name.rpartition(":")
        assert copy.decode() == (file[dataset] if dataset else file).attrs[text], f"the copy of {name}: {copy}"
    check_times(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gather")
    parser.add_argument("--receivers", type=int)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--attribute", action="append", default=[], help="that the root must have")
    parser.add_argument("--spacing", type=float, nargs=3, help="that it has, to the last bit")
    arguments = parser.parse_args()
    with h5py.File(arguments.gather, "r", libver="latest") as file:
        check_gather(file, arguments.receivers, arguments.samples)
        missing = [name for name in arguments.attribute if name not in file.attrs]
        assert not missing, f"missing attributes {missing}, present {sorted(file.attrs)}"
        for name in arguments.attribute:
            assert np.size(file.attrs[name]) > 0, f"{name} is empty"
        if arguments.spacing:
            assert file.attrs["spacing"].tolist() == arguments.spacing, file.attrs["spacing"]
        print(f"{arguments.gather}: {file['traces'].shape[0]} receivers, {file['traces'].shape[1]} samples")


if __name__ == "__main__":
    main()
