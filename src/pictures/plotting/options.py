"""The options of `minimod plot`, and which of them each picture hears: any other is refused, none dropped."""
import argparse

from plotting.errors import USAGE, fail

DESCRIPTION = """Draws what a run left: its traces (time down; of several gathers side by side with one clip), their
amplitude spectrum, their difference from another gather, sections of the model with source and receivers, or snapshots
of the wavefield, as sections at some times or as a film. Of a merged file or a survey's folder it draws one shot, or
the traces of one offset or one midpoint. With --model, --grid, --sources or --config nothing needs to have been run:
the options of a run follow, and the sections are drawn that such a run would have. Of a file of stencil run --write it
draws the fields. Maps have y up, sections z down."""
BEFORE_A_RUN = ("--model", "-m", "--grid", "-g", "--sources", "--config")
FILMS = (".gif", ".mp4")

# ---- options that each picture takes

ALL = frozenset(("run", "gather", "output", "title", "force"))
OF_SHOTS = frozenset(("shot", "common_offset", "cmp"))
TRACES = ALL | OF_SHOTS | {"line", "traces", "time", "coordinates", "minus", "gain", "agc", "reduce"}
SNAPSHOTS = ALL | {"at", "plane", "position", "time", "clip", "colormap"}
HEARD = {
    "an image of traces": TRACES | {"axis", "clip", "colormap"},
    "wiggles": TRACES | {"axis", "clip", "wiggles"},
    "one trace, which is a curve": TRACES,
    "a spectrum": TRACES | {"spectrum"},
    "sections, which have no traces": ALL | {"sections", "shot", "coordinates"},
    "a picture of snapshots": SNAPSHOTS,
    "a film of snapshots": SNAPSHOTS | {"rate"},
    "a picture of a stencil's fields": ALL | {"plane", "position", "clip", "colormap"},
    "slices of a stencil's fields": ALL | {"clip", "colormap"},
}
IMAGE, WIGGLES, ONE_TRACE, SPECTRUM, SECTIONS, SECTIONS_AT_TIMES, FILM, FIELDS, SLICES = HEARD
ALONE = {  # options that others make meaningless, and why
    ("at", "time"): "which both say the times of snapshots",
    ("line", "common_offset"): "which takes one trace a shot",
    ("line", "cmp"): "which takes one midpoint's traces",
}
OF_ONE_FILE = ("minus", "sections", "spectrum", "title")


def spelling(name):
    return "--" + name.replace("_", "-")


def refuse_unheard(arguments, picture):
    """One line for the first option that the picture would drop."""
    for name in arguments.given:
        if name not in HEARD[picture]:
            fail(USAGE, f"{spelling(name)} is given with {picture}; see minimod plot --help")


def refuse_pairs(arguments):
    for (one, other), why in ALONE.items():
        if one in arguments.given and other in arguments.given:
            fail(USAGE, f"{spelling(one)} is given with {spelling(other)}, {why}; give one of them")
    if len(arguments.gather) > 1:
        for name in OF_ONE_FILE:
            if name in arguments.given:
                fail(USAGE, f"{spelling(name)} is given with {len(arguments.gather)} files; give one")


def is_film(path):
    return path.lower().endswith(FILMS)


def picture_of_traces(arguments):
    """As far as the options say it; whether it is one trace, the file says."""
    if arguments.spectrum:
        return SPECTRUM
    return WIGGLES if arguments.wiggles else IMAGE


# ---- values of options

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


def numbers(what, most):
    """A reader of one or more numbers with commas between."""
    def read(value):
        try:
            found = [float(part) for part in value.split(",")]
        except ValueError:
            found = [float("nan")]
        if len(found) > most or not all(abs(part) < float("inf") for part in found):
            raise argparse.ArgumentTypeError(f"{value} is not {what}")
        return found

    return read


def shot_number(value):
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{value} is no number of a shot")
    return int(value)


# ---- the options

def add_output(parser):
    parser.add_argument("-o", "--output", default="gather.png", metavar="PICTURE",
                        help="to write: .png, .svg or .pdf; of snapshots also .gif or .mp4 (%(default)s)")
    parser.add_argument("--title", help="instead of the model and the source")
    parser.add_argument("--force", action="store_true", help="replace a picture that is there")


def add_choice_of_shots(parser):
    group = parser.add_argument_group("of a merged file or a survey's folder")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--shot", type=shot_number, metavar="N",
                     help="the shot of this number: shot_id of HDF5, field record of SEG-Y, in a file's name")
    one.add_argument("--common-offset", type=number("an offset in m", lambda m: True), metavar="M",
                     help="of each shot the trace whose offset is the nearest to M m, signed as SEG-Y has it: negative "
                          "where the receiver's x on the map is less than the source's (or its y, where x is one)")
    one.add_argument("--cmp", type=numbers("X or X,Y in m", 2), metavar="X[,Y]",
                     help="the traces of all shots whose midpoint is the nearest to X, or X and Y, in m")


def add_choice_of_traces(parser):
    group = parser.add_argument_group("what is drawn")
    group.add_argument("--coordinates", choices=("model", "file"),
                       help="of positions in the picture and in --line and --cmp: m from the model's first node, or "
                            "those of its file, a map's (model; of SEG-Y file)")
    group.add_argument("--line", action="append", default=[], metavar="y=Y|N",
                       help="one line of a grid: that nearest to y=300 (or x=, z=; may be given twice), no farther "
                            "than half the lines' spacing, or the N-th along x, from 0")
    group.add_argument("--traces", type=span, default=slice(None), metavar="A:B[:STEP]",
                       help="receivers A to B-1, counted from 0 (on the line, where one is given)")
    group.add_argument("--time", type=interval, default=(None, None), metavar="T0:T1",
                       help="s; reduced time with --reduce (--time=-0.1:1 where T0 is negative)")
    group.add_argument("--axis", choices=("auto", "x", "y", "depth", "offset", "receiver"), default="auto",
                       help="across: x, y or depth of the receivers (or midpoints), offset from the source, signed as "
                            "SEG-Y has it, number (auto: what fits)")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--minus", metavar="GATHER", help="draw the difference from this one, and print its size")
    what.add_argument("--sections", action="store_true", help="draw the model, source and receivers")
    group.add_argument("--spectrum", action="store_true", help="draw the amplitude spectrum of these traces")


def add_choice_of_snapshots(parser):
    group = parser.add_argument_group("of snapshots, planes of a stencil's fields too")
    group.add_argument("--at", type=numbers("T[,T...] in s", 1000), metavar="T[,T...]",
                       help="s: the nearest of them (six of all, or of --time)")
    group.add_argument("--plane", choices=("xz", "yz", "xy"), default="xz",
                       help="which section, or the map (%(default)s)")
    group.add_argument("--position", type=number("a position in m", lambda p: True), metavar="P",
                       help="m in the model: where the section is (through the source); of a stencil's fields a point's "
                            "number (the middle)")
    group.add_argument("--rate", type=number("above 0 and up to 100", lambda r: 0 < r <= 100), default=10.0,
                       metavar="N", help="snapshots of a film in a second (%(default)g)")


def add_processing(parser):
    group = parser.add_argument_group("how it is drawn")
    gain = group.add_mutually_exclusive_group()
    gain.add_argument("--gain", type=number("a power from -10 to 10", lambda n: abs(n) <= 10), metavar="N",
                      help="multiply by t^N, from t = 0 on (1 makes up for the spreading of a body wave)")
    gain.add_argument("--agc", type=number("above 0 s", lambda s: s > 0), metavar="S",
                      help="divide by the root mean square in a window of S seconds")
    group.add_argument("--reduce", type=number("above 0 m/s", lambda v: v > 0), metavar="V",
                       help="m/s: draw t - distance / V, so that waves of this velocity lie flat")
    group.add_argument("--clip", type=number("above 0 and up to 100", lambda p: 0 < p <= 100), default=99.0,
                       metavar="PERCENTILE", help="of |u|: the amplitude drawn black or white (%(default)s)")
    group.add_argument("--wiggles", action="store_true",
                       help="curves with filled positive lobes, not an image (fewer than 24 traces are, without "
                            "--colormap)")
    group.add_argument("--colormap", choices=("gray", "seismic"), help="of the image (gray, of snapshots seismic)")


def parse(words):
    """The options; `given` names those that were. Of a picture before a run, those of the run are in `run`."""
    of_survey = words[:1] == ["--survey"]  # the launcher's word: the options of a run follow, whatever they are
    words = words[1:] if of_survey else words
    before = of_survey or any(word.split("=")[0] in BEFORE_A_RUN for word in words)
    parser = Parser(prog="minimod plot", description=DESCRIPTION, allow_abbrev=False)
    add_output(parser)
    if of_survey:
        parser.add_argument("--plot", dest="output")
        parser.add_argument("--rate")  # rate by which a survey's time is estimated
    if before and not {"-h", "--help"} & set(words):
        arguments, arguments.run = parser.parse_known_args(words)
        return arguments
    parser.add_argument("gather", nargs="+",
                        help="files that minimod wrote, such as shot_gather.h5, SEG-Y, or a survey's folder")
    for add in (add_choice_of_shots, add_choice_of_traces, add_processing, add_choice_of_snapshots):
        add(parser)
    names = [action.dest for action in parser._actions if action.dest != "help"]
    arguments = parser.parse_args(words, argparse.Namespace(**dict.fromkeys(names)))
    arguments.given = [name for name in names if getattr(arguments, name) is not None]
    for name in names:
        if name not in arguments.given:
            setattr(arguments, name, parser.get_default(name))
    arguments.run = None
    refuse_pairs(arguments)
    return arguments
