"""A gather from a SEG-Y file, revision 0 or 1: those that minimod writes, and others of fixed length."""
import os
import re

import numpy as np

from plotting.errors import DATA, MISSING, PERMISSION, fail, shown
from plotting.files import MOST_TRACES, Gather

FILE_HEADER, TRACE_HEADER = 3600, 240
IBM, IEEE = 1, 5


def is_name(path):
    return path.lower().endswith((".sgy", ".segy"))


def word(headers, first, size):
    """The integer at byte `first` (from 1) of each header [trace, byte]."""
    return headers[:, first - 1:first - 1 + size].copy().view(f">i{size}")[:, 0].astype(int)


def scaled(headers, first, scalar_first):
    """A length in m: a scalar below 0 divides, 0 is 1."""
    scalar = word(headers, scalar_first, 2).astype(float)
    factor = np.where(scalar < 0, -1 / np.where(scalar < 0, scalar, -1), np.maximum(scalar, 1))
    return word(headers, first, 4) * factor


def ibm_values(bits):
    sign = np.where(bits >> 31, -1.0, 1.0)
    return sign * (bits & 0xffffff) * 16.0 ** ((bits >> 24 & 0x7f).astype(float) - 70)


def said(text, pattern):
    """What the text header of a file of minimod says, without the numbers of its lines."""
    found = re.search(pattern, text)
    return found[1].strip() if found else ""


def gather_in(path, choose):
    with open(path, "rb") as file:
        head = file.read(FILE_HEADER)
    lines = [head[i + 4:i + 80].decode("cp037") for i in range(0, 3200, 80)]
    text = "\n".join(lines)
    interval, _, samples, _, sample_format = np.frombuffer(head, ">u2", 5, 3216)
    whole, rest = divmod(os.path.getsize(path) - FILE_HEADER, TRACE_HEADER + 4 * int(samples))
    if sample_format not in (IBM, IEEE) or samples == 0 or interval == 0 or whole == 0 or rest:
        raise ValueError("header")
    traces = np.memmap(path, [("header", "u1", TRACE_HEADER), ("samples", ">u4", int(samples))], "r", FILE_HEADER)
    record = word(traces["header"], 9, 4)
    shot = np.flatnonzero(record == record[0])
    if len(shot) < whole:
        print(f"the first of {len(np.unique(record))} shots is drawn")
    headers = traces["header"][shot]
    receivers = np.stack([scaled(headers, 81, 71), scaled(headers, 85, 71), -scaled(headers, 41, 69)], 1)
    source = np.array([scaled(headers, 73, 71)[0], scaled(headers, 77, 71)[0], scaled(headers, 49, 69)[0]])
    numbers = choose(receivers)
    numbers = numbers[::-(-len(numbers) // MOST_TRACES)]
    bits = traces["samples"][shot[numbers]].astype(np.uint32)
    return Gather(traces=bits.view(np.float32) if sample_format == IEEE else ibm_values(bits),
                  time=word(headers, 109, 2)[0] * 1e-3 + np.arange(int(samples)) * (int(interval) * 1e-6),
                  receivers=receivers[numbers], requested=receivers[numbers], numbers=numbers, source=source,
                  units=said(text, "unit of u: (.*)") or "1", model=said(text, "model: (.*)"),
                  kernel=said(text, r"kernels (\S*)"))


def read_gather(path, choose=lambda receivers: np.arange(len(receivers))):
    """As files.read_gather; of several shots the first. Errors: 65 damaged or another file, 66 missing, 77."""
    if not os.path.isfile(path):
        fail(MISSING, f"{shown(path)} is no file; give the SEG-Y of a run")
    if not os.access(path, os.R_OK):
        fail(PERMISSION, f"{shown(path)} cannot be read; make it readable")
    try:
        return gather_in(path, choose)
    except (OSError, ValueError, IndexError):
        fail(DATA, f"{shown(path)} is no SEG-Y of IEEE or IBM floats in traces of one length; give one that is whole")
