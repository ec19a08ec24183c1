#!/usr/bin/env python3
"""Draws shot gathers, a spectrum, a difference from another, the model they were made in, or snapshots.

    minimod plot shot_gather.h5 -o gather.png --clip 99 --title "Shot 1"
    minimod plot survey --shot 7 -o shot7.png
    minimod plot shot_gather.snapshots.h5 -o film.gif
    minimod plot --model constant:2000 --source 500,500,100 -o model.png
"""
import dataclasses
import os
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True  # the sources' folder may be read-only, and is not ours to fill

from plotting import options  # noqa: E402
from plotting.errors import UNAVAILABLE, USAGE, Printed, fail, say_waiting, tell  # noqa: E402

if sys.stdout is not None:  # closed from the start
    sys.stdout = Printed(sys.stdout)

PROGRAM = os.environ.get("MINIMOD_PROGRAM") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bin", "minimod")
ARGUMENTS = options.parse(sys.argv[1:])

try:
    import h5py  # noqa: F401
    import matplotlib

    matplotlib.use("Agg")
    warnings.filterwarnings("ignore", message="Glyph")  # a name in a script that the font lacks
except ImportError as error:
    fail(UNAVAILABLE, f"{error.name} cannot be imported; install h5py and matplotlib")

from plotting import files, geometry, pictures, processing, selection, snapshots, stencil_fields, titles  # noqa: E402
from plotting.saving import check_output, save  # noqa: E402
from plotting.section_picture import sections_picture  # noqa: E402


def processed(gather, arguments):
    """The gather with gain and in reduced time, what its traces are now, and their unit."""
    dt = (gather.time[-1] - gather.time[0]) / max(len(gather.time) - 1, 1)
    traces, time, name, unit = gather.traces, gather.time, "u", gather.units
    if arguments.gain is not None:
        traces = processing.power_gain(traces, time, arguments.gain)
        power = "" if arguments.gain == 1 else f"^{arguments.gain:g}"
        name, unit = f"u t{power}", f"s{power} {unit}"
    if arguments.agc is not None:
        traces = processing.automatic_gain(traces, dt, arguments.agc)
        name, unit = f"u / its RMS in {arguments.agc:g} s", "1"
    begin, end = arguments.time
    if arguments.reduce is not None:
        traces, time = processing.reduced(traces, time, gather.positions.distance(), arguments.reduce)
        begin = gather.time[0] if begin is None else begin
    first, last = time[0] if begin is None else begin, time[-1] if end is None else end
    traces, time = processing.within(traces, time, first, last)
    if len(time) == 0:
        fail(USAGE, f"--time {first:g}:{last:g} holds no sample; the traces go from {gather.time[0]:g} to "
                    f"{gather.time[-1]:g} s")
    return dataclasses.replace(gather, traces=traces, time=time), name, unit


def panel_of(path, arguments):
    """The traces of a file as they are drawn; their axis follows."""
    gather, more = selection.read_gather(path, arguments), ""
    if arguments.minus:
        other = selection.read_gather(arguments.minus, arguments)
        gather, (whole, worst, index) = files.subtract(gather, other, (path, arguments.minus))
        tell(f"difference: relative L2 {whole:.3e} of all traces, {worst:.3e} of receiver {index}, the worst")
        more = f"difference, relative L2 {whole:.2e}"
    gather, name, unit = processed(gather, arguments)
    if len(arguments.gather) > 1:
        title = titles.of_panel(gather, titles.name_among(path, arguments.gather))
    else:
        title = arguments.title or titles.of_gather(gather, more)
    return pictures.Panel(gather, None, f"{name} ({unit})", title)


def draw_spectrum(panel):
    if len(panel.gather.time) < 2:
        fail(USAGE, "a spectrum needs two samples at least; widen --time")
    dt = panel.gather.time[1] - panel.gather.time[0]
    frequency, amplitude = processing.amplitude_spectrum(panel.gather.traces, dt)
    label = "amplitude of " + panel.name.replace(" (", " (s ", 1)
    return pictures.spectrum_picture(frequency, amplitude, label, panel.title)


def draw_traces(arguments):
    """The figure, and whether it has no colours."""
    options.refuse_unheard(arguments, options.picture_of_traces(arguments))
    panels = [panel_of(path, arguments) for path in arguments.gather]
    if arguments.spectrum:
        return draw_spectrum(panels[0]), False
    if all(panel.is_one for panel in panels):
        options.refuse_unheard(arguments, options.ONE_TRACE)
    for panel in panels:
        panel.gather, panel.axis = geometry.across(panel.gather, arguments.axis)
    arguments.time_label = f"time - distance / {arguments.reduce:g} m/s (s)" if arguments.reduce else "time (s)"
    return pictures.traces_picture(panels, arguments), arguments.colormap != "seismic"


def draw_snapshots(arguments):
    """The figure, or nothing where it has become a film."""
    if len(arguments.gather) > 1:
        fail(USAGE, f"{len(arguments.gather)} files are given with snapshots; give one file of snapshots alone")
    is_film = options.is_film(arguments.output)
    options.refuse_unheard(arguments, options.FILM if is_film else options.SECTIONS_AT_TIMES)
    section = snapshots.read_section(arguments.gather[0], arguments)
    if is_film:
        snapshots.save_film(section, arguments)
        return None
    return snapshots.snapshots_picture(section, arguments)


def draw_fields(arguments):
    if len(arguments.gather) > 1 or options.is_film(arguments.output):
        fail(USAGE, "a picture of a stencil's fields is a .png, .svg or .pdf of one file; give one and such a name")
    options.refuse_unheard(arguments, options.FIELDS)
    return stencil_fields.fields_picture(arguments.gather[0], arguments)


def draw_sections(sections, frame, title):
    return sections_picture(sections, frame, title or titles.of_sections(sections, frame))


def sections_before_a_run(words):
    """The sections that a run with these options would have; the program checks them and says what is wrong."""
    if not os.access(PROGRAM, os.X_OK):
        fail(UNAVAILABLE, f"there is no program {PROGRAM} to ask for the model; call ./minimod plot")
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run([PROGRAM, "section", *words, "--output", folder], stdout=subprocess.DEVNULL).returncode
        if code:
            sys.exit(code)
        return files.read_sections(os.path.join(folder, "sections.h5"))


def sections_of(arguments):
    """The sections of a gather, or those that stand alone, and what they are drawn in."""
    options.refuse_unheard(arguments, options.SECTIONS)
    sections = selection.read_sections(selection.file_of_shot(arguments.gather[0], arguments.shot))
    selection.require_frame(sections.place, sections.frame, arguments.coordinates, arguments.gather[0])
    return sections, arguments.coordinates or sections.frame


def figure_of(arguments):
    """The figure, and whether it has no colours; no figure where it has become a film."""
    if arguments.run is None and any(snapshots.holds_snapshots(path) for path in arguments.gather):
        return draw_snapshots(arguments), False
    if arguments.run is None and any(stencil_fields.holds_fields(path) for path in arguments.gather):
        return draw_fields(arguments), False
    if options.is_film(arguments.output):
        fail(USAGE, "a film is made of snapshots; give a run's NAME.snapshots.h5, or write a .png")
    if arguments.run is not None:
        sections = sections_before_a_run(arguments.run)
        return draw_sections(sections, sections.frame, arguments.title), False
    if arguments.sections or (len(arguments.gather) == 1 and files.holds_sections_only(arguments.gather[0])):
        return draw_sections(*sections_of(arguments), arguments.title), False
    return draw_traces(arguments)


def main():
    check_output(ARGUMENTS.output, ARGUMENTS.force)
    figure, grey = figure_of(ARGUMENTS)
    if figure is not None:
        save(figure, ARGUMENTS.output, grey)
    say_waiting()
    print(f"picture {ARGUMENTS.output}, {os.path.getsize(ARGUMENTS.output)} bytes")


if __name__ == "__main__":
    main()
