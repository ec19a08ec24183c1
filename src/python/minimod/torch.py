"""Shots as functions that torch differentiates: `import minimod.torch`.

    import minimod.torch, torch
    v = torch.full((61, 81, 101), 2000.0, requires_grad=True)
    traces = minimod.torch.traces(v, shot, spacing=10, tmax=0.3, dt=1.2e-3, pml_velocity=3000)
    loss = ((traces - observed)**2).sum()
    loss.backward()
"""
from typing import Any

import numpy as np
import torch

from minimod.model import Model
from minimod.session import open_session
from minimod.shot import Shot, Wavelet


def traces(v: torch.Tensor, shot: Shot, spacing: Any, *, wavelet: torch.Tensor | None = None,
           amplitude: torch.Tensor | None = None, memory: float | None = None, **options: Any) -> torch.Tensor:
    """Traces [receiver, sample] of a shot, differentiable by V, the wavelet and the amplitudes.

    v: V in m/s, [z, y, x], of a section [z, x], which is rounded to float32; its gradient is of its dtype.
    shot: sources and receivers. Give dt and pml_velocity, which count as constants, as does a cpml's frequency.
    spacing: m between nodes, as minimod.Model has it.
    wavelet: samples in place of the shot's minimod.Wavelet's, whose dt and first_time they have.
    amplitude: one a source, in place of the shot's.
    memory: GiB for what is kept of the steps at most, until the traces' graph is gone; with less, steps are computed
        again.

    The traces are float32, or float64 with precision="double", on the device of v. Where each of several shots has its
    backward pass as it is modelled, memory is one shot's. Second derivatives there are none.

    Raises minimod.Error with the command's words.
    """
    given = shot.wavelets[0]
    if wavelet is not None and not (isinstance(given, Wavelet) and all(one is given for one in shot.wavelets)):
        raise TypeError("wavelet is given; give the shot one minimod.Wavelet for all sources, whose dt it has")
    samples = torch.empty(0) if wavelet is None else wavelet
    amplitudes = torch.tensor(shot.amplitudes, dtype=torch.float64) if amplitude is None else amplitude
    return Traces.apply(v, samples, amplitudes, shot, spacing, memory, options)


class Traces(torch.autograd.Function):
    """A shot, whose backward pass is the transpose of its steps."""

    @staticmethod
    def forward(ctx, v, samples, amplitudes, shot, spacing, memory, options):
        wavelets = shot.wavelets
        if len(samples):
            wavelets = [Wavelet(samples, wavelets[0].dt, wavelets[0].first_time)] * len(wavelets)
        own = Shot(shot.source, shot.receivers, wavelets, amplitudes.detach().cpu().tolist(), shot.number)
        ctx.shot, ctx.memory, ctx.is_modelled = own, memory, True
        ctx.like = [(one.dtype, one.device, one.shape) for one in (v, samples, amplitudes)]
        ctx.session = open_session("gradient", Model(v, spacing), [own], options, for_gradients=True)
        gather = ctx.session.model(0, memory, "auto", "", 1, 1, "v", "", None)
        return torch.from_numpy(np.array(gather["traces"])).to(v.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        by_v, by_samples, by_amplitude = ctx.needs_input_grad[:3]
        if not ctx.is_modelled:
            ctx.session.model(0, ctx.memory, "auto", "", 1, 1, "v", "", None)
        ctx.is_modelled = False
        derivative = np.ascontiguousarray(grad.detach().cpu().numpy(), dtype=np.float64)
        all_ = ctx.session.derive(derivative, by_samples or by_amplitude)
        found = [all_["gradient"] if by_v else None, None, all_["by_amplitude"] if by_amplitude else None]
        if by_samples:
            wavelet = ctx.shot.wavelets[0]
            fed = np.array(ctx.shot.amplitudes) @ all_["by_fed"]
            found[1] = ctx.session.by_samples(fed, len(wavelet.samples), wavelet.dt, wavelet.first_time)
        gradients = [None if one is None else torch.tensor(one, dtype=dtype, device=device).reshape(shape)
                     for one, (dtype, device, shape) in zip(found, ctx.like)]
        return *gradients, None, None, None, None
