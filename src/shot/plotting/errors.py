"""A wrong input ends in one line on stderr and an exit code of sysexits, as in the program itself."""
import sys

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, PERMISSION = 64, 65, 66, 69, 73, 77


def line_of(message):
    line = "".join(c if c.isascii() and c.isprintable() else "?" for c in message)
    return f"minimod: {line}"[:240]


def fail(code, message):
    print(line_of(f"error: {message}"), file=sys.stderr)
    sys.exit(code)


def note(message):
    """What is drawn otherwise than it was asked for."""
    print(line_of(message), file=sys.stderr)


def shown(path):
    return repr(path if len(path) <= 80 else path[:77] + "...")
