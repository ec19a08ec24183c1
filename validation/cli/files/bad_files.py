"""Files that commands refuse: bytes, functions that make one of a path, and changes of HDF5 files."""
import os
import pathlib

import h5py
import numpy as np
import segyio

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF" + b"\x5a" * 5000
TEXT = b"no numbers, no model\n"
BOX = np.full((9, 10, 11), 2000, "<f4")
HELD = []  # files that are open while others read them


def hdf5(values=BOX, name="vp", libver=None, **options):
    """A model of one dataset."""
    def make(path):
        with h5py.File(path, "w", libver=libver) as file:
            file.create_dataset(name, data=values, **options).attrs["spacing"] = 10.0
    return make


def planted(value):
    """A model with this value in a cell."""
    values = BOX.copy()
    values[1, 2, 3] = value
    return values


def segy(path):
    segyio.tools.from_array3D(str(path), BOX, dt=10000)


def raw(path):
    path.write_bytes(BOX.tobytes())


def cut(make, share):
    """The beginning of a file."""
    def make_cut(path):
        make(path)
        os.truncate(path, int(path.stat().st_size * share))
    return make_cut


def edited(content, change):
    """An HDF5 file that is changed."""
    def make(path):
        path.write_bytes(content)
        with h5py.File(path, "r+") as file:
            change(file)
    return make


def without(name):
    def change(file):
        del file[name]
    return change


def instead(name, **dataset):
    def change(file):
        del file[name]
        file.create_dataset(name, **dataset)
    return change


def linked(name):
    """Damage: the values stand behind a link to another file, which has them."""
    def change(file):
        with h5py.File(pathlib.Path(file.filename).with_name("other"), "w") as other:
            file.copy(name, other)
        del file[name]
        file[name] = h5py.ExternalLink("other", name)
    return change


def held_open(path):
    """A model that a notebook still writes."""
    HELD.append(h5py.File(path, "w"))
    HELD[-1].create_dataset("vp", data=BOX).attrs["spacing"] = 10.0
    HELD[-1].flush()


def virtual(name):
    def change(file):
        layout = h5py.VirtualLayout(file[name].shape, file[name].dtype)
        linked(name)(file)
        layout[:] = h5py.VirtualSource("other", name, layout.shape)
        del file[name]
        file.create_virtual_dataset(name, layout)
    return change


def external(name):
    def change(file):
        values = file[name][:]
        values.tofile(pathlib.Path(file.filename).with_name("other"))
        del file[name]
        file.create_dataset(name, values.shape, values.dtype, external=[("other", 0, values.nbytes)])
    return change


def damages(name):
    """Damages of a dataset of three dimensions at most."""
    return [without(name), linked(name), virtual(name), external(name),
            instead(name, data=np.zeros((2, 2, 2, 2, 2), "f4")), instead(name, data=np.zeros(3, "S4")),
            instead(name, shape=(1 << 16, 1 << 16, 1 << 16), dtype="<f4", chunks=(1, 1, 1 << 10))]


def huge(path):
    """A gibibyte of one line, of which the disk has nothing."""
    with open(path, "wb") as file:
        file.truncate(1 << 30)


def many_lines(path):
    path.write_bytes(b"1,2,3\n" * 10_100_000)


def closed(path):
    path.write_bytes(TEXT)
    path.chmod(0)


def in_closed_folder(path):
    path.write_bytes(TEXT)
    path.parent.chmod(0o555)
