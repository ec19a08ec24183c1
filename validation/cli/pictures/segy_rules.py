"""The program and the plots read SEG-Y by one set of rules: of the same files both take the same samples, or say the
same of what is wrong.

    python segy_rules.py PROGRAM
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from forked_script import run_forked

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures" / "plot_gather.py"
sys.path.insert(0, str(SCRIPT.parent))
from plotting import segy  # noqa: E402

TRACES, SAMPLES, STEP = 24, 16, 10.0
IBM, IEEE, IN_ORDER, SWAPPED = 1, 5, 0x01020304, 0x04030201
VALUES = (1536 + 16 * np.arange(TRACES)[:, None] + np.arange(SAMPLES)).astype(np.float32)
END = "((SEG: EndText))"


def ibm_bits(values):
    """IBM floats of numbers from 256 to 4095, whose exponent is 3: all their bits have a place."""
    return 0x43000000 | (values.astype(float) * 2 ** 12).astype(np.uint32)


class File:
    """A file's headers, to be changed byte by byte as the standard counts them, and what is before and after the
    traces."""

    def __init__(self):
        self.head, self.traces = bytearray(3600), [bytearray(240) for _ in range(TRACES)]
        self.between = self.after = b""
        self.bits = VALUES.astype(">f4").tobytes()
        self.put(3217, 10_000, 2).put(3221, SAMPLES, 2).put(3225, IEEE, 2)
        for i in range(TRACES):
            for first, value, size in ((1, i + 1, 4), (9, 7, 4), (71, -10, 2), (81, 100 * i, 4), (115, SAMPLES, 2),
                                       (181, 100 * i, 4)):
                self.put_in_trace(i, first, value, size)

    def put(self, first, value, size):
        self.head[first - 1:first - 1 + size] = value.to_bytes(size, "big", signed=value < 0)
        return self

    def put_in_trace(self, trace, first, value, size):
        self.traces[trace][first - 1:first - 1 + size] = value.to_bytes(size, "big", signed=value < 0)
        return self

    def put_between(self, *headers):
        self.between = b"".join(text.ljust(3200, b"\x40") for text in headers)
        return self

    def put_after(self, trailers):
        self.after = b"".join(b"((SEG: data trailer))".ljust(3200) for _ in range(trailers))
        return self

    def bytes(self):
        whole = 4 * SAMPLES
        body = b"".join(bytes(head) + self.bits[whole * i:whole * (i + 1)] for i, head in enumerate(self.traces))
        return bytes(self.head) + self.between + body + self.after


def of_ibm():
    file = File().put(3225, IBM, 2)
    file.bits = ibm_bits(VALUES).astype(">u4").tobytes()
    return file


def revision_2(minor=0):
    return File().put(3501, 2, 1).put(3502, minor, 1).put(3297, IN_ORDER, 4)


def without_a_trace():
    file = File().put(3213, TRACES, 2)
    del file.traces[5]
    return file


def with_interval_of_traces():
    file = File().put(3217, 0, 2)
    for i in range(TRACES):
        file.put_in_trace(i, 117, 10_000, 2)
    return file


TAKEN = {
    "plain": File(),
    "IBM": of_ibm(),
    "feet": File().put(3255, 2, 2),
    "extended headers": File().put(3501, 1, 1).put(3505, 2, 2).put_between(b"x", b"y"),
    "extended up to an end in EBCDIC": File().put(3505, -1, 2).put_between(b"x", b"y", END.encode("cp037")),
    "extended up to an end in ASCII": File().put(3505, -1, 2).put_between(b"( SEG", b"a ((seg:ENDTEXT)) b"),
    "an interval of the traces": with_interval_of_traces(),
    "revision 2": revision_2(),
    "revision 2.1, trailers": revision_2(1).put(3509, 1, 2).put(3529, 2, 4).put_after(2),
    "revision 2, trailers of unknown number": revision_2().put(3513, TRACES, 8).put(3529, -1, 4).put_after(3),
    "revision 2, samples and first trace": revision_2().put(3221, 0, 2).put(3269, SAMPLES, 4).put(3521, 10_000, 8)
    .put_between(b"x", b"y"),
    "words of revision 2 in an older file": File().put(3297, SWAPPED, 4).put(3529, 9, 4).put(3269, 5, 4),
}
REFUSED = {
    "extended headers that do not end": File().put(3505, -1, 2).put_between(b"x"),
    "revision 3": File().put(3501, 3, 1),
    "integers": File().put(3225, 2, 2),
    "no samples": File().put(3221, 0, 2),
    "other samples": File().put(3221, SAMPLES + 1, 2),
    "samples of a trace": File().put_in_trace(6, 115, SAMPLES - 1, 2),
    "measurement system": File().put(3255, 3, 2),
    "extended headers": File().put(3505, 1, 2),
    "a trace less than an ensemble": without_a_trace(),
    "a trace less than the file": revision_2().put(3513, TRACES + 1, 8),
    "little-endian": revision_2().put(3297, SWAPPED, 4),
    "additional headers": revision_2().put(3507, 1, 4),
    "additional headers of 2.1": revision_2(1).put(3507, 2, 2),
    "trailers of unknown number": revision_2().put(3529, -1, 4).put_after(1),
    "trailers that are not counted": revision_2().put_after(1),
}


def section(program, *options):
    command = [program, "section", "--model", "f.sgy", "--velocity-unit", "m/s", "--wavelet", "ricker:f=5", "--source",
               "30,0,30", "--receivers", "line:0,0,10:30,0,10:2", "--pml-width", "4", "--extrude", "9", "-o", "s.h5",
               "--force", *options]
    return subprocess.run(command, capture_output=True, text=True)


def check_taken(program, name, file):
    pathlib.Path("f.sgy").write_bytes(file.bytes())
    done = section(program)
    assert done.returncode == 0, (name, done.stderr)
    with h5py.File("s.h5") as sections:
        model = sections["model_xz"][:]
    assert np.array_equal(model, VALUES.T), (name, model)
    index = segy.read_index("f.sgy")
    assert np.array_equal(index.read(np.arange(TRACES)), VALUES), name
    unit = 0.3048 if name == "feet" else 1
    assert np.allclose(index.positions.receivers[:, 0], STEP * unit * np.arange(TRACES), rtol=1e-12), name
    assert np.allclose(index.time, 0.01 * np.arange(SAMPLES)), name


def check_scalars():
    """A picture's time and depths are by the scalars of the delay and of elevations, as in the program."""
    file = File()
    for i in range(TRACES):
        for first, value, size in ((41, -700, 4), (45, 300, 4), (49, 1250, 4), (69, -100, 2), (109, -1234, 2),
                                   (215, -10, 2)):
            file.put_in_trace(i, first, value, size)
    pathlib.Path("f.sgy").write_bytes(file.bytes())
    index = segy.read_index("f.sgy")
    assert np.allclose(index.time, -0.1234 + 0.01 * np.arange(SAMPLES), atol=1e-12), index.time
    assert np.allclose(index.positions.receivers[:, 2], 7) and np.allclose(index.positions.sources[:, 2], 9.5)


def wrong(message):
    """Words about the file, without the remedy."""
    found = re.match(r"minimod: error: '?f\.sgy'? (.*?); ", message)
    assert found and message.count("\n") == 1, message
    return found[1]


def check_refused(program, name, content):
    pathlib.Path("f.sgy").write_bytes(content)
    done, drawn = section(program), run_forked(SCRIPT, ["f.sgy", "-o", "p.png", "--force"])
    assert done.returncode == drawn.returncode == 65, (name, done, drawn.stderr)
    assert wrong(done.stderr) == wrong(drawn.stderr), (name, done.stderr, drawn.stderr)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, file in TAKEN.items():
            check_taken(program, name, file)
        check_scalars()
        for name, file in REFUSED.items():
            check_refused(program, name, file.bytes())
        whole = TAKEN["plain"].bytes()
        for size in (0, 100, 3599, 3600, len(whole) - 1, len(whole) + 1):
            check_refused(program, f"{size} bytes", whole[:size].ljust(size, b"\0"))
        os.chdir("/")
    print(f"{len(TAKEN)} files are read alike, {len(REFUSED)} refused alike")


if __name__ == "__main__":
    main()
