"""Devito's traces of a case: devito_traces.py CASE.npz float32|float64 TRACES.npy

The update is written out, 2u - u- + (V dt)^2 laplacian(u) with Devito's own Laplacian of 8th order, and outside
the grid u is 0. A free surface is had without any boundary: the medium is continued above z = 0 by its mirror
image, and an image of the source with the opposite sign stands there.
"""
import sys

import numpy as np
from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction

import cases


def unfolded(case):
    """Velocity [z, y, x], source nodes [source, 3], their signs [source] and receiver nodes without a surface."""
    if not case.free_surface:
        return case.velocity, case.source[None, :], np.ones(1), case.receivers
    above = case.points[2] - 1  # planes that the image adds
    velocity = np.concatenate([case.velocity[:0:-1], case.velocity])
    image = case.source * [1, 1, -1]
    lower = np.array([0, 0, above])
    return velocity, np.stack([case.source, image]) + lower, np.array([1.0, -1.0]), case.receivers + lower


def points_on(grid, name, nodes, samples):
    """A set of `nodes` (x, y, z) of the grid with a series of `samples` each."""
    points = SparseTimeFunction(name=name, grid=grid, npoint=len(nodes), nt=samples)
    points.coordinates.data[:] = nodes * np.array([float(h) for h in grid.spacing])
    return points


def traces(case, precision):
    """[receiver, time] in `precision`."""
    velocity, sources, signs, receivers = unfolded(case)
    shape = velocity.shape[::-1]
    extent = tuple(h * (n - 1) for h, n in zip(case.spacing, shape))
    grid = Grid(shape=shape, extent=extent, dtype=precision)
    v = Function(name="v", grid=grid)
    v.data[:] = velocity.transpose()
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
    samples = case.steps + 1
    feed = points_on(grid, "feed", sources, samples)
    feed.data[:-1] = np.outer(case.source_density, signs)
    record = points_on(grid, "record", receivers, samples)
    v2dt2 = v**2 * grid.stepping_dim.spacing**2
    operator = Operator([Eq(u.forward, 2 * u - u.backward + v2dt2 * u.laplace),
                         feed.inject(field=u.forward, expr=feed * v2dt2),
                         record.interpolate(expr=u)])
    operator(dt=case.dt, time_m=0, time_M=case.steps)
    return np.array(record.data).transpose()


if __name__ == "__main__":
    np.save(sys.argv[3], traces(cases.load(sys.argv[1]), np.dtype(sys.argv[2]).type))
