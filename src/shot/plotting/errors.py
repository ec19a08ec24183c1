"""A wrong input ends in one line on stderr and an exit code of sysexits, as in the program itself."""
import sys

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, PERMISSION = 64, 65, 66, 69, 73, 77


def fail(code, message):
    line = "".join(c if c.isascii() and c.isprintable() else "?" for c in message)
    print(f"minimod: error: {line}"[:240], file=sys.stderr)
    sys.exit(code)


def shown(path):
    return repr(path if len(path) <= 80 else path[:77] + "...")
