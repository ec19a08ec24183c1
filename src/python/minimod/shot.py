"""Sources, receivers and wavelets of shots."""
import os
from typing import Any

import numpy as np

from minimod import _core
from minimod.arrays import numbers, positions
from minimod.errors import Error


class Wavelet:
    """A signature by its samples, through which a spline goes.

    samples: s(first_time + i dt); dt: s; first_time: s. It is 0 before the first and after the last.
    """

    def __init__(self, samples: Any, dt: float, first_time: float = 0.0) -> None:
        self.samples = numbers(samples, "samples", np.float64, (-1,))
        self.dt = as_number(dt, "dt")
        self.first_time = as_number(first_time, "first_time")

    def __repr__(self):
        return f"minimod.Wavelet({len(self.samples)} samples, dt={self.dt}, first_time={self.first_time})"


def as_number(value, name):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Error(f"{name} is {value!r}; give a number", parameter=name) from None


def form(name, frequencies, **arguments):
    """Words of the command line for a wavelet."""
    f = "/".join(repr(as_number(f, "f")) for f in frequencies)
    rest = "".join(f",{key}={as_number(value, key)!r}" for key, value in arguments.items() if value is not None)
    return f"{name}:f={f}{rest}"


def ricker(f: float, t0: float | None = None) -> str:
    """The Ricker wavelet of peak frequency f (Hz) around t0 (s; 1.5 / f)."""
    return form("ricker", [f], t0=t0)


def gaussian(f: float, t0: float | None = None) -> str:
    """A Gaussian whose amplitude spectrum has fallen to 1/e at f (Hz), around t0 (s; 1.5 / f)."""
    return form("gaussian", [f], t0=t0)


def ormsby(f1: float, f2: float, f3: float, f4: float, t0: float | None = None,
           window: float | None = None) -> str:
    """Zero phase, its amplitude spectrum a trapezoid of these corners (Hz); window s to either side of t0 (s)."""
    return form("ormsby", [f1, f2, f3, f4], t0=t0, window=window)


def klauder(f1: float, f2: float, T: float, t0: float | None = None, window: float | None = None) -> str:
    """The autocorrelation of a linear sweep from f1 to f2 (Hz) of T s, within window s to either side of t0 (s)."""
    return form("klauder", [f1, f2], T=T, t0=t0, window=window)


class Shot:
    """Sources that start together, and the receivers that hear them.

    source: (x, y, z) in m, or [n, 3] of several.
    receivers: [m, 3] in m, or words or a file of the command line ("line:0,500,10:1000,500,10:51"); None: a line
        along x through the whole model.
    wavelet: words as `ricker(12)` gives them, a file's name, a Wavelet, or a list of such, one a source.
    amplitude: a number times the wavelet, or one a source.
    number: tells shots of a survey apart, and stands in files.
    """

    def __init__(self, source: Any, receivers: Any = None, wavelet: Any = "ricker:f=10", amplitude: Any = 1.0,
                 number: int = 1) -> None:
        self.source = positions(source, "source")
        self.receivers = receivers if receivers is None or isinstance(receivers, str) \
            else os.fspath(receivers) if isinstance(receivers, os.PathLike) else positions(receivers, "receivers")
        self.wavelets = a_source(wavelet, len(self.source), "wavelet")
        for one in self.wavelets:
            if not isinstance(one, (str, os.PathLike, Wavelet)):
                raise Error(f"wavelet is a {type(one).__name__}; give words such as minimod.ricker(12), a file's name "
                            "or a minimod.Wavelet", parameter="wavelet")
        self.amplitudes = [as_number(a, "amplitude") for a in a_source(amplitude, len(self.source), "amplitude")]
        if not all(np.isfinite(self.amplitudes)) or 0 in self.amplitudes:
            raise Error(f"amplitude is {amplitude!r}; give numbers other than 0", parameter="amplitude")
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < 2**31:
            raise Error(f"number is {number!r}; give an integer from 0 to {2**31 - 1}", parameter="number")
        self.number = int(number)

    def __repr__(self):
        count = "usual" if self.receivers is None else repr(self.receivers) if isinstance(self.receivers, str) \
            else len(self.receivers)
        return f"minimod.Shot(number {self.number}, {len(self.source)} source(s), receivers: {count})"

    def given(self, names):
        """As the core has it. `names` (NamesOfWavelets) learns of wavelets that are arrays."""
        return _core.Shot(self.number, self.source, [names.of(w) for w in self.wavelets], self.amplitudes,
                          self.receivers)


def a_source(value, count, name):
    """A list of one a source."""
    if isinstance(value, (str, os.PathLike, Wavelet)) or np.ndim(value) == 0:
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise Error(f"{name} has {len(values)} entries, there are {count} sources; give one or one each",
                    parameter=name)
    return values


class NamesOfWavelets:
    """Names of those that are arrays: the core knows wavelets by words."""

    def __init__(self):
        self.wavelets = {}

    def of(self, wavelet):
        if isinstance(wavelet, Wavelet):
            for name, known in self.wavelets.items():
                if known is wavelet:
                    return name
            name = f"array {len(self.wavelets) + 1}"
            self.wavelets[name] = wavelet
            return name
        return os.fspath(wavelet)

    def given(self):
        return {name: (w.samples, w.dt, w.first_time) for name, w in self.wavelets.items()}
