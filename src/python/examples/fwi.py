#!/usr/bin/env python3
"""Full waveform inversion of the Marmousi section, extruded along y, by SciPy's L-BFGS-B.

    python src/python/examples/fwi.py --device cuda
    python src/python/examples/fwi.py --decimate 8 --extrude 11 --shots 8 --frequencies 3,4 --iterations 10 --tmax 3.2

The second takes minutes on two cores. The start is the section blurred by --blur m, and the water is known. Traces are
inverted band after band, from the lowest wavelet to the highest; they are computed on the same grid as those that are
compared with them.

L-BFGS-B's variables are x = (V - V0) s below the water, V0 the first model of a band. s is the sources' illumination
over V^3: about the square root of the diagonal of J^T J, since receivers stand where sources do. In these variables
nodes weigh the same, so that the first step already reaches the deep ones.
"""
import time

import marmousi
import minimod
import numpy as np
from scipy.optimize import minimize

SLOWEST = 1000.0  # m/s, the least that a node may become
FIRST_STEP = 60.0  # m/s, the greatest change by the first step of a band


class Band:
    """Traces of one wavelet. Called with x it returns their misfit, in the unit that FIRST_STEP asks for, and its gradient
    by x. v0: the model [z, x] at x = 0."""

    def __init__(self, arguments, truth, spacing, v0, frequency):
        self.spacing, self.v0, self.below = spacing, v0, slice(marmousi.sea(truth), None)
        self.options = marmousi.plan(spacing, arguments.extrude, arguments.tmax, arguments.device)
        self.window = (0, 0.9 * arguments.tmax, 0.1 * arguments.tmax)
        self.shots = marmousi.survey(truth, spacing, arguments.extrude, arguments.shots, frequency)
        self.observed = [gather for _, gather in minimod.survey(minimod.Model(truth, spacing), self.shots,
                                                                **self.options)]
        self.first = self.gradient(v0)
        self.total = float(self.first["misfit"].sum())
        light = self.first["source_illumination"].values[self.below] / v0[self.below] ** 3
        self.seen = light > np.median(light)  # half of the nodes, those with more light
        self.s = light / light.max() + arguments.floor
        self.unit = FIRST_STEP / abs(self.first["gradient"].values[self.below] / self.s**2).max()
        self.misfit, self.gradients = 1.0, 1  # over that of v0; calls until now

    def gradient(self, v):
        return minimod.gradient(minimod.Model(v.astype(np.float32), self.spacing), self.shots, self.observed,
                                correlate_every="nyquist", window=self.window, **self.options)

    def model(self, x):
        v = self.v0.copy()
        v[self.below] += x.reshape(self.s.shape) / self.s
        return v

    def __call__(self, x):
        result = self.first
        if x.any():
            result = self.gradient(self.model(x))
            self.gradients += 1
        misfit = float(result["misfit"].sum())
        self.misfit = misfit / self.total
        return self.unit * misfit, self.unit * (result["gradient"].values[self.below] / self.s).ravel()

    def minimize(self, iterations, tell):
        """The model after so many iterations; `tell` hears of each."""
        ends = [((v - self.v0[self.below]) * self.s).ravel() for v in (SLOWEST, marmousi.FASTEST)]
        found = minimize(self, np.zeros(self.s.size), jac=True, method="L-BFGS-B", bounds=list(zip(*ends)),
                         callback=lambda x: tell(self.model(x)), options={"maxiter": iterations, "ftol": 0, "gtol": 0})
        return self.model(found.x)


def invert(arguments):
    """Band after band. Each iteration leaves a line and OUTPUT.npz."""
    truth, spacing = marmousi.section(arguments.decimate)
    start = marmousi.smoothed(truth, arguments.blur / spacing)
    v, seen, history, begin = start.astype(float), None, [], time.perf_counter()
    below = slice(marmousi.sea(truth), None)

    def error(v, nodes):
        return float(np.linalg.norm((v - truth)[below][nodes]) / np.linalg.norm(truth[below][nodes]))

    for frequency in map(float, arguments.frequencies.split(",")):
        band = Band(arguments, truth, spacing, v, frequency)
        seen = band.seen if seen is None else seen

        def tell(v):
            history.append((frequency, band.gradients, band.misfit, error(v, ...), error(v, seen),
                            time.perf_counter() - begin))
            print("{:4g} Hz, {:3} gradients: misfit {:.4f} of the band's first, relative L2 error of V {:.4f}, where "
                  "there is light {:.4f}; {:.0f} s".format(*history[-1]), flush=True)
            np.savez(f"{arguments.output}.npz", truth=truth, start=start, v=v, spacing=spacing, history=history)

        tell(v)
        v = band.minimize(arguments.iterations, tell)
        draw({"start": start, f"inverted to {frequency:g} Hz": v, "truth": truth}, spacing, f"{arguments.output}.png")


def draw(models, spacing, name):
    """Sections [z, x] by their titles, one below the other, where matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(7, 7), layout="constrained")
    axes = figure.subplots(len(models), 1, sharex=True)
    for axis, (title, v) in zip(axes, models.items()):
        depth, length = (n * spacing / 1000 for n in v.shape)
        shown = axis.imshow(v, extent=(0, length, depth, 0), aspect="auto", cmap="turbo", vmin=1500, vmax=4500)
        axis.set(title=title, ylabel="z, km")
    axes[-1].set_xlabel("x, km")
    figure.colorbar(shown, ax=axes, label="V, m/s")
    figure.savefig(name, dpi=100)


def parsed():
    parser = marmousi.parser(__doc__, decimate=3, shots=24, blur=300, output="fwi")
    parser.add_argument("--iterations", type=int, default=20, help="of L-BFGS-B in each band")
    parser.add_argument("--frequencies", default="3,5,8", help="peaks of the bands' Ricker wavelets in Hz")
    parser.add_argument("--floor", type=float, default=0.002, help="added to s over its greatest value")
    return parser.parse_args()


if __name__ == "__main__":
    invert(parsed())
