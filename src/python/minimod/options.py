"""Options of a run by name, from the table that the command line has."""
import os
import re

import numpy as np

from minimod import _core
from minimod.errors import Error


OPTION = re.compile(r"--([a-z][a-z-]*)")  # as the command line spells it


def options() -> list[dict[str, str]]:
    """Options that `run`, `survey` and `Solver` take by name: a list of dicts with name, type, group and help."""
    def spelt(words):
        return OPTION.sub(lambda one: one[1].replace("-", "_"), words)
    return [{"name": name, "type": kind, "group": group, "help": spelt(words)}
            for name, kind, group, words in _core.options()]


def as_text(name, value):
    """A value in the command line's words: (1, 2, 3) is "1,2,3", ((0, 9), (0, 9), (0, 9)) is "0:9,0:9,0:9"."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return ",".join(":".join(as_text(name, v) for v in part) if isinstance(part, (tuple, list, np.ndarray))
                        else as_text(name, part) for part in value)
    raise Error(f"{name} is a {type(value).__name__}; give a number, a text or a tuple of such", parameter=name)


def given(options):
    """Pairs of names and texts; an option that is None is not given, nor is a flag that is False."""
    return [(name, as_text(name, value)) for name, value in options.items()
            if value is not None and value is not False]


def documented(function):
    """Adds the options' table to a docstring."""
    lines, group = [], None
    for option in options():
        if option["group"] != group:
            group = option["group"]
            lines.append(f"\n    {group}")
        kind = f" ({option['type']})" if option["type"] else ""
        lines.append(f"        {option['name']}{kind}: {option['help']}")
    function.__doc__ = f"{function.__doc__.rstrip()}\n\n    Options, by name:\n" + "\n".join(lines) + "\n"
    return function
