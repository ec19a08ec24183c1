"""deepwave's traces of a case: deepwave_traces.py CASE.npz float32|float64 TRACES.npy

deepwave solves laplacian(u) - u_tt / V^2 = f: a step adds -(V dt)^2 f, and f is minus our source per volume of a
cell. All faces are its own free surfaces, whose u = 0 lies one node outside the model that it is given. The upper one
is minimod's where the case has it, so that the plane z = 0 is left out there; the others are not felt.
"""
import sys

import deepwave
import numpy as np
import torch

import cases


def traces(case, precision):
    """[receiver, time] in `precision`."""
    dtype = getattr(torch, precision)
    amplitudes = torch.tensor(-np.append(case.source_density, 0.0), dtype=dtype)
    first = 1 if case.free_surface else 0  # plane of the case that is deepwave's plane 0
    lift = np.array([0, 0, first])
    result = deepwave.scalar(
        torch.tensor(case.velocity[first:], dtype=dtype), list(case.spacing[::-1]), case.dt,
        source_amplitudes=amplitudes[None, None, :],
        source_locations=torch.tensor((case.source - lift)[None, None, ::-1].copy()),
        receiver_locations=torch.tensor((case.receivers - lift)[None, :, ::-1].copy()),
        accuracy=8, boundary="free", pml_width=0, pml_freq=case.frequency)
    if result.info.step_ratio != 1:
        raise ValueError(f"deepwave divides the time step by {result.info.step_ratio}")
    return result.receiver_amplitudes[0].numpy()


if __name__ == "__main__":
    np.save(sys.argv[3], traces(cases.load(sys.argv[1]), sys.argv[2]))
