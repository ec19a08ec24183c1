"""deepwave's derivative of a misfit by V of all nodes, and its linearised traces."""
import deepwave
import numpy as np
import torch


def first_plane(case):
    """deepwave's free surface lies one node outside its model (deepwave_traces.py)."""
    return 1 if case.free_surface else 0


def acquisition_of(case, dtype):
    lift = np.array([0, 0, first_plane(case)])
    return {"source_amplitudes": torch.tensor(-np.append(case.source_density, 0.0), dtype=dtype)[None, None, :],
            "source_locations": torch.tensor((case.source - lift)[None, None, ::-1].copy()),
            "receiver_locations": torch.tensor((case.receivers - lift)[None, :, ::-1].copy()),
            "accuracy": 8, "boundary": "free", "pml_width": 0, "pml_freq": case.frequency}


def gradient(case, derivative, precision):
    """[z, y, x] in `precision`, of the derivative by the traces [receiver, time]; 0 on a free surface."""
    first, dtype = first_plane(case), getattr(torch, np.dtype(precision).name)
    velocity = torch.tensor(case.velocity[first:], dtype=dtype, requires_grad=True)
    result = deepwave.scalar(velocity, list(case.spacing[::-1]), case.dt, **acquisition_of(case, dtype))
    result.receiver_amplitudes[0].backward(torch.tensor(derivative, dtype=dtype))
    return np.concatenate([np.zeros((first, *velocity.shape[1:])), velocity.grad.numpy()])


def born(case, change, precision):
    """[receiver, time] of a change [z, y, x] in m/s."""
    dtype = getattr(torch, np.dtype(precision).name)
    acquisition = acquisition_of(case, dtype)
    acquisition["sc_receiver_locations"] = acquisition.pop("receiver_locations")
    velocity, dv = (torch.tensor(one[first_plane(case):], dtype=dtype) for one in (case.velocity, change))
    result = deepwave.scalar_born(velocity, list(case.spacing[::-1]), case.dt, dv=dv, **acquisition)
    return result.sc_receiver_amplitudes[0].numpy()
