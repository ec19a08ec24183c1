"""The cases: smooth random media, a point source and receivers, before any wave has felt the edges.

Axes are x, y, z in all positions, spacings and counts; fields are [z, y, x], as in minimod's model files.
"""
import dataclasses

import numpy as np

SLOWEST, FASTEST = 1500.0, 4500.0  # m/s, of every model
RECEIVERS = 24


@dataclasses.dataclass(frozen=True)
class Case:
    """One shot. Positions are node numbers; u = 0 on z = 0 if `free_surface`."""

    name: str
    velocity: np.ndarray  # [z, y, x], m/s, float32
    spacing: tuple  # hx, hy, hz, m
    dt: float  # s
    frequency: float  # Hz, where the wavelet's spectrum is greatest
    wavelet: np.ndarray  # [time] float64, s(n dt) of a unit point source
    source: np.ndarray  # [3] nodes
    receivers: np.ndarray  # [receiver, 3] nodes
    free_surface: bool

    @property
    def steps(self):
        """Time steps; the traces have one sample more, the first at t = 0."""
        return len(self.wavelet)

    @property
    def points(self):
        """Nodes along x, y, z."""
        return self.velocity.shape[::-1]

    @property
    def source_density(self):
        """The wavelet per volume of a cell: what stands on the right of the discrete equation, 1/m^3."""
        return self.wavelet / np.prod(self.spacing)

    def save(self, path):
        np.savez(path, **dataclasses.asdict(self))


def load(path):
    """The case that `Case.save` wrote."""
    with np.load(path) as file:
        members = {name: file[name] for name in file.files}
    scalars = {name: member.item() for name, member in members.items() if member.ndim == 0}
    return Case(**members | scalars | {"spacing": tuple(members["spacing"].tolist())})


def smooth_random_velocity(points, correlation, random):
    """[z, y, x] in m/s: white noise under a Gaussian of `correlation` nodes, stretched to SLOWEST ... FASTEST."""
    shape = points[::-1]
    spectrum = np.fft.rfftn(random.standard_normal(shape))
    frequencies = [np.fft.fftfreq(shape[0]), np.fft.fftfreq(shape[1]), np.fft.rfftfreq(shape[2])]
    square = sum(f**2 for f in np.meshgrid(*frequencies, indexing="ij"))
    noise = np.fft.irfftn(spectrum * np.exp(-2 * (np.pi * correlation) ** 2 * square), s=shape, axes=(0, 1, 2))
    noise = (noise - noise.min()) / np.ptp(noise)
    return (SLOWEST + (FASTEST - SLOWEST) * noise).astype(np.float32)


def ricker(frequency, delay, dt, steps):
    """[time]: a Ricker wavelet of `frequency` Hz, greatest at `delay` s."""
    a = (np.pi * frequency * (dt * np.arange(steps) - delay)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def return_time(case):
    """The earliest time in s at which a wave may have come back from an edge: straight, at the greatest velocity."""
    spacing = np.array(case.spacing)
    source, receivers = case.source * spacing, case.receivers * spacing
    ends = (np.array(case.points) - 1) * spacing
    mirrors = [(axis, end) for axis in range(3) for end in (0.0, ends[axis])]
    if case.free_surface:
        mirrors.remove((2, 0.0))  # the surface's reflection is wanted
    paths = []
    for axis, end in mirrors:
        image = source.copy()
        image[axis] = 2 * end - source[axis]
        paths.append(np.linalg.norm(receivers - image, axis=1).min())
    return min(paths) / float(case.velocity.max())


def random_receivers(source, reach, random):
    """[RECEIVERS, 3]: different nodes at random, up to `reach` nodes (x, y, z) from the source, but not on it."""
    axes = [np.arange(s - r, s + r + 1) for s, r in zip(source, reach)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = nodes[(nodes != source).any(axis=1)]
    return random.choice(nodes, RECEIVERS, replace=False)


def make(name, points, spacing, dt, steps, frequency, source, reach, seed, free_surface=False):
    """A case whose traces end before anything has come back from an edge; refuses another."""
    random = np.random.default_rng(seed)
    source = np.array(source)
    case = Case(name, smooth_random_velocity(points, 4.0, random), spacing, dt, frequency,
                ricker(frequency, 1.2 / frequency, dt, steps), source,
                random_receivers(source, reach, random), free_surface)
    if steps * dt >= return_time(case):
        raise ValueError(f"{name}: {steps * dt:.4f} s, but the edges answer from {return_time(case):.4f} s on")
    return case


def all_cases():
    """The cases, in the order of the table."""
    return [
        make("cube", (101, 101, 101), (20.0, 20.0, 20.0), 1.45e-3, 240, 9.0, (50, 50, 50), (21, 21, 21), 1),
        make("unequal", (121, 101, 81), (10.0, 12.0, 15.0), 0.9e-3, 220, 12.0, (60, 50, 40), (28, 24, 19), 2),
        make("surface", (101, 101, 61), (20.0, 20.0, 20.0), 1.45e-3, 240, 9.0, (50, 50, 8), (21, 21, 7), 3,
             free_surface=True),
    ]
