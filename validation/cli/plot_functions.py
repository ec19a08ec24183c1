"""What `minimod plot` does to traces, on signals whose answer is known.

    python plot_functions.py
"""
import dataclasses
import pathlib
import sys

import numpy as np

from exit_codes import code_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src" / "shot"))
from plotting import files, geometry, processing  # noqa: E402

DT = 2e-3
TIME = np.arange(1000) * DT


def ricker(time, frequency):
    a = (np.pi * frequency * time) ** 2
    return (1 - 2 * a) * np.exp(-a)


def gather_of(receivers, source=(0, 0, 0), traces=None):
    receivers = np.array(receivers, float)
    traces = np.zeros((len(receivers), len(TIME))) if traces is None else traces
    return files.Gather(traces=traces, time=TIME, receivers=receivers, requested=receivers,
                        numbers=np.arange(len(receivers)), source=np.array(source, float), units="Pa", model="",
                        kernel="")


def check_gain():
    """Spreading by 1 / t is undone by t, and nothing before t = 0 is turned over."""
    arrivals = np.array([100, 400, 900])
    traces = np.zeros((1, len(TIME)))
    traces[0, arrivals] = 1 / TIME[arrivals]
    assert np.allclose(processing.power_gain(traces, TIME, 1)[0, arrivals], 1)
    early = processing.power_gain(np.ones((1, 3)), np.array([-1.0, 0.0, 2.0]), 2)
    assert np.array_equal(early, [[0, 0, 4]])


def check_agc():
    """A sine that decays a thousandfold comes out with the amplitude of a sine of RMS 1; silence stays silent."""
    decaying = np.sin(2 * np.pi * 25 * TIME) * np.exp(-TIME * np.log(1000) / TIME[-1])
    even = processing.automatic_gain(np.array([decaying, np.zeros_like(decaying)]), DT, 0.2)
    crests = [np.abs(even[0, i:i + 20]).max() for i in range(100, 880, 20)]
    assert np.ptp(crests) < 0.1 * np.mean(crests) and abs(np.mean(crests) - np.sqrt(2)) < 0.1, crests
    assert not even[1].any()
    # Rounding before the first arrival is not made a signal.
    onset = np.where(TIME < 1, 1e-8 * np.sin(2 * np.pi * 25 * TIME), np.sin(2 * np.pi * 25 * TIME))
    assert np.abs(processing.automatic_gain(onset[None], DT, 0.2)[0, TIME < 0.85]).max() < 2e-3


def check_reduction():
    """A wave of the reduction velocity arrives at one time, one of twice the velocity d / (2 V) before it."""
    distance = np.array([0.0, 333.0, 1000.0, 1777.0])
    delay = distance / 2000

    def residual(velocity, expected):
        waves = np.array([ricker(TIME - 0.3 - d / velocity, 10) for d in distance])
        traces, time = processing.reduced(waves, TIME, distance, 2000)
        found = time[traces.argmax(axis=1)]
        assert np.abs(found - expected).max() <= DT, (found, expected)
        return traces, time

    traces, time = residual(2000, 0.3)
    residual(4000, 0.3 - delay / 2)
    inside = (time > 0) & (time < 1)
    assert np.abs(traces - traces[0])[:, inside].max() < 0.02
    assert time[0] <= -delay.max() + 1e-9 and time[-1] >= TIME[-1] - 1e-9


def check_window():
    traces, time = processing.within(TIME[None], TIME, 0.5, 0.7)
    assert np.allclose([time[0], time[-1]], [0.5, 0.7]) and len(time) == 101 and np.array_equal(traces[0], time)


def check_spectrum():
    """|S(f)| of a Ricker wavelet is 2 f^2 exp(-f^2 / f0^2) / (sqrt(pi) f0^3)."""
    frequency, found = processing.amplitude_spectrum(ricker(TIME - 1, 12)[None], DT)
    exact = 2 * frequency ** 2 * np.exp(-(frequency / 12) ** 2) / (np.sqrt(np.pi) * 12 ** 3)
    assert np.abs(found[0] - exact).max() < 1e-6 * exact.max(), np.abs(found[0] - exact).max() / exact.max()


def check_clip():
    assert processing.clip_level(np.array([[0.0, 0, 0, 3]]), 50) == 3  # most of it is silent
    assert processing.clip_level(np.zeros((1, 4)), 99) == 1
    assert processing.clip_level(np.array([[1.0, -2, 3, -4]]), 100) == 4


def check_axes():
    def across(receivers, source, kind="auto"):
        _, position, label = geometry.across(gather_of(receivers, source), kind)
        return position, label

    steps = np.arange(11)
    along_x = [(100 * i, 50, 5) for i in steps]
    assert across(along_x, (0, 0, 0))[1] == "receiver x (m)"
    well = [(300, 200, 10 * i) for i in steps]
    position, label = across(well, (0, 0, 0))
    assert label == "receiver depth (m)" and np.allclose(position, 10 * steps)
    # 30, 40 m a step; the source on the fourth receiver: signed along the line.
    oblique = [(30 * i, 40 * i, 0) for i in steps]
    position, label = across(oblique, (120, 160, 0))
    assert label == "offset (m)" and np.allclose(position, 50 * (steps - 4)), (position, label)
    position, label = across(oblique[::-1], (120, 160, 0))
    assert np.allclose(position, 50 * (steps - 6))
    # Beside the line, by 50 m: counted from the foot.
    position, label = across(oblique, (120 - 40, 160 + 30, 0))
    assert label == "offset along the line (m)" and np.allclose(position, 50 * (steps - 4))
    position, label = across(along_x, (400, 50, 0), "offset")
    assert label == "offset (m)" and np.allclose(position, 100 * (steps - 4))
    position, label = across([(0, 0, 0), (3000, 4000, 9), (0, 1000, 0)], (0, 0, 0), "offset")
    assert label == "offset (km)" and np.allclose(position, [0, 1, 5])  # scattered: sorted by distance
    assert across([(0, 0, 0), (300, 400, 0), (0, 100, 0)], (50, 0, 0))[1] == "receiver"
    # Requested evenly on a slanted line, recorded at nodes half a spacing off it: still a line.
    snapped = gather_of([(round(p[0] / 20) * 20, round(p[1] / 20) * 20, 0) for p in oblique], (120, 160, 0))
    snapped = dataclasses.replace(snapped, requested=np.array(oblique, float))
    assert geometry.across(snapped, "auto")[2] == "offset (m)"


def check_lines():
    grid = np.array([(100 * i, 200 * j, 0) for j in range(3) for i in range(4)], float)
    every = slice(None)
    assert geometry.chosen(grid, ["y=210"], every).tolist() == [4, 5, 6, 7]
    assert geometry.chosen(grid, ["x=300"], every).tolist() == [3, 7, 11]
    assert geometry.chosen(grid, ["2"], every).tolist() == [8, 9, 10, 11]
    assert geometry.chosen(grid, ["x=0", "y=400"], every).tolist() == [8]
    assert geometry.chosen(grid, ["1"], slice(1, 3)).tolist() == [5, 6]
    for lines, span in ((["3"], every), (["-1"], every), (["w=3"], every), (["y=-"], every), ([], slice(12, 14))):
        assert code_of(lambda: geometry.chosen(grid, lines, span)) == 64, lines


def check_difference():
    rng = np.random.default_rng(1)
    traces = rng.normal(size=(3, len(TIME)))
    one, other = (gather_of([(0, 0, 0), (10, 0, 0), (20, 0, 0)], traces=traces.copy()) for _ in range(2))
    one.traces[1] *= 1.02
    difference, (whole, worst, index) = files.subtract(one, other, ("a", "b"))
    share = np.linalg.norm(traces[1]) / np.linalg.norm(traces)
    assert np.isclose(whole, 0.02 * share) and np.isclose(worst, 0.02) and index == 1
    assert np.allclose(difference.traces[1], 0.02 * traces[1]) and not difference.traces[[0, 2]].any()
    elsewhere = dataclasses.replace(other, receivers=other.receivers + [0, 5, 0])
    later = dataclasses.replace(other, time=TIME + DT / 4)
    fewer = other.at(slice(2))
    for wrong in (elsewhere, later, fewer, dataclasses.replace(other, source=other.source + 1)):
        assert code_of(lambda: files.subtract(one, wrong, ("a", "b"))) == 65


if __name__ == "__main__":
    checks = [value for name, value in list(globals().items()) if name.startswith("check_")]
    for check in checks:
        check()
    print(f"{len(checks)} functions of the plot are right")
