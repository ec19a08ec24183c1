#!/usr/bin/env python3
"""The gradient of one shot by deepwave and by minimod on a GPU: seconds of both passes, peak memory, differences.

    PYTHONPATH=build/python python3 validation/peers/gradient_memory.py
    PYTHONPATH=build/python python3 validation/peers/gradient_memory.py --nodes 320 512 --exact

Cubes of two halves, with a layer of 10 points beside them: minimod's CPML, deepwave's own. The misfit is half the sum
of the squared traces, which end before the layers are felt. deepwave keeps every eighth sample, minimod as few steps as
Nyquist allows; with --exact both keep all, too. Each measurement is a process of its own. Its second call is timed: the
first one compiles, or tries kernels, where a program does so. The peak is what the device has less of free memory than
before, seen every 2 ms; deepwave's is also told by torch, without what torch holds in reserve.
"""
import argparse
import concurrent.futures
import contextlib
import multiprocessing
import threading
import time
import warnings

import deepwave
import minimod
import numpy as np
import torch

import cases

DEVICE, SPACING, DT, FREQUENCY, LAYER, FASTEST = "cuda", 10.0, 1.2e-3, 12.0, 10, 2500


class Shot:
    """A source in the middle of a cube, and a line of receivers, whose traces have `samples` samples."""

    def __init__(self, nodes, samples):
        self.samples, middle = samples, nodes // 2
        self.velocity = np.full((nodes, nodes, nodes), 2000, np.float32)
        self.velocity[middle:] = FASTEST
        self.source = np.array([middle, middle, middle])  # x, y, z
        self.receivers = self.source + [(i - 50, 0, -20) for i in range(101)]
        self.signature = cases.ricker(FREQUENCY, 0.1, DT, samples)


def deepwave_gradient(shot, every):
    """The gradient [z, y, x], and the seconds of both passes."""
    density = torch.tensor(-shot.signature / SPACING**3, dtype=torch.float32, device=DEVICE)
    begin = time.perf_counter()
    velocity = torch.tensor(shot.velocity, device=DEVICE, requires_grad=True)
    traces = deepwave.scalar(
        velocity, SPACING, DT, source_amplitudes=density[None, None],
        source_locations=torch.tensor(shot.source[None, None, ::-1].copy(), device=DEVICE),
        receiver_locations=torch.tensor(shot.receivers[None, :, ::-1].copy(), device=DEVICE), accuracy=8,
        pml_width=LAYER, pml_freq=FREQUENCY, model_gradient_sampling_interval=every).receiver_amplitudes
    misfit = 0.5 * float((traces.detach() ** 2).sum())  # waits for the traces
    modelled = time.perf_counter()
    traces.backward(traces.detach())
    gradient = velocity.grad.cpu().numpy()
    return gradient, misfit, (modelled - begin, time.perf_counter() - modelled)


def minimod_gradient(shot, every):
    """The same."""
    modelled = 0.0

    def squares(_, gather):
        nonlocal modelled
        modelled = time.perf_counter()
        return 0.5 * float((gather.values.astype(float) ** 2).sum()), gather.values

    ours = minimod.Shot(shot.source * SPACING, shot.receivers * SPACING, minimod.Wavelet(shot.signature, DT))
    begin = time.perf_counter()
    result = minimod.gradient(minimod.Model(shot.velocity, SPACING), ours, None, misfit=squares, correlate_every=every,
                              dt=DT, steps=shot.samples - 1, boundary="cpml", pml_width=LAYER, pml_velocity=FASTEST,
                              stencil_weights="taylor", time_dispersion="as-is", device=DEVICE)
    return result["gradient"].values, float(result["misfit"][0]), (modelled - begin, time.perf_counter() - modelled)


@contextlib.contextmanager
def peak_memory():
    """A list that has the most bytes which the device held beside those of before, at the end."""
    ends, peak, before = threading.Event(), [0], torch.cuda.mem_get_info()[0]

    def look():
        while not ends.wait(2e-3):
            peak[0] = max(peak[0], before - torch.cuda.mem_get_info()[0])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        ends.set()
        thread.join()


def measure(gradient, nodes, samples, every):
    """The gradient, the misfit, and a line of figures."""
    warnings.simplefilter("ignore")  # notes of minimod, and of deepwave on what it did earlier
    shot = Shot(nodes, samples)
    torch.cuda.reset_peak_memory_stats()
    with peak_memory() as peak:
        gradient(shot, every)
        values, misfit, (forward, backward) = gradient(shot, every)
    own = torch.cuda.max_memory_allocated()
    of_torch = f" (by torch {own / 1e9:.2f} GB)" if own else ""
    return values, misfit, f"forward {forward:.3f} s, backward {backward:.3f} s, peak {peak[0] / 1e9:.2f} GB{of_torch}"


def apart(*arguments):
    """The result of `measure` in a process of its own; nothing where memory does not suffice."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(measure, *arguments).result()
        except (torch.OutOfMemoryError, minimod.Error) as error:
            print(f"  {str(error).splitlines()[0]}")


def compare(nodes, samples, their_every, our_every):
    found = []
    for name, gradient, every in (("deepwave", deepwave_gradient, their_every),
                                  ("minimod", minimod_gradient, our_every)):
        result = apart(gradient, nodes, samples, every)
        if result:
            print(f"  {name}, every {every}: {result[2]}, misfit {result[1]:.6e}", flush=True)
            found.append(result[0])
    if len(found) == 2:
        theirs, ours = found
        far = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
        print(f"  relative L2 of the gradients {far:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="gradients of deepwave and minimod on a GPU: seconds and memory")
    parser.add_argument("--nodes", type=int, nargs="+", default=[320], help="nodes along an edge of each cube (320)")
    parser.add_argument("--samples", type=int, default=400, help="samples of 1.2 ms, a multiple of eight (400)")
    parser.add_argument("--exact", action="store_true", help="also with all samples")
    given = parser.parse_args()
    if given.samples % 8:
        parser.error(f"--samples is {given.samples}; give a multiple of eight, as deepwave takes every eighth")
    for nodes in given.nodes:
        print(f"{nodes}³ nodes, {given.samples} samples", flush=True)
        for their_every, our_every in [(1, 1)] * given.exact + [(8, "nyquist")]:
            compare(nodes, given.samples, their_every, our_every)


if __name__ == "__main__":
    main()
