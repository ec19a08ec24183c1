#!/usr/bin/env python3
"""Gradients and linearised traces of one shot in minimod and the peers: differences in float64, seconds in float32.

    PYTHONPATH=build/python build/peers/venv/bin/python validation/peers/gradients.py
    PYTHONPATH=build/python build/peers/venv/bin/python validation/peers/gradients.py devito

The misfit is half the squared difference of a case's traces from those of a medium that is up to 2 % slower; the
gradient is by V of all nodes. The change of linearised traces is one of all nodes, too, up to 40 m/s.
The environment is the one that compare.py makes, with xarray and nanobind-backend added. On two kinds of float the
derivative by the traces is the same, so that differences are the gradients' alone."""
import importlib
import sys
import time
import warnings

import minimod
import numpy as np

import cases

PEERS = ("deepwave", "devito")


def shot_of(case):
    h = np.array(case.spacing)
    return minimod.Shot(case.source * h, case.receivers * h, minimod.Wavelet(case.wavelet, case.dt))


def options_of(case, precision):
    return {"dt": case.dt, "steps": case.steps, "pml_velocity": cases.FASTEST, "stencil_weights": "taylor",
            "time_dispersion": "as-is", "allow_dispersion": True, "precision": precision,
            "free_surface": case.free_surface}


def minimod_gradient(case, derivative, precision):
    result = minimod.gradient(minimod.Model(case.velocity, case.spacing), shot_of(case), None,
                              misfit=lambda _, gather: (0, derivative), **options_of(case, precision))
    return result["gradient"].values


def minimod_born(case, change, precision):
    return minimod.born(minimod.Model(case.velocity, case.spacing), change, shot_of(case),
                        **options_of(case, precision)).values


def change_of(case):
    """None on a free surface, where deepwave has no nodes."""
    z, y, x = np.mgrid[tuple(slice(n) for n in case.velocity.shape)]
    return (40 * np.sin(0.5 * x + y * z / 30) * (z > 0)).astype(np.float32)


def derivative_of(case):
    """[receiver, time]: modelled traces less those of the slower medium."""
    z = np.arange(case.velocity.shape[0])[:, None, None] / case.velocity.shape[0]
    both = [minimod.run(minimod.Model(v.astype(np.float32), case.spacing), shot_of(case),
                        **options_of(case, "double")).values
            for v in (case.velocity, case.velocity * (1 - 0.02 * z))]
    return both[0] - both[1]


def seconds_of(call):
    begin = time.perf_counter()
    result = call()
    return result, time.perf_counter() - begin


def compare(title, name, ours, theirs, part=()):
    """Prints relative L2 of `part` from theirs in float64; both are functions of a precision."""
    exact = theirs(np.float64)[part]

    def far(one):
        return np.linalg.norm(one[part] - exact) / np.linalg.norm(exact)
    double = far(ours("double"))
    single, seconds = seconds_of(lambda: ours("single"))
    other, their_seconds = seconds_of(lambda: theirs(np.float32))
    print(f"{title} relative L2 from {name} in float64: minimod {double:.1e}, in float32 {far(single):.1e} "
          f"({seconds:.1f} s), {name} in float32 {far(other):.1e} ({their_seconds:.1f} s)", flush=True)


def main():
    peers = sys.argv[1:] or PEERS
    if set(peers) - set(PEERS):
        sys.exit(f"gradients.py: error: no such peers: {' '.join(peers)}; there are {', '.join(PEERS)}")
    warnings.simplefilter("ignore")  # notes of minimod, and of deepwave on what it did earlier
    modules = [importlib.import_module(f"{name}_gradient") for name in peers]
    for case in cases.all_cases():
        derivative, change = derivative_of(case), change_of(case)
        inside = slice(1 if case.free_surface else 0, None)  # deepwave has no plane z = 0 there
        for name, peer in zip(peers, modules):
            compare(f"{case.name:8} gradient,", name, lambda precision: minimod_gradient(case, derivative, precision),
                    lambda precision: peer.gradient(case, derivative, precision), inside)
            if hasattr(peer, "born"):
                compare(f"{case.name:8} linearised,", name, lambda precision: minimod_born(case, change, precision),
                        lambda precision: peer.born(case, change, precision))


if __name__ == "__main__":
    main()
