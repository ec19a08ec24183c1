"""The traces of a SEG-Y file: those that minimod writes, and others (segy_file.py)."""
import os
import re

import numpy as np

from plotting.errors import DATA, MISSING, PERMISSION, fail, shown
from plotting.files import Index
from plotting.positions import FILE, MODEL, Positions, place_from
from plotting.segy_file import Refused, layout_of, scaled, traces_of, unit_of, values_of, word

TEXT_DIGIT = 0.01  # m: of the origin in the text header


def is_name(path):
    return path.lower().endswith((".sgy", ".segy"))


def said(text, pattern):
    """Words of the text header of a file of minimod, without the numbers of its lines."""
    found = re.search(pattern, text)
    return found[1].strip() if found else ""


def place_said(text):
    """Where a file of minimod says that its model lies, and what its positions are in: its map, or its own model."""
    frame = MODEL if said(text, "(coordinates: the model's)") else FILE
    number = r"([-+.\deE]+)"
    found = re.search(rf"is\n\({number}, {number}, {number}\) m, its x axis along \({number}, {number}\)", text)
    values = [float(word) for word in found.groups()] if found else None
    return (place_from(values[:3], values[3:]) if found else None), frame


def rounding_of(headers, metres, place):
    """Half the last digit of the coordinates that are written, and of the model's origin where that is known."""
    return unit_of(headers, 71).max() * metres / 2 + (TEXT_DIGIT / 2 if place is not None else 0)


def numbers_within(shots):
    """Number of each trace in its shot."""
    order = np.argsort(shots, kind="stable")
    _, first, count = np.unique(shots[order], return_index=True, return_counts=True)
    numbers = np.empty(len(shots), int)
    numbers[order] = np.arange(len(shots)) - np.repeat(first, count)
    return numbers


def positions_in(headers, layout):
    """In m. A source is sdepth under its surface, which is selev over the datum."""
    def length(first, scalar):
        return scaled(headers, first, scalar) * layout.metres

    receivers = np.stack([length(81, 71), length(85, 71), -length(41, 69)], 1)
    sources = np.stack([length(73, 71), length(77, 71), length(49, 69) - length(45, 69)], 1)
    shots = word(headers, 9, 4)
    place, frame = place_said(layout.text)
    return Positions(receivers=receivers, requested=receivers, sources=sources, beside=np.zeros(len(shots), int),
                     shots=shots, numbers=numbers_within(shots), place=place, frame=frame,
                     rounding=rounding_of(headers, layout.metres, place))


def time_of(headers, layout):
    """Times of the samples (s): the delay is in ms by the scalar of bytes 215-216."""
    interval = layout.interval or int(word(headers[:1], 117, 2)[0]) & 0xffff
    if interval == 0:
        raise Refused("does not say its sample interval", "correct bytes 3217-3218")
    return scaled(headers[:1], 109, 215, 2)[0] * 1e-3 + np.arange(layout.samples) * (interval * 1e-6)


def index_in(path):
    layout = layout_of(path)
    traces = traces_of(path, layout)
    text = layout.text
    return Index(path, time_of(traces["header"], layout), positions_in(traces["header"], layout),
                 units=said(text, "unit of u: (.*)") or "1", model=said(text, "model: (.*)"),
                 kernel=said(text, r"kernels (\S*)"),
                 read=lambda numbers: values_of(traces["samples"][numbers], layout.format))


def read_index(path):
    """As files.read_index. Errors: 65 damaged or another file, 66 missing, 77."""
    if not os.path.isfile(path):
        fail(MISSING, f"{shown(path)} is no file; give the SEG-Y of a run")
    if not os.access(path, os.R_OK):
        fail(PERMISSION, f"{shown(path)} cannot be read; make it readable")
    try:
        return index_in(path)
    except Refused as error:
        fail(DATA, f"{shown(path)} {'; '.join(error.args)}")
    except (OSError, ValueError, IndexError):
        fail(DATA, f"{shown(path)} is no SEG-Y of IEEE or IBM floats in traces of one length; give one that is whole")


def read_sections(path):
    """Error 65: SEG-Y has no sections."""
    fail(DATA, f"{shown(path)} is SEG-Y, which has no sections of the model; give the shot's HDF5, or --model and its "
               "options")
