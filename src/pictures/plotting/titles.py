"""Titles of pictures: the model, and where the source is."""
import os

from plotting.positions import FILE, WORDS
from plotting.texts import count_of, point

LONGEST_NAME = 62  # characters of a model or a line
LONGEST_IN_PANEL = 44  # characters above one of several panels
LONGEST_OF_SECTIONS = 84


def shortened(name, most=LONGEST_NAME):
    """The end of it, which says more of a path than its beginning."""
    return name if len(name) <= most else "..." + name[3 - most:]


def name_among(path, paths):
    """A file's name, with its folders where others have the same."""
    name = os.path.basename(os.path.normpath(path))
    same = [other for other in paths if os.path.basename(os.path.normpath(other)) == name]
    return shortened(path if len(same) > 1 else name, LONGEST_IN_PANEL)


def source_line(place, others, frame):
    more = f" and {others} more" if others else ""
    return f"source at {point(place)} {WORDS[frame]}{more}"


def packed(parts, most=LONGEST_NAME):
    """Parts with commas between, in lines of so many characters where no part is longer."""
    lines = []
    for part in filter(None, parts):
        if lines and len(lines[-1]) + len(part) + 2 <= most:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return "\n".join(lines)


def parts_of(gather):
    """The source of a shot, with the shot's number in a survey, or what the traces of several shots have in common."""
    where = gather.positions
    if gather.choice:
        return gather.choice.split(", ")
    return [gather.shot, source_line(where.sources[0], where.beside[0], where.frame)]


def of_gather(gather, more):
    parts = [*parts_of(gather), f"kernel {gather.kernel}" if gather.kernel else "", more]
    return "\n".join(filter(None, [shortened(gather.model), packed(parts)]))


def of_panel(gather, name):
    return f"{name}\n{packed(parts_of(gather), LONGEST_IN_PANEL)}"


def of_sections(sections, frame):
    sources = sections.sources
    place = sections.place.to_file(sources[0]) if frame == FILE else sources[0]
    shots = count_of(sections.shots, "shot") if sections.shots > 1 else ""
    parts = [shots, source_line(place, len(sources) - 1, frame)]
    return "\n".join([shortened(sections.model), packed(parts, LONGEST_OF_SECTIONS)])
