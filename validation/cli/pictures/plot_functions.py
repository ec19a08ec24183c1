"""Processing of traces by `minimod plot`, on signals whose answer is known.

    python plot_functions.py
"""
import contextlib
import dataclasses
import io
import pathlib
import sys

import numpy as np

from exit_codes import code_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures"))
from plotting import errors, files, geometry, processing, selection, titles  # noqa: E402
from plotting.positions import FILE, MODEL, Place, Positions  # noqa: E402

DT = 2e-3
TIME = np.arange(1000) * DT


def ricker(time, frequency):
    a = (np.pi * frequency * time) ** 2
    return (1 - 2 * a) * np.exp(-a)


def positions_of(receivers, sources, **others):
    """Positions of receivers [trace, 3] of one source, or of one each, in m."""
    receivers = np.array(receivers, float)
    sources = np.broadcast_to(np.array(sources, float), receivers.shape)
    given = {"requested": receivers, "beside": np.zeros(len(receivers), int), "shots": np.ones(len(receivers), int),
             "numbers": np.arange(len(receivers)), "place": None, "frame": MODEL, "rounding": 5e-4}
    return Positions(receivers=receivers, sources=sources, **given | others)


def gather_of(receivers, source=(0, 0, 0), traces=None, choice="", **others):
    traces = np.zeros((len(receivers), len(TIME))) if traces is None else traces
    return files.Gather(traces=traces, time=TIME, positions=positions_of(receivers, source, **others), units="Pa",
                        model="", kernel="", choice=choice)


def said(action):
    """Words of the action on stderr when all is drawn."""
    with contextlib.redirect_stderr(io.StringIO()) as words:
        action()
        errors.say_waiting()
    return words.getvalue()


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


def across(gather, kind="auto"):
    """Positions and label in the picture's unit."""
    _, axis = geometry.across(gather, kind)
    scale, unit = geometry.unit_of_all([axis])
    return axis.scaled(scale)[0], axis.label(unit)


def check_axes():
    steps = np.arange(11)
    along_x = [(100 * i, 50, 5) for i in steps]
    assert across(gather_of(along_x))[1] == "receiver x in the model (m)"
    well = [(300, 200, 10 * i) for i in steps]
    position, label = across(gather_of(well))
    assert label == "receiver depth in the model (m)" and np.allclose(position, 10 * steps)
    # 30, 40 m a step; the source on the fourth receiver. Their order changes nothing.
    oblique = [(30 * i, 40 * i, 0) for i in steps]
    for line in (oblique, oblique[::-1]):
        position, label = across(gather_of(line, (120, 160, 0)))
        assert label == "offset (m)" and np.allclose(position, 50 * (steps - 4)), (position, label)
        # Beside the line, by 50 m: counted from the foot.
        position, label = across(gather_of(line, (120 - 40, 160 + 30, 0)))
        assert label == "offset along the line (m)" and np.allclose(position, 50 * (steps - 4))
    position, label = across(gather_of(along_x, (400, 50, 0)), "offset")
    assert label == "offset (m)" and np.allclose(position, 100 * (steps - 4))
    position, label = across(gather_of([(0, 0, 0), (3000, 4000, 9), (0, 1000, 0)]), "offset")
    assert label == "offset (km)" and np.allclose(position, [0, 1, 5])
    assert across(gather_of([(0, 0, 0), (300, 400, 0), (0, 100, 0)], (50, 0, 0)))[1] == "receiver"
    assert code_of(lambda: across(gather_of(along_x), "y")) == 64  # all at one place
    # Requested evenly on a slanted line, recorded at nodes half a spacing off it: still a line.
    nodes = [(round(p[0] / 20) * 20, round(p[1] / 20) * 20, 0) for p in oblique]
    assert across(gather_of(nodes, (120, 160, 0), requested=np.array(oblique, float)))[1] == "offset (m)"


def check_sign_of_offsets():
    """The sign is that of SEG-Y's word 37-40: negative where gx < sx, or gx = sx and gy < sy, on the map, in any
    coordinates."""
    around = positions_of([(-3, 4, 0), (-3, -4, 0), (3, -4, 0), (0, -4, 0), (0, 4, 9), (1e-9, -4, 0)], (0, 0, 5))
    assert np.allclose(around.offsets(), [-5, -5, 5, -4, 4, -4])
    half_turn = Place(np.array([1000.0, 2000.0, 0.0]), np.array([-1.0, 0.0]))
    turned = dataclasses.replace(around, place=half_turn)
    assert np.allclose(turned.offsets(), [5, 5, -5, 4, -4, 4])
    assert np.allclose(turned.seen(FILE).offsets(), turned.offsets())
    # So is the distance along a line that the source stands beside.
    line = [(0, 10.0 * i, 0) for i in range(5)]
    assert np.allclose(across(gather_of(line[::-1], (30, 20, 0)), "along")[0], [-20, -10, 0, 10, 20])
    assert np.allclose(across(gather_of(line, (30, 10, 0), place=half_turn), "along")[0], [-30, -20, -10, 0, 10])


def check_coordinates():
    """To the file and back; as the program has it: origin + (c x - s y, s x + c y, z)."""
    place = Place(np.array([431000.0, 4512000.0, 100.0]), np.array([0.6, 0.8]))
    where = positions_of([(10, 0, 1), (0, 10, 2)], (5, 5, 5), place=place)
    on_map = where.seen(FILE)
    assert np.allclose(on_map.receivers, [(431006, 4512008, 101), (430992, 4512006, 102)])
    back = on_map.seen(MODEL)
    assert np.allclose(back.receivers, where.receivers) and np.allclose(back.sources, where.sources)
    gather = gather_of([(10, 0, 0), (20, 0, 0)], place=place)
    seen = dataclasses.replace(gather, positions=gather.positions.seen(FILE))
    position, label = across(seen, "x")
    assert label == "receiver x on the map (km)" and np.allclose(position, [431.006, 431.012])


def check_units():
    """Panels side by side have one unit."""
    near, far = (geometry.across(gather_of([(0, 0, 0), (x, 0, 0)]), "x")[1] for x in (500, 5000))
    number = geometry.across(gather_of([(0, 0, 0), (9e3, 0, 0)]), "receiver")[1]
    assert geometry.unit_of_all([near, number]) == (1, "m") and geometry.unit_of_all([near, far]) == (1000, "km")
    assert near.scaled(1000)[0].tolist() == [0, 0.5] and number.scaled(1000)[0].tolist() == [0, 1]
    assert number.label("km") == "receiver"


def check_titles():
    """All digits of a map's coordinates; files of one name are told by their folders."""
    assert titles.source_line(np.array([431223.204, 4512659.81, 40]), 0, FILE) == (
        "source at (431223.2, 4512659.81, 40) m on the map")
    paths = ["a/shot_gather.h5", "b/shot_gather.h5", "c/other.h5", "survey/"]
    assert [titles.name_among(path, paths) for path in paths] == [*paths[:2], "other.h5", "survey"]
    assert titles.shortened("/long" * 20 + "/model.h5").startswith("...") and titles.shortened("m.h5") == "m.h5"
    assert titles.packed(["shot 7", "", "a source", "kernel k"], 17) == "shot 7, a source\nkernel k"
    assert titles.packed(["longer than that", "b"], 5) == "longer than that\nb" and titles.packed([]) == ""
    assert selection.shots_text([1, 2, 3]) == "1 to 3" and selection.shots_text([1, 3, 4]) == "1, 3, 4"
    assert selection.shots_text(list(range(1, 30, 2))) == "1, 3, 5, 7, 9, 11, 13, 15, ..."


def check_lines():
    grid = np.array([(100 * i, 200 * j, 0) for j in range(3) for i in range(4)], float)
    every = slice(None)
    assert geometry.chosen(grid, ["y=200"], every).tolist() == [4, 5, 6, 7]
    assert geometry.chosen(grid, ["x=300"], every).tolist() == [3, 7, 11]
    assert geometry.chosen(grid, ["2"], every).tolist() == [8, 9, 10, 11]
    assert geometry.chosen(grid, ["x=0", "y=400"], every).tolist() == [8]
    assert geometry.chosen(grid, ["1"], slice(1, 3)).tolist() == [5, 6]
    # Another line than the wanted one is said, and refused from half their spacing on.
    assert not said(lambda: geometry.chosen(grid, ["y=400"], every))
    assert "the line y = 400 m is drawn" in said(lambda: geometry.chosen(grid, ["y=422"], every))
    assert "the line x = 300 m is drawn" in said(lambda: geometry.chosen(grid, ["x=349"], every))
    only = grid[4:8]
    assert "the line y = 200 m is drawn" in said(lambda: geometry.chosen(only, ["y=210"], every))
    for lines, span in ((["3"], every), (["-1"], every), (["w=3"], every), (["y=-"], every), ([], slice(12, 14)),
                        (["y=501"], every), (["y=-101"], every), (["x=351"], every)):
        assert code_of(lambda: geometry.chosen(grid, lines, span)) == 64, lines
    assert code_of(lambda: geometry.chosen(only, ["y=260"], every)) == 64


def shots_in_a_row():
    """Five shots 40 m apart, each with receivers 20 m apart from 100 m behind it to 60 m before."""
    sources = np.repeat([(1000.0 + 40 * i, 50, 5) for i in range(5)], 9, axis=0)
    receivers = sources + np.tile([(-100.0 + 20 * j, 0, 0) for j in range(9)], (5, 1))
    return positions_of(receivers, sources, shots=np.repeat(np.arange(1, 6), 9), numbers=np.tile(np.arange(9), 5))


def check_offsets_and_midpoints():
    """Selections: the trace of every shot nearest to an offset, and those of all shots around a midpoint."""
    where = shots_in_a_row()
    found = where.at(selection.near_offset(where, -79))
    assert found.shots.tolist() == [1, 2, 3, 4, 5] and np.allclose(found.offsets(), -80)
    axis = geometry.across(gather_of(found.receivers, found.sources, choice="offset"), "auto")[1]
    assert axis.name == "midpoint x in the model" and np.allclose(axis.places, 960 + 40 * np.arange(5))
    rows, centre = selection.near_midpoint(where, [1052])
    found = where.at(rows)
    assert centre == [1050] and np.allclose(found.midpoints()[:, 0], 1050)
    assert sorted(zip(found.shots, found.offsets())) == [(2, 20), (3, -60)], found
    assert geometry.across(gather_of(found.receivers, found.sources, choice="midpoint"), "auto")[1].name == "offset"
    rows, centre = selection.near_midpoint(where, [1050, 50])
    assert centre == [1050, 50] and np.array_equal(where.at(rows).shots, found.shots)
    # A second line of shots beside: the midpoint's y is asked for.
    beside = dataclasses.replace(where, receivers=where.receivers + [0, 200, 0], sources=where.sources + [0, 200, 0])
    both = positions_of(np.concatenate([where.receivers, beside.receivers]),
                        np.concatenate([where.sources, beside.sources]), shots=np.repeat(np.arange(10), 9))
    assert np.allclose(both.at(selection.near_midpoint(both, [1050, 240])[0]).midpoints()[:, 1], 250)
    for wrong in (lambda: selection.near_offset(where, 90), lambda: selection.near_offset(where, -120),
                  lambda: selection.near_midpoint(where, [1300]), lambda: selection.near_midpoint(where, [1050, 90]),
                  lambda: selection.near_midpoint(both, [1050])):
        assert code_of(wrong) == 64


def check_difference():
    rng = np.random.default_rng(1)
    traces = rng.normal(size=(3, len(TIME)))
    one, other = (gather_of([(0, 0, 0), (10, 0, 0), (20, 0, 0)], traces=traces.copy()) for _ in range(2))
    one.traces[1] *= 1.02
    difference, (whole, worst, index) = files.subtract(one, other, ("a", "b"))
    share = np.linalg.norm(traces[1]) / np.linalg.norm(traces)
    assert np.isclose(whole, 0.02 * share) and np.isclose(worst, 0.02) and index == 1
    assert np.allclose(difference.traces[1], 0.02 * traces[1]) and not difference.traces[[0, 2]].any()
    where = other.positions
    elsewhere = dataclasses.replace(other, positions=dataclasses.replace(where, receivers=where.receivers + [0, 5, 0]))
    away = dataclasses.replace(other, positions=dataclasses.replace(where, sources=where.sources + 1))
    later = dataclasses.replace(other, time=TIME + DT / 4)
    fewer = other.at(slice(2))
    for wrong in (elsewhere, later, fewer, away):
        assert code_of(lambda: files.subtract(one, wrong, ("a", "b"))) == 65


if __name__ == "__main__":
    checks = [value for name, value in list(globals().items()) if name.startswith("check_")]
    for check in checks:
        check()
    print(f"{len(checks)} functions of the plot are right")
