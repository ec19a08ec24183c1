#!/usr/bin/env python3
"""One shot by calls of Python in minimod and deepwave on a GPU: seconds of the calls, differences, memory of deepwave.

    PYTHONPATH=build/python python3 validation/peers/gpu_calls.py

Cubes of two halves, with a layer of 20 points beside them: minimod's CPML, deepwave's own. The traces end before the
layers are felt. The model is an array of the host for both. A call is timed three times: the first one compiles, or
tries kernels, where a program does so.
"""
import warnings

import deepwave
import minimod
import numpy as np
import torch

from calls import timed

SPACING, DT, FREQUENCY, LAYER = 10.0, 1e-3, 10.0, 20


def signature(steps):
    a = (np.pi * FREQUENCY * (DT * np.arange(steps) - 0.1)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def minimod_gather(v, steps):
    middle = v.shape[0] // 2
    receivers = [((middle - 50 + i) * SPACING, middle * SPACING, middle * SPACING) for i in range(101)]
    shot = minimod.Shot((middle * SPACING,) * 3, receivers, minimod.Wavelet(signature(steps), DT))
    return minimod.run(minimod.Model(v, SPACING), shot, dt=DT, steps=steps, boundary="cpml", pml_width=LAYER,
                       stencil_weights="taylor", time_dispersion="as-is", allow_dispersion=True, device="cuda")


def deepwave_gather(v, steps):
    middle = v.shape[0] // 2
    amplitudes = torch.tensor(-signature(steps) / SPACING**3, dtype=torch.float32).cuda()
    result = deepwave.scalar(
        torch.from_numpy(v).cuda(), SPACING, DT, source_amplitudes=amplitudes[None, None],
        source_locations=torch.tensor([[[middle] * 3]]).cuda(),
        receiver_locations=torch.tensor([[[middle, middle, middle - 50 + i] for i in range(101)]]).cuda(),
        accuracy=8, pml_width=LAYER, pml_freq=FREQUENCY)
    return result.receiver_amplitudes[0].cpu().numpy()


def timed_gather(call):
    """The gather, and the seconds of three calls as a text."""
    gather, seconds = timed(call, 3)
    return gather, ", ".join(f"{value:.3f}" for value in seconds)


def main():
    warnings.simplefilter("ignore")
    for nodes, steps in ((300, 400), (512, 300)):
        v = np.full((nodes, nodes, nodes), 2000, np.float32)
        v[nodes // 2:] = 3000
        theirs, seconds = timed_gather(lambda: deepwave_gather(v, steps))
        print(f"{nodes}³, {steps} steps: deepwave {seconds} s, {torch.cuda.max_memory_allocated() / 1e6:.0f} MB")
        ours, seconds = timed_gather(lambda: minimod_gather(v, steps))
        result = minimod.facts(ours)["result"]
        print(f"  minimod {seconds} s, of which kernels {result['seconds']:.3f} s, {result['gpt_per_s']:.0f} Gpt/s")
        samples = min(theirs.shape[1], ours.shape[1])
        far = np.linalg.norm(theirs[:, :samples] - ours.values[:, :samples]) / np.linalg.norm(ours.values[:, :samples])
        print(f"  relative L2 {far:.1e}")


if __name__ == "__main__":
    main()
