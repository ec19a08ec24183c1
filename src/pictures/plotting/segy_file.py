"""How a SEG-Y file of revision 0 to 2 is laid out, by the rules of src/base/segy/segy_input.cpp: a test holds both to
one set of files."""
import dataclasses
import os
import struct

import numpy as np

TEXT_HEADER, FILE_HEADER, TRACE_HEADER, SAMPLE = 3200, 3600, 240, 4
IBM, IEEE = 1, 5
FOOT = 0.3048  # m
IN_ORDER = 0x01020304  # order of bytes, big-endian
MOST_TEXT_HEADERS = 1000


class Refused(Exception):
    """A fault of a file, and what is to be done."""


@dataclasses.dataclass
class Layout:
    text: str  # text of the first header, in lines without their numbers
    format: int
    samples: int
    interval: int  # us; 0 where the file header does not say
    metres: float  # metres of a unit of length
    first: int  # byte of the first trace
    traces: int


def ends_text(header):
    """Whether it has ((SEG: EndText)), in any case, with blanks anywhere, in EBCDIC or ASCII."""
    return any("((seg:endtext))" in header.decode(code).replace(" ", "").lower() for code in ("cp037", "latin-1"))


def count_text_headers(file):
    """Extended text headers, where the file header leaves their count to the last one."""
    file.seek(FILE_HEADER)
    for count in range(1, MOST_TEXT_HEADERS + 1):
        header = file.read(TEXT_HEADER)
        if len(header) < TEXT_HEADER:
            break
        if ends_text(header):
            return count
    raise Refused("has extended text headers, none of which is the last, ((SEG: EndText))",
                  "say their number in bytes 3505-3506")


def number(head, first, kind):
    """The number at byte `first`, from 1, of struct's kind."""
    return struct.unpack_from(f">{kind}", head, first - 1)[0]


def revision_2(head, layout, ensemble):
    """Bytes of the trailers, None where the file does not say, its traces, 0 likewise, and those of an ensemble."""
    if (order := number(head, 3297, "I")) not in (0, IN_ORDER):
        raise Refused(f"has the byte order {order} in bytes 3297-3300", f"give a big-endian file ({IN_ORDER}, or 0)")
    if more := number(head, 3507, "I" if head[3501] == 0 else "H"):  # in revision 2.0, and from 2.1 on
        raise Refused(f"has {more} additional headers a trace", "give traces with one header")
    if (samples := number(head, 3269, "i")) > 0:
        layout.samples = samples
    if (first := number(head, 3521, "Q")) >= FILE_HEADER:
        layout.first = first
    declared, trailers, more = number(head, 3513, "Q"), number(head, 3529, "i"), number(head, 3261, "i")
    if trailers < 0 and declared == 0:
        raise Refused("has an unknown number of trailers after an unknown number of traces",
                      "say either in bytes 3529-3532 or 3513-3520")
    return TEXT_HEADER * trailers if trailers >= 0 else None, declared, more if more > 0 else ensemble


def count_traces(size, layout, trailers, declared, ensemble):
    trace = TRACE_HEADER + SAMPLE * layout.samples
    held = max(size - layout.first - (trailers or 0), 0) // trace
    count = held if trailers is not None else min(held, declared)
    whole = layout.first + count * trace + (trailers or 0)
    if count == 0 or (trailers is not None and whole != size):
        raise Refused(f"holds {size} bytes, {count} whole traces of {layout.samples} samples end at byte {whole}",
                      "the file is truncated or its header wrong: give one that is whole")
    if count < max(declared, ensemble):
        raise Refused(f"holds {count} traces, its header says {max(declared, ensemble)}",
                      "the file is truncated: give one that is whole")
    return count


def layout_of(path):
    """Raises Refused."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(FILE_HEADER)
        if len(head) < FILE_HEADER:
            raise Refused(f"holds {size} bytes, a SEG-Y header alone is {FILE_HEADER}", "give one that is whole")
        revision, system, extra = number(head, 3501, "B"), number(head, 3255, "h"), number(head, 3505, "h")
        sample_format, ensemble = number(head, 3225, "h"), number(head, 3213, "H")
        if sample_format not in (IBM, IEEE) or revision > 2 or extra < -1:
            raise Refused(f"has a SEG-Y header of revision {revision}, sample format {sample_format}, {extra} extended "
                          "headers", "give revision 0, 1 or 2 with format 1 (IBM) or 5 (IEEE)")
        if system not in (0, 1, 2):
            raise Refused(f"has the measurement system {system}", "correct bytes 3255-3256: 1 for metres, 2 for feet")
        text_headers = count_text_headers(file) if extra < 0 else extra
    lines = [head[i + 4:i + 80].decode("cp037").rstrip() for i in range(0, TEXT_HEADER, 80)]
    layout = Layout("\n".join(lines), sample_format, number(head, 3221, "H"), number(head, 3217, "H"),
                    FOOT if system == 2 else 1.0, FILE_HEADER + TEXT_HEADER * text_headers, 0)
    trailers, declared = 0, 0
    if revision == 2:
        trailers, declared, ensemble = revision_2(head, layout, ensemble)
    if layout.samples == 0:
        raise Refused("has 0 samples a trace in its SEG-Y header", "give one that is whole")
    layout.traces = count_traces(size, layout, trailers, declared, ensemble)
    return layout


def traces_of(path, layout):
    """The traces [trace], as header bytes and the samples' bits, on disk. Raises Refused."""
    kind = [("header", "u1", TRACE_HEADER), ("samples", ">u4", layout.samples)]
    traces = np.memmap(path, kind, "r", layout.first, (layout.traces,))
    samples = word(traces["header"], 115, 2).astype(np.uint16)
    other = np.flatnonzero((samples != 0) & (samples != layout.samples))
    if len(other):
        raise Refused(f"has {samples[other[0]]} samples in trace {other[0] + 1} and {layout.samples} in its file "
                      "header", "give traces of one length")
    return traces


def word(headers, first, size):
    """The integer at byte `first` (from 1) of each header [trace, byte]."""
    return headers[:, first - 1:first - 1 + size].copy().view(f">i{size}")[:, 0].astype(int)


def unit_of(headers, scalar_first):
    """Factor of a length, in the file's own unit: a scalar below 0 divides, 0 is 1."""
    scalar = word(headers, scalar_first, 2).astype(float)
    return np.where(scalar < 0, -1 / np.where(scalar < 0, scalar, -1), np.maximum(scalar, 1))


def scaled(headers, first, scalar_first, size=4):
    return word(headers, first, size) * unit_of(headers, scalar_first)


def values_of(bits, sample_format):
    """The samples of these bits."""
    bits = bits.astype(np.uint32)
    if sample_format == IEEE:
        return bits.view(np.float32)
    sign = np.where(bits >> 31, -1.0, 1.0)
    return sign * (bits & 0xffffff) * 16.0 ** ((bits >> 24 & 0x7f).astype(float) - 70)
