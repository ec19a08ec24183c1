"""Devito's derivative of a misfit by V of all nodes, from that by a case's traces.

Operators are written out, as devito_traces.py has the update. With a = (V dt)^2 and p = a lambda, lambda the derivative
by u, the transposed update is 2p - p+ + a laplacian(p) + a r, r the derivative by the traces; the gradient is the sum
of 2 p+ u_tt / V^3. Slots of time begin a step earlier and end two later than the traces, with zeros.
"""
import numpy as np
from devito import Eq, Function, Grid, Operator, TimeFunction

from devito_traces import points_on, unfolded


def gradient(case, derivative, precision):
    """[z, y, x] in `precision`, of the derivative by the traces [receiver, time]."""
    velocity, sources, signs, receivers = unfolded(case)
    shape = velocity.shape[::-1]
    grid = Grid(shape=shape, extent=tuple(h * (n - 1) for h, n in zip(case.spacing, shape)), dtype=precision)
    v = Function(name="v", grid=grid)
    v.data[:] = velocity.transpose()
    v2dt2 = v**2 * grid.stepping_dim.spacing**2
    slots = case.steps + 4
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=8, save=slots)
    feed = points_on(grid, "feed", sources, slots)
    feed.data[1:-3] = np.outer(case.source_density, signs)
    forward = Operator([Eq(u.forward, 2 * u - u.backward + v2dt2 * u.laplace),
                        feed.inject(field=u.forward, expr=feed * v2dt2)])
    forward(dt=case.dt, time_m=1, time_M=case.steps)
    p = TimeFunction(name="p", grid=grid, time_order=2, space_order=8)
    total = Function(name="total", grid=grid)
    residual = points_on(grid, "residual", receivers, slots)
    residual.data[2:-1] = derivative.transpose()
    backward = Operator([Eq(total, total + 2 * p.forward * u.dt2 / v**3),
                         Eq(p.backward, 2 * p - p.forward + v2dt2 * p.laplace),
                         residual.inject(field=p.backward, expr=residual * v2dt2)])
    backward(dt=case.dt, time_m=1, time_M=case.steps + 2)
    return folded(np.array(total.data).transpose(), case)


def folded(field, case):
    """A sum over the medium's mirror images; without a free surface the field itself."""
    if not case.free_surface:
        return field
    above = case.points[2] - 1
    below = field[above:].copy()
    below[1:] += field[:above][::-1]
    return below
