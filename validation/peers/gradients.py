#!/usr/bin/env python3
"""Gradients and linearised traces of one shot in minimod and deepwave: differences in float64, seconds in float32.

    PYTHONPATH=build/python build/peers/venv/bin/python validation/peers/gradients.py

The misfit is half the squared difference of a case's traces from those of a medium that is up to 2 % slower; the
gradient is by V of all nodes. The change of linearised traces is one of all nodes, too, up to 40 m/s.
The environment is the one that compare.py makes, with xarray and nanobind-backend added. On two kinds of float the
derivative by the traces is the same, so that differences are the gradients' alone."""
import time
import warnings

import deepwave
import minimod
import numpy as np
import torch

import cases


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


def first_plane(case):
    """deepwave's free surface lies one node outside its model (deepwave_traces.py)."""
    return 1 if case.free_surface else 0


def acquisition_of(case, dtype):
    lift = np.array([0, 0, first_plane(case)])
    return {"source_amplitudes": torch.tensor(-np.append(case.source_density, 0.0), dtype=dtype)[None, None, :],
            "source_locations": torch.tensor((case.source - lift)[None, None, ::-1].copy()),
            "receiver_locations": torch.tensor((case.receivers - lift)[None, :, ::-1].copy()),
            "accuracy": 8, "boundary": "free", "pml_width": 0, "pml_freq": case.frequency}


def deepwave_gradient(case, derivative, dtype):
    first = first_plane(case)
    velocity = torch.tensor(case.velocity[first:], dtype=dtype, requires_grad=True)
    result = deepwave.scalar(velocity, list(case.spacing[::-1]), case.dt, **acquisition_of(case, dtype))
    result.receiver_amplitudes[0].backward(torch.tensor(derivative, dtype=dtype))
    return np.concatenate([np.zeros((first, *velocity.shape[1:])), velocity.grad.numpy()])


def deepwave_born(case, change, dtype):
    acquisition = acquisition_of(case, dtype)
    acquisition["sc_receiver_locations"] = acquisition.pop("receiver_locations")
    velocity, dv = (torch.tensor(one[first_plane(case):], dtype=dtype) for one in (case.velocity, change))
    result = deepwave.scalar_born(velocity, list(case.spacing[::-1]), case.dt, dv=dv, **acquisition)
    return result.sc_receiver_amplitudes[0].numpy()


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


def main():
    warnings.simplefilter("ignore")  # notes of minimod, and of deepwave on what it did earlier
    for case in cases.all_cases():
        derivative = derivative_of(case)
        exact = deepwave_gradient(case, derivative, torch.float64)
        inside = slice(1, None) if case.free_surface else slice(None)  # deepwave has no plane z = 0 there

        def far(one):
            return np.linalg.norm((one - exact)[inside]) / np.linalg.norm(exact[inside])
        double = far(minimod_gradient(case, derivative, "double"))
        ours, seconds = seconds_of(lambda: minimod_gradient(case, derivative, "single"))
        theirs, their_seconds = seconds_of(lambda: deepwave_gradient(case, derivative, torch.float32))
        print(f"{case.name:8} relative L2 from deepwave in float64: minimod {double:.1e}, in float32 {far(ours):.1e} "
              f"({seconds:.1f} s), deepwave in float32 {far(theirs):.1e} ({their_seconds:.1f} s)", flush=True)
        compare_born(case)


def compare_born(case):
    change = change_of(case)
    exact = deepwave_born(case, change, torch.float64)

    def far(one):
        return np.linalg.norm(one - exact) / np.linalg.norm(exact)
    double = far(minimod_born(case, change, "double"))
    ours, seconds = seconds_of(lambda: minimod_born(case, change, "single"))
    theirs, their_seconds = seconds_of(lambda: deepwave_born(case, change, torch.float32))
    print(f"{case.name:8} linearised: minimod {double:.1e}, in float32 {far(ours):.1e} ({seconds:.1f} s), "
          f"deepwave in float32 {far(theirs):.1e} ({their_seconds:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
