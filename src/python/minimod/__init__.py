"""Seismic shots from arrays: acoustic waves in three dimensions, on the cores of the host or on GPUs.

    import minimod, numpy as np
    model = minimod.Model(np.full((101, 101, 101), 2000.0), spacing=10)
    shot = minimod.Shot(source=(500, 500, 20), receivers=[(x, 500, 10) for x in range(0, 1001, 20)],
                        wavelet=minimod.ricker(12))
    gather = minimod.run(model, shot, tmax=0.6)

Arrays of a model are [z, y, x], x fastest, in m/s. Positions are (x, y, z) in m from the model's first node, z down.
Triples are in the order x, y, z. Options of a run have the names and meanings of the command line's (`options()`).
The gather has the bits of the command's. A call is one of the process's main thread or of any other.
"""
from minimod.loading import _core  # first, before any other module has it loaded
from minimod.commands import bench, info, kernels
from minimod.errors import Error, Note
from minimod.gather import facts
from minimod.gradients import gradient
from minimod.images import image
from minimod.linearised import born
from minimod.model import Model
from minimod.options import options
from minimod.runs import run, survey
from minimod.shot import Shot, Wavelet, gaussian, klauder, ormsby, ricker
from minimod.solver import Solver

__version__ = _core.version
__all__ = ["Error", "Model", "Note", "Shot", "Solver", "Wavelet", "bench", "born", "facts", "gaussian", "gradient",
           "image", "info", "kernels", "klauder", "options", "ormsby", "ricker", "run", "survey"]
