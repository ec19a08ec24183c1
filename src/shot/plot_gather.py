#!/usr/bin/env python3
"""Draws shot gathers, a spectrum, a difference from another, the model they were made in, or snapshots.

    minimod plot shot_gather.h5 -o gather.png --clip 99 --title "Shot 1"
    minimod plot shot_gather.snapshots.h5 -o film.gif
    minimod plot --model constant:2000 --source 500,500,100 -o model.png
"""
import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True  # the sources' folder may be read-only, and is not ours to fill

from plotting.errors import UNAVAILABLE, USAGE, fail  # noqa: E402

DESCRIPTION = """Draws what a run left: its traces (time down; of several gathers side by side with one clip), their
amplitude spectrum, their difference from another gather, sections of the model with source and receivers, or snapshots
of the wavefield, as sections at some times or as a film. With --model, --grid, --sources or --config nothing
needs to have been run: the options of a run follow, and the sections are drawn that such a run would have."""
BEFORE_A_RUN = ("--model", "-m", "--grid", "-g", "--sources", "--config")
HEARD_BY_ALL = ("run", "gather", "output", "title", "force")
HEARD_BY_SNAPSHOTS = (*HEARD_BY_ALL, "at", "plane", "position", "rate", "time", "clip", "colormap")
OF_SNAPSHOTS = ("at", "plane", "position", "rate")
HEARD_BY_SECTIONS = (*HEARD_BY_ALL, "sections")
PROGRAM = os.environ.get("MINIMOD_PROGRAM") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bin", "minimod")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(USAGE, f"{message}; see minimod plot --help")


def number(what, valid):
    """A reader of numbers of which `valid` is true."""
    def read(value):
        try:
            found = float(value)
        except ValueError:
            found = float("nan")
        if not (abs(found) < float("inf") and valid(found)):
            raise argparse.ArgumentTypeError(f"{value} is not {what}")
        return found

    return read


def interval(value):
    """T0:T1 in s; either may be left out."""
    try:
        begin, end = (float(part) if part else None for part in value.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value} is not T0:T1 in s") from None
    if None not in (begin, end) and not begin < end:
        raise argparse.ArgumentTypeError(f"{value} does not rise")
    return begin, end


def span(value):
    """A:B or A:B:STEP of receivers, as a slice."""
    try:
        parts = [int(part) if part else None for part in value.split(":")]
    except ValueError:
        parts = []
    if len(parts) not in (2, 3) or any(part is not None and part < 0 for part in parts) or parts[2:] == [0]:
        raise argparse.ArgumentTypeError(f"{value} is not A:B or A:B:STEP, receivers from 0 with B left out")
    return slice(*parts)


def times(value):
    """T[,T...] in s."""
    try:
        found = [float(part) for part in value.split(",")]
    except ValueError:
        found = [float("nan")]
    if not all(abs(t) < float("inf") for t in found):
        raise argparse.ArgumentTypeError(f"{value} is not T[,T...] in s")
    return found


def add_output(parser):
    parser.add_argument("-o", "--output", default="gather.png", metavar="PICTURE",
                        help="to write: .png, .svg or .pdf; of snapshots also .gif or .mp4 (%(default)s)")
    parser.add_argument("--title", help="instead of the model and the source")
    parser.add_argument("--force", action="store_true", help="replace a picture that is there")


def add_choice_of_traces(parser):
    group = parser.add_argument_group("what is drawn")
    group.add_argument("--line", action="append", default=[], metavar="y=Y|N",
                       help="one line of a grid: that nearest to y=300 (or x=, z=; may be given twice), or the N-th "
                            "along x, from 0")
    group.add_argument("--traces", type=span, default=slice(None), metavar="A:B[:STEP]",
                       help="receivers A to B-1, counted from 0 (on the line, where one is given)")
    group.add_argument("--time", type=interval, default=(None, None), metavar="T0:T1",
                       help="s; reduced time with --reduce (--time=-0.1:1 where T0 is negative)")
    group.add_argument("--axis", choices=("auto", "x", "y", "depth", "offset", "receiver"), default="auto",
                       help="across: x, y or depth of the receivers, offset from the source (along their line, where "
                            "they are one), number (auto: what fits)")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--minus", metavar="GATHER", help="draw the difference from this one, and print its size")
    what.add_argument("--sections", action="store_true", help="draw the model, source and receivers")
    group.add_argument("--spectrum", action="store_true", help="draw the amplitude spectrum of these traces")


def add_choice_of_snapshots(parser):
    group = parser.add_argument_group("of snapshots")
    group.add_argument("--at", type=times, metavar="T[,T...]", help="s: the nearest of them (six of all, or of --time)")
    group.add_argument("--plane", choices=("xz", "yz", "xy"), default="xz", help="which section (%(default)s)")
    group.add_argument("--position", type=number("a position in m", lambda p: True), metavar="P",
                       help="m: where the section is (through the source)")
    group.add_argument("--rate", type=number("above 0 and up to 100", lambda r: 0 < r <= 100), default=10.0,
                       metavar="N", help="snapshots of a film in a second (%(default)g)")


def add_processing(parser):
    group = parser.add_argument_group("how it is drawn")
    gain = group.add_mutually_exclusive_group()
    gain.add_argument("--gain", type=number("a power from -10 to 10", lambda n: abs(n) <= 10), metavar="N",
                      help="multiply by t^N (1 makes up for the spreading of a body wave)")
    gain.add_argument("--agc", type=number("above 0 s", lambda s: s > 0), metavar="S",
                      help="divide by the root mean square in a window of S seconds")
    group.add_argument("--reduce", type=number("above 0 m/s", lambda v: v > 0), metavar="V",
                       help="m/s: draw t - distance / V, so that waves of this velocity lie flat")
    group.add_argument("--clip", type=number("above 0 and up to 100", lambda p: 0 < p <= 100), default=99.0,
                       metavar="PERCENTILE", help="of |u|: the amplitude drawn black or white (%(default)s)")
    group.add_argument("--wiggles", action="store_true", help="curves with filled positive lobes, not an image")
    group.add_argument("--colormap", choices=("gray", "seismic"),
                       help="of the image (gray, of snapshots seismic)")


def parse_arguments():
    """The options; of a picture before a run, those of the run are in `run`."""
    words = sys.argv[1:]
    of_survey = words[:1] == ["--survey"]  # the launcher's word: the options of a run follow, whatever they are
    words = words[1:] if of_survey else words
    before = of_survey or any(word.split("=")[0] in BEFORE_A_RUN for word in words)
    parser = Parser(prog="minimod plot", description=DESCRIPTION, allow_abbrev=False)
    add_output(parser)
    if before and not {"-h", "--help"} & set(words):
        arguments, arguments.run = parser.parse_known_args(words)
        return arguments
    parser.add_argument("gather", nargs="+", help="files that minimod wrote, such as shot_gather.h5, or SEG-Y")
    add_choice_of_traces(parser)
    add_processing(parser)
    add_choice_of_snapshots(parser)
    arguments = parser.parse_args(words, argparse.Namespace(run=None))
    arguments.given = [name for name, value in vars(arguments).items() if name != "given"
                       and value != parser.get_default(name)]
    if arguments.sections:
        refuse_unheard(arguments, HEARD_BY_SECTIONS, "with --sections, which draws no traces")
    if len(arguments.gather) > 1:
        for name in {"minus", "sections", "spectrum", "title"} & set(arguments.given):
            parser.error(f"--{name} is given with {len(arguments.gather)} files; give one")
    return arguments


def refuse_unheard(arguments, heard, why):
    for name in arguments.given:
        if name not in heard:
            fail(USAGE, f"--{name} is given {why}; see minimod plot --help")


ARGUMENTS = parse_arguments()

try:
    import h5py  # noqa: F401
    import matplotlib

    matplotlib.use("Agg")
    warnings.filterwarnings("ignore", message="Glyph")  # a name in a script that the font lacks
except ImportError as error:
    fail(UNAVAILABLE, f"{error.name} cannot be imported; install h5py and matplotlib")

from plotting import files, geometry, pictures, processing, segy, snapshots  # noqa: E402
from plotting.saving import check_output, save  # noqa: E402
from plotting.section_picture import sections_picture  # noqa: E402


def title_of(shot, more=""):
    x, y, z = shot.source
    others = f" and {shot.others} more" if shot.others else ""
    shots = f"{shot.shots} shots" if getattr(shot, "shots", 1) > 1 else ""
    parts = [shots, f"source at ({x:g}, {y:g}, {z:g}) m{others}", getattr(shot, "kernel", ""), more]
    return "\n".join(filter(None, [shot.model, ", ".join(filter(None, parts))]))


def processed(gather, arguments):
    """The gather with gain and in reduced time, what its traces are now, and their unit."""
    dt = (gather.time[-1] - gather.time[0]) / max(len(gather.time) - 1, 1)
    traces, time, name, unit = gather.traces, gather.time, "u", gather.units
    if arguments.gain is not None:
        traces = processing.power_gain(traces, time, arguments.gain)
        name, unit = f"u t^{arguments.gain:g}", f"s^{arguments.gain:g} {unit}"
    if arguments.agc is not None:
        traces = processing.automatic_gain(traces, dt, arguments.agc)
        name, unit = f"u / its RMS in {arguments.agc:g} s", "1"
    begin, end = arguments.time
    if arguments.reduce is not None:
        traces, time = processing.reduced(traces, time, gather.distance(), arguments.reduce)
        begin = gather.time[0] if begin is None else begin
    first, last = time[0] if begin is None else begin, time[-1] if end is None else end
    traces, time = processing.within(traces, time, first, last)
    if len(time) == 0:
        fail(USAGE, f"--time {first:g}:{last:g} holds no sample; the traces go from {gather.time[0]:g} to "
                    f"{gather.time[-1]:g} s")
    return dataclasses.replace(gather, traces=traces, time=time), name, unit


def read_gather(path, choose):
    return (segy if segy.is_name(path) else files).read_gather(path, choose)


def panel_of(path, arguments):
    """The traces of a file as they are drawn."""
    def choose(receivers):
        return geometry.chosen(receivers, arguments.line, arguments.traces)

    gather, more = read_gather(path, choose), ""
    if arguments.minus:
        other = read_gather(arguments.minus, choose)
        gather, (whole, worst, index) = files.subtract(gather, other, (path, arguments.minus))
        print(f"difference: relative L2 {whole:.3e} of all traces, {worst:.3e} of receiver {index}, the worst")
        more = f"difference, relative L2 {whole:.2e}"
    gather, name, unit = processed(gather, arguments)
    title = arguments.title or title_of(gather, more)
    if len(arguments.gather) > 1:
        title = os.path.basename(path)
    return pictures.Panel(gather, None, None, f"{name} ({unit})", title)


def draw_traces(arguments):
    arguments.colormap = arguments.colormap or "gray"
    panels = [panel_of(path, arguments) for path in arguments.gather]
    if arguments.spectrum:
        gather, name = panels[0].gather, panels[0].name
        if len(gather.time) < 2:
            fail(USAGE, "a spectrum needs two samples at least; widen --time")
        frequency, amplitude = processing.amplitude_spectrum(gather.traces, gather.time[1] - gather.time[0])
        label = "amplitude of " + name.replace(" (", " (s ", 1)
        return pictures.spectrum_picture(frequency, amplitude, label, panels[0].title)
    for panel in panels:
        panel.gather, panel.position, panel.label = geometry.across(panel.gather, arguments.axis)
    arguments.time_label = f"time - distance / {arguments.reduce:g} m/s (s)" if arguments.reduce else "time (s)"
    return pictures.traces_picture(panels, arguments)


def draw_snapshots(arguments):
    """The figure, or nothing where it has become a film."""
    if len(arguments.gather) > 1:
        fail(USAGE, f"{len(arguments.gather)} files are given with snapshots; give one file of snapshots alone")
    refuse_unheard(arguments, HEARD_BY_SNAPSHOTS, "with snapshots, which have no traces")
    section = snapshots.read_section(arguments.gather[0], arguments)
    if snapshots.is_film(arguments.output):
        snapshots.save_film(section, arguments)
        return None
    return snapshots.snapshots_picture(section, arguments)


def draw_gathers(arguments):
    for name in OF_SNAPSHOTS:
        if name in arguments.given:
            fail(USAGE, f"--{name} is given without snapshots; give a run's NAME.snapshots.h5")
    if snapshots.is_film(arguments.output):
        fail(USAGE, "a film is made of snapshots; give a run's NAME.snapshots.h5, or write a .png")
    return draw_traces(arguments)


def sections_before_a_run(words):
    """The sections that a run with these options would have; the program checks them and says what is wrong."""
    if not os.access(PROGRAM, os.X_OK):
        fail(UNAVAILABLE, f"there is no program {PROGRAM} to ask for the model; call ./minimod plot")
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run([PROGRAM, "section", *words, "--output", folder], stdout=subprocess.DEVNULL).returncode
        if code:
            sys.exit(code)
        return files.read_sections(os.path.join(folder, "sections.h5"))


def main():
    arguments = ARGUMENTS
    check_output(arguments.output, arguments.force)
    grey = False
    if arguments.run is not None:
        sections = sections_before_a_run(arguments.run)
        figure = sections_picture(sections, arguments.title or title_of(sections))
    elif any(snapshots.holds_snapshots(path) for path in arguments.gather):
        figure = draw_snapshots(arguments)
    elif arguments.sections or (len(arguments.gather) == 1 and files.holds_sections_only(arguments.gather[0])):
        sections = files.read_sections(arguments.gather[0])
        figure = sections_picture(sections, arguments.title or title_of(sections))
    else:
        figure = draw_gathers(arguments)
        grey = arguments.colormap == "gray"
    if figure is not None:
        save(figure, arguments.output, grey)
    print(f"picture {arguments.output}, {os.path.getsize(arguments.output)} bytes")


if __name__ == "__main__":
    main()
