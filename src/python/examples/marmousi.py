"""The Marmousi section, a smooth one of it, and shots along the sea, for fwi.py and rtm.py."""
import argparse
import pathlib

import h5py
import minimod
import numpy as np

FILE = pathlib.Path(__file__).resolve().parents[3] / "models/data/marmousi_vp.h5"
FIRST, LENGTH = 1400.0, 9200.0  # m along the file's x
WATER = 1500.0  # m/s
FASTEST = 4800.0  # m/s, above all velocities of the section


def parser(description, decimate, shots, blur, output):
    """Arguments that fwi.py and rtm.py share, with these defaults."""
    made = argparse.ArgumentParser(description=description.splitlines()[0],
                                   formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    made.add_argument("--device", default="auto", help="cpu, cuda or cuda:N")
    made.add_argument("--decimate", type=int, default=decimate, help="nodes of the file, 7.5 m, to one of the run")
    made.add_argument("--extrude", type=int, default=41, help="nodes along y, odd, 11 or more")
    made.add_argument("--shots", type=int, default=shots, help="of 9.2 km")
    made.add_argument("--tmax", type=float, default=3.6, help="s")
    made.add_argument("--blur", type=float, default=blur, help="standard deviation of the start's Gaussian in m")
    made.add_argument("--output", default=output, help="name of OUTPUT.npz and OUTPUT.png")
    return made


def section(decimate):
    """V [z, x] in m/s float32 and the spacing in m: means of 1/V^2 over cells of so many nodes of the file an axis."""
    with h5py.File(FILE) as file:
        v, fine = file["vp"][:, 0, :].astype(float), float(file["vp"].attrs["spacing"][0])
    v = v[:, round(FIRST / fine):round((FIRST + LENGTH) / fine) + 1]
    nz, nx = (n // decimate for n in v.shape)
    cells = v[:nz * decimate, :nx * decimate].reshape(nz, decimate, nx, decimate)
    return ((cells ** -2.0).mean(axis=(1, 3)) ** -0.5).astype(np.float32), fine * decimate


def sea(v):
    """Rows of nodes that lie in the water."""
    return int(np.argmax(abs(v - WATER).max(axis=1) > 0.5))


def blurred(field, nodes):
    """A field [z, x] under a Gaussian whose standard deviation is so many nodes, continued by its outermost ones."""
    reach = int(4 * nodes) + 1
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / nodes) ** 2)
    for axis in (0, 1):
        padded = np.pad(field, [(reach, reach) if one == axis else (0, 0) for one in (0, 1)], mode="edge")
        field = np.apply_along_axis(np.convolve, axis, padded, weights / weights.sum(), mode="valid")
    return field


def smoothed(v, nodes):
    """1/V blurred below the sea, whose water stays."""
    return np.concatenate([v[:sea(v)], 1 / blurred(1 / v[sea(v):], nodes)]).astype(np.float32)


def survey(v, spacing, extrude, count, peak):
    """Shots from one end of the section to the other, in mid-water. Each is heard at all nodes of the line beside it.

    extrude: nodes along y, odd; the line lies in the middle ones. peak: of the Ricker wavelet, Hz.
    """
    last, y, z = (v.shape[1] - 1) * spacing, (extrude - 1) / 2 * spacing, sea(v) // 2 * spacing
    receivers = np.array([(x, y, z) for x in spacing * np.arange(v.shape[1])])
    nodes = np.linspace(0.02 * last, 0.98 * last, count) // spacing
    return [minimod.Shot((node * spacing, y, z), receivers, minimod.ricker(peak)) for node in nodes]


def plan(spacing, extrude, tmax, device):
    """Options that all runs share. Δt and the layer's velocity are the same whatever the model."""
    return {"dt": 0.4 * spacing / FASTEST, "pml_velocity": FASTEST, "extrude": extrude, "tmax": tmax, "device": device,
            "allow_dispersion": True}
