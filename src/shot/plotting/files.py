"""What a picture is made of: the traces of a gather, or the sections of a model, from their HDF5 files."""
import dataclasses
import os

import h5py
import numpy as np

from plotting.errors import DATA, MISSING, PERMISSION, USAGE, fail, shown

GATHER, SECTIONS = "minimod shot gather", "minimod model sections"
MOST_TRACES = 4000  # a picture has fewer columns; of more receivers every n-th is drawn
MOST_EXPANSION = 1000  # nothing that the program writes shrinks more: a file that says so holds less than it declares
DAMAGE = (OSError, KeyError, AttributeError, ValueError, TypeError, IndexError, RuntimeError)  # what becomes of it here


@dataclasses.dataclass
class Gather:
    """Traces [receiver, time] with where (m) and when (s) they were recorded."""
    traces: np.ndarray
    time: np.ndarray
    receivers: np.ndarray  # [receiver, 3], nodes
    requested: np.ndarray  # [receiver, 3], as they were asked for
    numbers: np.ndarray  # of the receivers in the file
    source: np.ndarray  # [3]
    units: str
    model: str
    kernel: str
    others: int = 0  # sources beside the first

    def distance(self):
        """From the source to each receiver, m."""
        return np.linalg.norm(self.receivers - self.source, axis=1)

    def at(self, order):
        """The receivers of these indices, in their order."""
        return dataclasses.replace(self, **{name: getattr(self, name)[order]
                                            for name in ("traces", "receivers", "requested", "numbers")})


@dataclasses.dataclass
class Sections:
    """Velocities (m/s) [z, x], [z, y] and [y, x] through the source, with positions in m."""
    xz: np.ndarray
    yz: np.ndarray
    xy: np.ndarray
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    receivers: np.ndarray  # [receiver, 3]
    sources: np.ndarray  # [source, 3]
    model: str
    free_surface: bool
    shots: int = 1  # of a survey

    @property
    def source(self):
        """That which the sections go through."""
        return self.sources[0]

    @property
    def others(self):
        return len(self.sources) - 1


def as_text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def require_real(file, path):
    """Nothing of it stands in other files, or declares far more than it holds."""
    for name in file:
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            raise ValueError(name)
        entry = file[name]
        if isinstance(entry, h5py.Dataset) and (entry.is_virtual or entry.external or
                                                entry.nbytes > MOST_EXPANSION * os.path.getsize(path)):
            raise ValueError(name)


def require_shape(dataset, shape):
    if dataset.shape != shape:
        raise ValueError(dataset.name)


def rows(dataset, numbers):
    """The rows of these numbers, which rise, read in one piece where they are evenly apart."""
    steps = np.diff(numbers)
    if len(steps) == 0 or np.all(steps == steps[0]):
        return dataset[numbers[0]:numbers[-1] + 1:steps[0] if len(steps) else 1]
    return dataset[numbers]


def positions(dataset):
    """[source, axis], also of one."""
    require_shape(dataset, (3,) if dataset.ndim == 1 else (len(dataset), 3))
    return dataset[:].reshape(-1, 3)


def gather_in(file, choose):
    traces, receivers, source = file["traces"], file["receivers"], file["source"]
    count, samples = traces.shape
    require_shape(receivers, (count, 3))
    require_shape(file["time"], (samples,))
    requested = file.get("requested_receivers", receivers)
    require_shape(requested, (count, 3))
    if min(count, samples) < 1:
        raise ValueError("traces")
    numbers = choose(receivers[:])
    numbers = numbers[::-(-len(numbers) // MOST_TRACES)]
    return Gather(traces=rows(traces, numbers), time=file["time"][:], receivers=receivers[:][numbers],
                  requested=requested[:][numbers], numbers=numbers, source=positions(source)[0],
                  units=as_text(traces.attrs["units"]), model=as_text(file.attrs.get("model", "")),
                  kernel=as_text(file.attrs.get("kernel_inner", "")), others=source.size // 3 - 1)


def sections_in(file):
    axes = {name: file[name][:] for name in "xyz"}
    values = {}
    for name in ("xz", "yz", "xy"):
        down, across = ("yx" if name == "xy" else ("z", name[0]))
        dataset = file[f"model_{name}"]
        require_shape(dataset, (len(axes[down]), len(axes[across])))
        values[name] = dataset[:]
    return Sections(**values, **axes, receivers=file["receivers"][:], sources=positions(file["source"]),
                    shots=int(file.attrs.get("shots", 1)),
                    model=as_text(file.attrs.get("model", "")), free_surface=bool(file.attrs.get("free_surface", 0)))


def format_of(path):
    """Empty where `read` says what is wrong."""
    try:
        with h5py.File(path, "r") as file:
            return as_text(file.attrs.get("format", ""))
    except DAMAGE:
        return ""


def read(path, formats, reader):
    """`reader(file)` of a file of one of the formats. Errors: 65 damaged or another file, 66 missing, 77."""
    if not os.path.isfile(path):
        fail(MISSING, f"{shown(path)} is no file; give the shot_gather.h5 of a run")
    if not os.access(path, os.R_OK):
        fail(PERMISSION, f"{shown(path)} cannot be read; make it readable")
    try:
        with h5py.File(path, "r") as file:
            if not as_text(file.attrs.get("format", "")).startswith(formats):
                raise KeyError("format")
            require_real(file, path)
            return reader(file)
    except DAMAGE as error:
        if isinstance(error, BlockingIOError) or "already open for write" in str(error):
            fail(DATA, f"{shown(path)} is open for writing elsewhere; close it there (file.close() in h5py)")
        fail(DATA, f"{shown(path)} is not a shot gather or is damaged; give a file that minimod wrote")


def read_gather(path, choose=lambda receivers: np.arange(len(receivers))):
    """The gather, of the receivers whose numbers `choose` takes from their positions [receiver, 3] (m)."""
    return read(path, (GATHER,), lambda file: gather_in(file, choose))


def read_sections(path):
    def sections(file):
        if "model_xz" not in file:
            fail(DATA, f"{shown(path)} holds no sections of its model; draw them with --model and the run's options")
        return sections_in(file)

    return read(path, (GATHER, SECTIONS), sections)


def holds_sections_only(path):
    return format_of(path).startswith(SECTIONS)


def subtract(gather, other, names):
    """`gather` less `other`, which must have the same positions and times, and the relative L2 of the difference:
    of all traces, and of the worst one with its number. Error 65 where they are not of one geometry."""
    for what, one, two, tolerance in (("receivers", gather.receivers, other.receivers, 1e-3),
                                      ("source", gather.source, other.source, 1e-3),
                                      ("times", gather.time, other.time, 1e-3 * np.ptp(gather.time))):
        if one.shape != two.shape:
            fail(DATA, f"{names[0]} has {len(one)} {what}, {names[1]} has {len(two)}; give gathers of one geometry")
        apart = np.abs(one - two).max()
        if what == "times":
            tolerance = 1e-3 * np.diff(gather.time).min(initial=1)
        if apart > tolerance:
            unit = "s" if what == "times" else "m"
            fail(DATA, f"the {what} of {names[0]} and {names[1]} are up to {apart:.4g} {unit} apart; "
                       "give gathers of one geometry")
    difference = gather.traces.astype(np.float64) - other.traces
    sizes = np.linalg.norm(other.traces.astype(np.float64), axis=1)
    apart = np.linalg.norm(difference, axis=1)
    whole = np.linalg.norm(sizes)
    if whole == 0:
        fail(USAGE, f"{names[1]} holds zeros alone, which nothing can be measured by; exchange the two")
    each = np.divide(apart, sizes, out=np.zeros_like(apart), where=sizes > 0)
    worst = int(each.argmax())
    figures = (float(np.linalg.norm(apart) / whole), float(each[worst]), int(gather.numbers[worst]))
    return dataclasses.replace(gather, traces=difference), figures
