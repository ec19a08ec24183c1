"""Derivatives of misfits by the model."""
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod import _core
from minimod.arrays import numbers
from minimod.errors import Error
from minimod.gather import as_gather, loaded_xarray
from minimod.model import Model, as_model
from minimod.options import documented
from minimod.runs import bar, numbered
from minimod.session import open_session
from minimod.shot import Shot, Wavelet
from minimod.workers import devices_of, shared

if TYPE_CHECKING:
    import xarray

UNKNOWN_UNIT = "source unit / m"  # traces have it whose wavelet has none


@documented
def gradient(model: Model | str | os.PathLike, shots: Shot | Iterable[Shot], observed: Any, *,
             misfit: str | Callable = "l2", window: tuple[float, ...] | None = None, trace_weights: Any = None,
             by: str = "v", by_sources: bool = False, correlate_every: int | str = 1, memory: float | None = None,
             history: str = "auto", states_on: str | os.PathLike | None = None, device: str = "auto", workers: int = 1,
             progress: bool = False, **options: Any) -> "xarray.Dataset":
    """Derives the misfit of shots by the velocities of the model's nodes, exactly for the steps as they are computed.

    model: a Model, a file's name or words such as "constant:2000".
    shots: a Shot, or Shots with different numbers; those that all have the number 1 are numbered 1, 2, ... themselves.
    observed: the observed traces [receiver, time] of a shot as `run` returns them or any array, of several shots a list
        in the order of the shots or a mapping from their numbers; None where misfit is a function.
    misfit: "l2", half the sum of the squared differences; "normalized", of traces over their norms; or a function of a
        shot and its modelled gather (xarray.DataArray) that returns the misfit and its derivative by the traces
        [receiver, time], called here for one shot at a time.
    window: times (s) that count, (first, last) or (first, last, taper).
    trace_weights: factors of the traces' residuals, one a receiver of each shot.
    by: "v", V in m/s, or "slowness2", 1/V^2 in s2/m2.
    by_sources: derive by amplitudes and wavelets, too.
    correlate_every: steps of which one is correlated for all; "nyquist": as many as the wavelet's f_max allows. 1: the
        gradient is exact.
    memory: GiB for what is kept of a shot's steps at most; with less, steps are computed again.
    history: "auto", or what takes less memory and is exact but for rounding: "boundary", whose steps are taken back, or
        "boundary16", in 16 bits.
    states_on: a folder, in whose files states of a shot's steps are where that saves steps, not in the host's memory.
    device, workers: as `survey` has them: processes that share the shots, whose bits are those of one.
    progress: show the steps of the shots by tqdm, where that is installed, in one process.

    Returns an xarray.Dataset: gradient, source_illumination and receiver_illumination [z, y, x], sums over the shots in
    the precision of the run, and misfit [shot]; by sources by_amplitude [shot, source] and by_wavelet [wavelet,
    sample], of each minimod.Wavelet in the order of the shots; NaN behind the last source or sample. Give dt and
    pml_velocity with a model of another V_max: these count as constants, as does the frequency of a cpml.

    Raises Error with the command's words.
    """
    loaded_xarray()  # before the steps
    every = steps_of(correlate_every)
    shots = numbered([shots] if isinstance(shots, Shot) else list(shots))
    wanted = None if callable(misfit) else of_shots(observed, shots)
    one_misfit = threading.Lock()

    def misfit_of(i, gather):
        if wanted is None:
            return misfit(shots[i], gather)
        return _core.misfit(*compared(gather, wanted[i], shots[i]), misfit, *weighted(gather, window, trace_weights))

    def of_shot(session, i, at_once, show):
        gather = as_gather(session.model(i, memory, history, folder_of(states_on), every, at_once, by, "", show))
        with one_misfit:
            value, derivative = misfit_of(i, gather)
        fields = session.derive(as_derivative(derivative, gather), by_sources)
        return session.facts, float(value), fields, source_derivatives(session, shots[i], fields) if by_sources else None

    facts, sums, misfits, of_sources = None, None, [], SourceSums()
    for facts, value, fields, derivatives in over_shots(
            "gradient", as_model(model), shots, options, devices_of(device, workers), progress, of_shot):
        misfits.append(value)
        sums = added(sums, fields)
        if by_sources:
            of_sources.add(*derivatives)
    return at_nodes(facts, shots, rounded(sums, fields), misfits, of_sources.variables() if by_sources else {})


def as_derivative(values, gather):
    """The derivative that a misfit returned, by the traces of a gather."""
    derivative = np.ascontiguousarray(values, dtype=np.float64)
    if derivative.shape != gather.shape:
        raise Error(f"misfit returned a derivative of shape {derivative.shape} for traces of {gather.shape}",
                    parameter="misfit")
    if not np.isfinite(derivative).all():
        raise Error("misfit returned a derivative that is not finite; give numbers", parameter="misfit")
    return derivative


def over_shots(call, model, shots, options, processes, progress, of_shot):
    """Yields of_shot(session, i, shots at once, show) of the shots in their order, here or by processes that have the
    session (devices_of)."""
    devices, threads = processes
    if len(devices) > 1:
        at_once = min(len(devices), len(shots))
        yield from shared(devices, threads, (call, model, shots, options, None, True), len(shots),
                          lambda worker, i: of_shot(worker, i, at_once, None))
        return
    session = open_session(call, model, shots, options | {"device": devices[0]}, for_gradients=True)
    for i, shot in enumerate(shots):
        show, close = bar(session.facts["steps"], progress, f"shot {shot.number}")
        try:
            result = of_shot(session, i, 1, show)
        finally:
            close()
        yield result


def added(sums, fields):
    """Sums over shots, in double."""
    return fields if sums is None else {name: np.add(sums[name], fields[name], dtype=np.float64) for name in sums}


def rounded(sums, fields):
    """Sums in the precision of a shot's fields."""
    return {name: values.astype(fields[name].dtype, copy=False) for name, values in sums.items()}


def at_nodes(facts, shots, sums, misfits, more):
    """Sums over shots as an xarray.Dataset, with each shot's misfit."""
    shape = sums["source_illumination"].shape
    axes = ("z", "y", "x") if len(shape) == 3 else ("z", "x")
    spacing = dict(zip("xyz", facts["spacing"]))
    coordinates = {axis: (axis, spacing[axis] * np.arange(n), {"units": "m"}) for axis, n in zip(axes, shape)}
    coordinates["shot"] = [shot.number for shot in shots]
    variables = {name: (axes, values) for name, values in sums.items()} | more
    return loaded_xarray().Dataset(variables | {"misfit": ("shot", np.array(misfits))}, coordinates,
                                   {key: facts[key] for key in ("kernel", "device", "dt", "steps")})


def steps_of(correlate_every):
    """Steps that one drive stands for, 0 by Nyquist."""
    every = 0 if correlate_every == "nyquist" else correlate_every
    if isinstance(every, bool) or not isinstance(every, int) or every < 0 or (every == 0 and correlate_every == 0):
        raise Error(f"correlate_every is {correlate_every!r}; give a number of steps from 1 on, or 'nyquist'",
                    parameter="correlate_every")
    return every


def folder_of(states_on):
    """The folder of the states, "" where there is none."""
    return "" if states_on is None else os.fspath(states_on)


def source_derivatives(session, shot, fields):
    """Takes from the fields of a shot the derivatives by its amplitudes, and pairs of its wavelets of samples and the
    derivatives by these."""
    by_fed, by_amplitude = fields.pop("by_fed"), fields.pop("by_amplitude")
    return by_amplitude, [
        (wavelet, session.by_samples(amplitude * own, len(wavelet.samples), wavelet.dt, wavelet.first_time))
        for wavelet, amplitude, own in zip(shot.wavelets, shot.amplitudes, by_fed) if isinstance(wavelet, Wavelet)]


class SourceSums:
    """Derivatives by the amplitudes of shots and, in sums over them, by their wavelets of samples."""

    def __init__(self):
        self.by_amplitude, self.wavelets, self.by_wavelet = [], [], []

    def add(self, by_amplitude, by_wavelets):
        self.by_amplitude.append(by_amplitude)
        for wavelet, derivative in by_wavelets:
            known = [i for i, one in enumerate(self.wavelets) if one is wavelet]
            if known:
                self.by_wavelet[known[0]] += derivative
            else:
                self.wavelets.append(wavelet)
                self.by_wavelet.append(derivative)

    def variables(self):
        variables = {"by_amplitude": (("shot", "source"), padded(self.by_amplitude))}
        if self.by_wavelet:
            variables["by_wavelet"] = (("wavelet", "sample"), padded(self.by_wavelet))
        return variables


def padded(rows):
    """Rows as an array, NaN behind the shorter ones."""
    array = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, values in zip(array, rows):
        row[:len(values)] = values
    return array


def of_shots(observed, shots):
    """Observed traces in the order of the shots."""
    if isinstance(observed, Mapping):
        missing = [shot.number for shot in shots if shot.number not in observed]
        if missing:
            raise Error(f"observed has no shot {missing[0]}; give all", parameter="observed")
        return [observed[shot.number] for shot in shots]
    if len(shots) == 1 and np.ndim(observed) == 2:
        return [observed]
    if not isinstance(observed, (list, tuple)) or len(observed) != len(shots):
        raise Error(f"observed is no list of {len(shots)} gathers; give one for each shot", parameter="observed")
    return observed


def compared(gather, observed, shot):
    """Modelled and observed traces of a shot, of the same receivers and times, and interval and begin of these."""
    told = getattr(observed, "attrs", {})
    if "source" in told and not (np.shape(told["source"]) == np.shape(gather.attrs["source"]) and
                                 np.allclose(told["source"], gather.attrs["source"], rtol=1e-6, atol=1e-6)):
        raise Error(f"observed of shot {shot.number} has its source at {told['source']}, the shot at "
                    f"{gather.attrs['source']}", parameter="observed")
    units = {told.get("units", UNKNOWN_UNIT), gather.attrs["units"]} - {UNKNOWN_UNIT}
    if len(units) > 1:
        raise Error(f"observed of shot {shot.number} is in '{told['units']}', its traces in '{gather.attrs['units']}'",
                    parameter="observed")
    if hasattr(observed, "coords"):
        for name in ("time", "x", "y", "z"):
            if name in observed.coords and not (
                    observed[name].shape == gather[name].shape and
                    np.allclose(observed[name], gather[name], rtol=1e-6, atol=1e-6)):
                raise Error(f"observed of shot {shot.number} has another {name} than its traces",
                            parameter="observed")
    observed = np.ascontiguousarray(observed, dtype=np.float64)
    if observed.shape != gather.shape:
        raise Error(f"observed of shot {shot.number} has the shape {observed.shape}, its traces {gather.shape}",
                    parameter="observed")
    if not np.isfinite(observed).all():
        raise Error(f"observed of shot {shot.number} has a value that is not finite; give numbers", parameter="observed")
    times = gather["time"].values
    return (np.ascontiguousarray(gather.values, dtype=np.float64), observed,
            (float(times[1] - times[0]), float(times[0])))


def weighted(gather, window, weights):
    """Window and weights of a gather's traces."""
    if window is not None:
        if len(window) not in (2, 3) or not window[0] < window[1] or (len(window) == 3 and window[2] < 0):
            raise Error(f"window is {window}; give (first, last) or (first, last, taper) in s", parameter="window")
        window = (*map(float, window), *([0.0] if len(window) == 2 else []))
    if weights is not None:
        weights = numbers(weights, "trace_weights", np.float64, (gather.shape[0],))
        if not np.isfinite(weights).all():
            raise Error("trace_weights has a value that is not finite; give numbers", parameter="trace_weights")
    return window, weights
