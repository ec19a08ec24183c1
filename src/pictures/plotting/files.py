"""Contents of a picture: the traces of a gather, or the sections of a model, from their HDF5 files."""
import dataclasses
import os

import h5py
import numpy as np

from plotting.errors import DATA, MISSING, PERMISSION, USAGE, fail, note, shown
from plotting.positions import FILE, MODEL, Place, Positions, place_from

GATHER, SURVEY, SECTIONS = "minimod shot gather", "minimod survey", "minimod model sections"
TRACES = (GATHER, SURVEY)
NO_NUMBER = -1  # number of a shot whose file does not say it
ROUNDING = 5e-4  # m: positions that agree to less are one
MOST_TRACES = 4000  # a picture has fewer columns; of more receivers every n-th is drawn
MOST_EXPANSION = 1000  # nothing that the program writes shrinks more: a file that says so holds less than it declares
# Errors that a damaged file raises.
DAMAGE = (OSError, KeyError, AttributeError, ValueError, TypeError, IndexError, RuntimeError)


@dataclasses.dataclass
class Gather:
    """Traces [trace, time] with where (m) and when (s) they were recorded."""
    traces: np.ndarray
    time: np.ndarray
    positions: Positions
    units: str
    model: str
    kernel: str
    choice: str = ""  # choice of traces of several shots
    shot: str = ""  # "shot 7", where it is one of several

    def at(self, order):
        """The traces of these indices, in their order."""
        return dataclasses.replace(self, traces=self.traces[order], positions=self.positions.at(order))


@dataclasses.dataclass
class Index:
    """Facts of traces in files, before these are read."""
    path: str
    time: np.ndarray
    positions: Positions
    units: str
    model: str
    kernel: str
    read: object  # (rising numbers of traces) to [trace, time]

    def gather(self, numbers, choice=""):
        """The traces of these rising numbers; of more than a picture has columns every n-th."""
        step = -(-len(numbers) // MOST_TRACES)
        if step > 1:
            note(f"of {len(numbers)} traces one of {step} is drawn")
        numbers = numbers[::step]
        return Gather(self.read(numbers), self.time, self.positions.at(numbers), self.units, self.model, self.kernel,
                      choice)


@dataclasses.dataclass
class Sections:
    """Velocities (m/s) [z, x], [z, y] and [y, x] through the source, with positions in m of the model's coordinates."""
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
    shots: int = 1  # shots of a survey
    place: Place | None = None  # place of the model, where it is known
    frame: str = MODEL  # coordinates in which the run's positions were given


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
    """Refuses a dataset that is not an array of numbers of that shape."""
    if dataset.shape != shape or not is_of_numbers(dataset):
        raise ValueError(dataset.name)


def is_of_numbers(dataset):
    """Floats or integers that are no enumeration."""
    return dataset.dtype.kind in "iuf" and h5py.check_enum_dtype(dataset.dtype) is None


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


def place_in(file):
    return place_from(file.attrs.get("model_origin"), file.attrs.get("model_x_axis"))


def shot_rows(file, count):
    """Numbers of `count` traces: each one's shot, its number in the shot, its first source [3], and how many sources
    its shot has beside it. A gather of one shot knows its number where it was written."""
    sources = positions(file["source"])
    if "first_trace" not in file:
        return (np.full(count, file.attrs.get("shot_id", NO_NUMBER), int), np.arange(count),
                np.repeat(sources[:1], count, axis=0), np.full(count, len(sources) - 1))
    names = ("shot_id", "first_trace", "trace_count", "first_source", "source_count")
    shot, first, length, first_source, source_count = (file[name][:].astype(int) for name in names)
    if length.sum() != count or length.min() < 1 or not np.array_equal(first, np.cumsum(length) - length):
        raise ValueError("first_trace")
    return (np.repeat(shot, length), np.arange(count) - np.repeat(first, length),
            np.repeat(sources[first_source], length, axis=0), np.repeat(source_count - 1, length))


def index_in(file, path):
    traces, receivers = file["traces"], file["receivers"]
    count, samples = traces.shape
    require_shape(traces, traces.shape)
    require_shape(receivers, (count, 3))
    require_shape(file["time"], (samples,))
    requested = file.get("requested_receivers", receivers)
    require_shape(requested, (count, 3))
    if min(count, samples) < 1:
        raise ValueError("traces")
    shots, numbers, sources, beside = shot_rows(file, count)
    where = Positions(receivers=receivers[:], requested=requested[:], sources=sources, beside=beside, shots=shots,
                      numbers=numbers, place=place_in(file), frame=MODEL, rounding=ROUNDING)
    return Index(path, file["time"][:], where, units=as_text(traces.attrs["units"]),
                 model=as_text(file.attrs.get("model", "")), kernel=as_text(file.attrs.get("kernel_inner", "")),
                 read=lambda chosen: read(path, TRACES, lambda again: rows(again["traces"], chosen)))


def frame_in(file):
    """Frame of the positions that the run was given; the model's where its place is not known."""
    return FILE if place_in(file) is not None and as_text(file.attrs.get("coordinates", MODEL)) == FILE else MODEL


def axis_in(file, name):
    """The positions along an axis, one at least."""
    require_shape(file[name], (len(file[name]),))
    if len(file[name]) == 0:
        raise ValueError(name)
    return file[name][:]


def sections_in(file):
    axes = {name: axis_in(file, name) for name in "xyz"}
    values = {}
    for name in ("xz", "yz", "xy"):
        down, across = ("yx" if name == "xy" else ("z", name[0]))
        dataset = file[f"model_{name}"]
        require_shape(dataset, (len(axes[down]), len(axes[across])))
        values[name] = dataset[:]
    return Sections(**values, **axes, receivers=positions(file["receivers"]), sources=positions(file["source"]),
                    shots=int(file.attrs.get("shots", 1)), place=place_in(file),
                    frame=frame_in(file),
                    model=as_text(file.attrs.get("model", "")), free_surface=bool(file.attrs.get("free_surface", 0)))


def is_hdf5_name(path):
    return path.lower().endswith((".h5", ".hdf5"))


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


def read_index(path):
    """Index of a gather, or of a survey's shots in one file."""
    return read(path, TRACES, lambda file: index_in(file, path))


def read_sections(path):
    def sections(file):
        if "model_xz" not in file:
            fail(DATA, f"{shown(path)} holds no sections of its model; draw them with --model and the run's options")
        return sections_in(file)

    return read(path, (*TRACES, SECTIONS), sections)


def holds_sections_only(path):
    return format_of(path).startswith(SECTIONS)


def subtract(gather, other, names):
    """`gather` less `other`, which must have the same positions and times, and the relative L2 of the difference:
    of all traces, and of the worst one with its number. Error 65 where they are not of one geometry."""
    one, two = gather.positions, other.positions
    if one.frame != two.frame:
        one, two = one.on_map(), two.on_map()
    apart_in_files = one.rounding + two.rounding
    step = np.diff(gather.time).min(initial=1)
    for what, unit, left, right, tolerance in (("receivers", "m", one.receivers, two.receivers, apart_in_files),
                                               ("sources", "m", one.sources, two.sources, apart_in_files),
                                               ("times", "s", gather.time, other.time, 1e-3 * step)):
        if left.shape != right.shape:
            fail(DATA, f"{names[0]} has {len(left)} {what}, {names[1]} has {len(right)}; give gathers of one geometry")
        apart = np.abs(left - right).max()
        if apart > tolerance:
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
    figures = (float(np.linalg.norm(apart) / whole), float(each[worst]), int(one.numbers[worst]))
    return dataclasses.replace(gather, traces=difference), figures
