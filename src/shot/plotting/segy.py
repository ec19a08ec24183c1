"""The traces of a SEG-Y file, revision 0 or 1: those that minimod writes, and others of fixed length."""
import os
import re

import numpy as np

from plotting.errors import DATA, MISSING, PERMISSION, fail, shown
from plotting.files import Index
from plotting.positions import FILE, MODEL, Positions, place_from

FILE_HEADER, TRACE_HEADER = 3600, 240
IBM, IEEE = 1, 5
TEXT_DIGIT = 0.01  # m: of the origin in the text header


def is_name(path):
    return path.lower().endswith((".sgy", ".segy"))


def word(headers, first, size):
    """The integer at byte `first` (from 1) of each header [trace, byte]."""
    return headers[:, first - 1:first - 1 + size].copy().view(f">i{size}")[:, 0].astype(int)


def unit_of(headers, scalar_first):
    """Of a length, in m: a scalar below 0 divides, 0 is 1."""
    scalar = word(headers, scalar_first, 2).astype(float)
    return np.where(scalar < 0, -1 / np.where(scalar < 0, scalar, -1), np.maximum(scalar, 1))


def scaled(headers, first, scalar_first):
    """A length in m."""
    return word(headers, first, 4) * unit_of(headers, scalar_first)


def ibm_values(bits):
    sign = np.where(bits >> 31, -1.0, 1.0)
    return sign * (bits & 0xffffff) * 16.0 ** ((bits >> 24 & 0x7f).astype(float) - 70)


def said(text, pattern):
    """What the text header of a file of minimod says, without the numbers of its lines."""
    found = re.search(pattern, text)
    return found[1].strip() if found else ""


def place_said(text):
    """Where a file of minimod says that its model lies, and what its positions are in: its map, or its own model."""
    frame = MODEL if said(text, "(coordinates: the model's)") else FILE
    number = r"([-+.\deE]+)"
    found = re.search(rf"is\n\({number}, {number}, {number}\) m, its x axis along \({number}, {number}\)", text)
    values = [float(word) for word in found.groups()] if found else None
    return (place_from(values[:3], values[3:]) if found else None), frame


def rounding_of(headers, place):
    """Half the last digit of the coordinates that are written, and of the model's origin where that is known."""
    return unit_of(headers, 71).max() / 2 + (TEXT_DIGIT / 2 if place is not None else 0)


def numbers_within(shots):
    """Of each trace its number in its shot."""
    order = np.argsort(shots, kind="stable")
    _, first, count = np.unique(shots[order], return_index=True, return_counts=True)
    numbers = np.empty(len(shots), int)
    numbers[order] = np.arange(len(shots)) - np.repeat(first, count)
    return numbers


def positions_in(headers, text):
    receivers = np.stack([scaled(headers, 81, 71), scaled(headers, 85, 71), -scaled(headers, 41, 69)], 1)
    sources = np.stack([scaled(headers, 73, 71), scaled(headers, 77, 71), scaled(headers, 49, 69)], 1)
    shots = word(headers, 9, 4)
    place, frame = place_said(text)
    return Positions(receivers=receivers, requested=receivers, sources=sources, beside=np.zeros(len(shots), int),
                     shots=shots, numbers=numbers_within(shots), place=place, frame=frame,
                     rounding=rounding_of(headers, place))


def index_in(path):
    with open(path, "rb") as file:
        head = file.read(FILE_HEADER)
    lines = [head[i + 4:i + 80].decode("cp037") for i in range(0, 3200, 80)]
    text = "\n".join(line.rstrip() for line in lines)
    interval, _, samples, _, sample_format = np.frombuffer(head, ">u2", 5, 3216)
    whole, rest = divmod(os.path.getsize(path) - FILE_HEADER, TRACE_HEADER + 4 * int(samples))
    if sample_format not in (IBM, IEEE) or samples == 0 or interval == 0 or whole == 0 or rest:
        raise ValueError("header")
    traces = np.memmap(path, [("header", "u1", TRACE_HEADER), ("samples", ">u4", int(samples))], "r", FILE_HEADER)

    def read(numbers):
        bits = traces["samples"][numbers].astype(np.uint32)
        return bits.view(np.float32) if sample_format == IEEE else ibm_values(bits)

    time = word(traces["header"][:1], 109, 2)[0] * 1e-3 + np.arange(int(samples)) * (int(interval) * 1e-6)
    return Index(path, time, positions_in(traces["header"], text), units=said(text, "unit of u: (.*)") or "1",
                 model=said(text, "model: (.*)"), kernel=said(text, r"kernels (\S*)"), read=read)


def read_index(path):
    """As files.read_index. Errors: 65 damaged or another file, 66 missing, 77."""
    if not os.path.isfile(path):
        fail(MISSING, f"{shown(path)} is no file; give the SEG-Y of a run")
    if not os.access(path, os.R_OK):
        fail(PERMISSION, f"{shown(path)} cannot be read; make it readable")
    try:
        return index_in(path)
    except (OSError, ValueError, IndexError):
        fail(DATA, f"{shown(path)} is no SEG-Y of IEEE or IBM floats in traces of one length; give one that is whole")
