#!/usr/bin/env python3
"""One shot by calls of Python in minimod, Devito and deepwave: seconds and differences.

    PYTHONPATH=build/python build/peers/venv/bin/python validation/peers/python_calls.py

All in float32, on the CPU, in the medium of the case `cube`. The environment is the one that compare.py makes, with
xarray and nanobind-backend added. A call is timed twice: the first one compiles where a program does so.
"""
import warnings

import minimod
import numpy as np

import cases
import deepwave_traces
import devito_traces
import measure
from calls import timed


def minimod_traces(case):
    """[receiver, time] of minimod, with the time steps' error that the others have."""
    h = np.array(case.spacing)
    shot = minimod.Shot(case.source * h, case.receivers * h, minimod.Wavelet(case.wavelet, case.dt))
    gather = minimod.run(minimod.Model(case.velocity, case.spacing), shot, dt=case.dt, steps=case.steps,
                         stencil_weights="taylor", time_dispersion="as-is", allow_dispersion=True)
    return gather.values


def timed_traces(call):
    """Traces, and the seconds of two calls."""
    traces, seconds = timed(call, 2)
    return np.asarray(traces, dtype=np.float64), seconds


def main():
    warnings.simplefilter("ignore", minimod.Note)
    case = next(case for case in cases.all_cases() if case.name == "cube")
    found = {"minimod": timed_traces(lambda: minimod_traces(case)),
             "Devito": timed_traces(lambda: devito_traces.traces(case, np.float32)),
             "deepwave": timed_traces(lambda: deepwave_traces.traces(case, "float32"))}
    exact = devito_traces.traces(case, np.float64).astype(np.float64)
    for name, (traces, (first, second)) in found.items():
        far = measure.differences(traces, exact)["overall"]
        print(f"{name:9} first call {first:6.2f} s, second {second:6.2f} s, relative L2 from Devito in float64 {far:.1e}")


if __name__ == "__main__":
    main()
