"""Traces that are drawn: those of a shot, of one offset or of one midpoint, from a gather, a merged file or a survey's
folder."""
import dataclasses
import glob
import os
import re

import numpy as np

from plotting import files, segy
from plotting.errors import DATA, MISSING, USAGE, fail, note, shown, tell
from plotting.geometry import chosen, nearest_level
from plotting.positions import WORDS, joined, require_frame
from plotting.texts import count_of, metres, range_text

MOST_NAMED = 8  # shots in a message
SLACK = 1e-4  # m: positions as near as that to a bin's border are on it


# ---- files

def shot_files(folder):
    """The files of a survey's shots by their numbers: HDF5, or SEG-Y where they are alone. Error 66 without any."""
    for suffix in (".h5", ".sgy"):
        for place in (os.path.join(folder, "shots"), folder):
            found = {int(match[1]): path for path in glob.glob(os.path.join(glob.escape(place), f"shot_*{suffix}"))
                     if (match := re.fullmatch(r"shot_(\d+)", os.path.basename(path).removesuffix(suffix)))}
            if found:
                return dict(sorted(found.items()))
    fail(MISSING, f"{shown(folder)} holds no shots/shot_00001.h5 or such; give a survey's folder, or a file")


def file_of_shot(path, number):
    """The shot's file in a survey's folder; a file is itself."""
    if not os.path.isdir(path):
        return path
    found = shot_files(path)
    if number is None and len(found) == 1:
        return next(iter(found.values()))
    if number not in found:
        refuse_shot(path, list(found), number)
    return found[number]


def read_index(path):
    return (segy if segy.is_name(path) else files).read_index(path)


def read_sections(path):
    return (segy if segy.is_name(path) else files).read_sections(path)


def index_of_folder(path):
    """The traces of all shots, which must have one sampling."""
    parts = [dataclasses.replace(index, positions=numbered(index.positions, number))
             for number, index in ((number, read_index(name)) for number, name in shot_files(path).items())]
    first = parts[0]
    for part in parts:
        if part.time.shape != first.time.shape or np.abs(part.time - first.time).max() > 1e-9:
            fail(DATA, f"{shown(part.path)} has other times than {shown(first.path)}; draw shots of one sampling")
    ends = np.cumsum([len(part.positions) for part in parts])

    def read(numbers):
        pieces = np.split(numbers, np.searchsorted(numbers, ends[:-1]))
        return np.concatenate([part.read(piece - end + len(part.positions))
                               for part, piece, end in zip(parts, pieces, ends) if len(piece)])

    return dataclasses.replace(first, path=path, positions=joined([part.positions for part in parts]), read=read)


def numbered(positions, number):
    """With the number that the file's name has."""
    return dataclasses.replace(positions, shots=np.full(len(positions), number))


# ---- shots

def shots_text(numbers):
    """"1 to 24", or the first of them where some are missing."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    more = ", ..." if len(numbers) > MOST_NAMED else ""
    return ", ".join(str(number) for number in numbers[:MOST_NAMED]) + more


def refuse_shot(path, numbers, wanted):
    if wanted is not None:
        fail(USAGE, f"--shot {wanted} is not in {shown(path)}, which holds {shots_text(numbers)}")
    fail(USAGE, f"{shown(path)} holds {len(numbers)} shots, {shots_text(numbers)}; "
                "give --shot N, --common-offset M or --cmp X[,Y]")


def of_shot(index, wanted):
    """Numbers of the traces of the shot; of an only one also where nobody names it."""
    shots = index.positions.shots
    numbers = np.unique(shots)
    if wanted is None and len(numbers) == 1:
        return np.arange(len(shots))
    if list(numbers) == [files.NO_NUMBER]:
        fail(USAGE, f"--shot {wanted} is given, and {shown(index.path)} holds one shot without a number; leave it out")
    if wanted not in numbers:
        refuse_shot(index.path, numbers.tolist(), wanted)
    return np.flatnonzero(shots == wanted)


# ---- offsets and midpoints

def near_offset(positions, wanted):
    """Numbers of the traces, one a shot at most, whose offset (m) is the nearest to the wanted one, and no farther
    than half the offsets' spacing there. Error 64 where no shot has one."""
    offsets, found = positions.offsets(), []
    numbers, counts = np.unique(positions.shots, return_counts=True)
    for of_this in np.split(np.argsort(positions.shots, kind="stable"), np.cumsum(counts)[:-1]):
        level, reach = nearest_level(offsets[of_this], wanted)
        if abs(level - wanted) <= reach:
            found.append(of_this[np.abs(offsets[of_this] - wanted).argmin()])
    if not found:
        fail(USAGE, f"--common-offset {wanted:g} is near no offset of these shots, which have "
                    f"{range_text(offsets)} m")
    if len(found) < len(numbers):
        note(f"{len(numbers) - len(found)} of {len(numbers)} shots have no trace near the offset of {wanted:g} m")
    return np.array(found)


def bin_width(positions):
    """Half the spacing of the receivers: what midpoints of one shot are apart."""
    same = np.diff(positions.shots) == 0
    steps = np.linalg.norm(np.diff(positions.receivers[:, :2], axis=0), axis=1)[same]
    steps = steps[steps > 0]
    return float(np.median(steps)) / 2 if len(steps) else 0.0


def near_midpoint(positions, wanted):
    """Numbers of the traces whose midpoint lies in the bin around that which is the nearest to `wanted`, (x,) or
    (x, y) in m, and the bin's centre. Error 64 where none is near, or where y is needed."""
    midpoints = positions.midpoints()[:, :2]
    near = np.arange(len(midpoints))
    half = max(bin_width(positions) / 2, 0.01)
    centre = []
    for axis, place in enumerate(wanted):
        level, reach = nearest_level(midpoints[near, axis], place)
        if abs(level - place) > max(reach, half):
            fail(USAGE, f"--cmp {','.join(f'{w:.12g}' for w in wanted)} is near no midpoint; their {'xy'[axis]} is "
                        f"{range_text(midpoints[near, axis])} m {WORDS[positions.frame]}")
        centre.append(level)
        away = midpoints[near, axis] - level
        near = near[(away >= -half - SLACK) & (away < half - SLACK)]
    if len(wanted) == 1 and np.ptp(midpoints[near, 1]) > 2 * half:
        fail(USAGE, f"the midpoints near x = {metres(centre[0])} m have y = "
                    f"{range_text(midpoints[near, 1])} m; give --cmp X,Y")
    return near, centre


# ---- all of it

def picked(index, arguments):
    """Numbers of the traces, and what they are where they are of several shots."""
    where = index.positions
    if arguments.common_offset is not None:
        numbers = near_offset(where, arguments.common_offset)
        offsets = where.offsets()[numbers]
        return numbers, f"offset {range_text(offsets)} m, {count_of(len(numbers), 'shot')}"
    if arguments.cmp is not None:
        numbers, centre = near_midpoint(where, arguments.cmp)
        named = ", ".join(f"{axis} = {metres(place)} m" for axis, place in zip("xy", centre))
        if max(abs(place - wanted) for place, wanted in zip(centre, arguments.cmp)) > 0.01:
            note(f"--cmp {','.join(f'{w:.12g}' for w in arguments.cmp)}: the midpoint {named} is drawn")
        shots = len(np.unique(where.shots[numbers]))
        return numbers, f"midpoint {named} {WORDS[where.frame]}, {count_of(shots, 'shot')}"
    return of_shot(index, arguments.shot), ""


def read_gather(path, arguments):
    """The traces of a file or of a survey's folder that the options take."""
    several = arguments.common_offset is not None or arguments.cmp is not None
    if os.path.isdir(path) and several:
        index = index_of_folder(path)
    else:
        name = file_of_shot(path, arguments.shot)
        index = read_index(name)
        if name != path:
            number = int(re.search(r"(\d+)\.[^.]*$", name)[1])
            index = dataclasses.replace(index, positions=numbered(index.positions, number))
    where = index.positions
    require_frame(where.place, where.frame, arguments.coordinates, path)
    index = dataclasses.replace(index, positions=where.seen(arguments.coordinates))
    numbers, choice = picked(index, arguments)
    kept = chosen(index.positions.at(numbers).receivers, arguments.line, arguments.traces)
    gather = index.gather(np.sort(numbers[kept]), choice)
    if arguments.shot is not None:
        return dataclasses.replace(gather, shot=f"shot {arguments.shot}")
    if choice:
        tell(f"{choice}: {count_of(len(gather.traces), 'trace')}")
    return gather
