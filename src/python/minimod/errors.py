"""Errors and notes of the library as Python has them."""
import os
import sys
import warnings

USAGE, DATA, UNAVAILABLE = 64, 65, 69  # exit codes of the command


class Error(Exception):
    """A refusal, in the words of the command.

    code: the exit code that the command would end with (64 arguments, 65 data or physics, 66 a missing file, 69 no such
        device, 71 memory, 73 and 74 files, 75 stopped, 77 permission).
    parameter: the first argument that the message names; None where it names none.
    """

    def __init__(self, message: str, code: int = USAGE, parameter: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.parameter = parameter

    def __reduce__(self):
        return type(self), (str(self), self.code, self.parameter)


class Note(UserWarning):
    """A warning that the command would tell on stderr, such as positions that were moved to nodes."""


def warn(note):
    """Warns at the line that called the package."""
    package = os.path.dirname(__file__)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(note, Note, stacklevel=level)
