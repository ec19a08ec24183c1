"""Changes after which an HDF5 file is whole and contradicts itself: functions of the file and of a name in it."""
import contextlib
import pathlib

import h5py
import numpy as np

SECRET = -123456789.25  # fills a file of the user's that no reader may open
NAN, INF = float("nan"), float("inf")


def instead(make):
    """`make(file, name, values)` puts something under the name of a dataset, whose attributes it keeps."""
    def change(file, name):
        values = file[name][:]
        attributes = {key: value for key, value in file[name].attrs.items()
                      if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME")}
        del file[name]
        make(file, name, values)
        with contextlib.suppress(KeyError, OSError):
            file[name].attrs.update(attributes)
    return change


def values(function, **options):
    return instead(lambda file, name, old: file.create_dataset(name, data=function(old), **options))


def typed(kind):
    return instead(lambda file, name, old: file.create_dataset(name, old.shape, kind))


def unwritten(*first, grows=False, **options):
    def make(file, name, old):
        more = {"maxshape": (None,) * old.ndim} if grows else {}
        file.create_dataset(name, (*first, *old.shape[len(first):]), old.dtype, **more, **options)
    return instead(make)


def spaced(kind):
    return instead(lambda file, name, _: h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F64LE,
                                                         h5py.h5s.create(kind)))


def compact(file, name, old):
    storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    storage.set_layout(h5py.h5d.COMPACT)
    shape = old.shape if old.size < 8000 else old.shape[-1:]  # HDF5 has at most 64 KiB so
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(shape), storage)


def secret_of(file, old):
    path = pathlib.Path(file.filename).with_name("secret.h5")
    with h5py.File(path, "w") as secret:
        secret["values"] = np.full(old.shape, SECRET)
    return path


def link_outside(file, name, old):
    secret_of(file, old)
    file[name] = h5py.ExternalLink("secret.h5", "values")


def virtual(file, name, old):
    secret_of(file, old)
    layout = h5py.VirtualLayout(old.shape, "f8")
    layout[...] = h5py.VirtualSource("secret.h5", "values", old.shape)
    file.create_virtual_dataset(name, layout)


def stored_outside(file, name, old):
    np.full(old.shape, SECRET).tofile(pathlib.Path(file.filename).with_name("secret.h5"))
    file.create_dataset(name, old.shape, "f8", external=[("secret.h5", 0, old.size * 8)])


def link(target):
    return instead(lambda file, name, _: file.__setitem__(name, target))


def link_inside(file, name, old):
    file["elsewhere"] = old
    file[name] = h5py.SoftLink("/elsewhere")


def planted(value):
    def plant(old):
        old = old.astype("f8")
        old.flat[old.size // 2] = value
        return old
    return values(plant)


CHANGES = {
    "a row more": values(lambda v: np.concatenate([v, v[-1:]])), "a row less": values(lambda v: v[:-1]),
    "200 rows": values(lambda v: np.resize(v, (200, *np.atleast_2d(v).shape[1:]))),
    "a column more": values(lambda v: np.concatenate([v, v[..., -1:]], axis=-1)),
    "an axis more": values(lambda v: v[np.newaxis]), "an axis less": values(lambda v: v.sum(axis=-1)),
    "32 axes": values(lambda v: v.reshape((1,) * (32 - v.ndim) + v.shape)),
    "no space": spaced(h5py.h5s.NULL), "no axes": spaced(h5py.h5s.SCALAR),
    "no rows": values(lambda v: v[:0]), "no columns": values(lambda v: v[..., :0]),
    "2^44 rows": unwritten(1 << 44), "2^44 rows in chunks": unwritten(1 << 44, chunks=True),
    "2^44 rows that grow": unwritten(1 << 44, grows=True),
    "texts": typed("S8"), "texts of any length": typed(h5py.string_dtype()), "compounds": typed([("a", "f8"), ("b", "i4")]),
    "references": typed(h5py.ref_dtype), "an enumeration": typed(h5py.enum_dtype({"a": 1})), "opaque": typed("V8"),
    "arrays": typed(np.dtype(("f8", (3,)))), "lists of any length": typed(h5py.vlen_dtype(np.float64)),
    "halves": values(lambda v: np.zeros(v.shape, "f2")), "complex": typed("c16"),
    "missing": instead(lambda *_: None), "a group": instead(lambda file, name, _: file.create_group(name)),
    "a type": link(np.dtype("f8")), "a link to nowhere": link(h5py.SoftLink("/nowhere")), "a link": instead(link_inside),
    "a link to a device": link(h5py.ExternalLink("/dev/zero", "x")), "a link outside": instead(link_outside),
    "virtual": instead(virtual), "stored outside": instead(stored_outside), "compact": instead(compact),
    "of another filter": values(lambda v: v, compression="lzf", chunks=True), "unwritten": unwritten(chunks=True),
    "NaN": planted(NAN), "infinite": planted(INF)}


def attribute(owner, name, value):
    """A `value` of None takes it away."""
    def change(file, _):
        with contextlib.suppress(KeyError):
            del file[owner].attrs[name]
        if value is not None:
            file[owner].attrs[name] = value
    return change


TEXTS = np.array(["x" * 3000] * 300, dtype=object)
NUMBERS = {"no": None, "a text for": "1e-3", "two": [1e-3, 1e-3], "an empty": h5py.Empty("f8"), "a NaN for": NAN,
           "an infinite": INF, "a zero for": 0.0, "a negative": -1e-3, "texts for": TEXTS, "5000 of": np.ones(5000)}
