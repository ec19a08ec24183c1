"""What is said: a wrong input ends in one line on stderr and an exit code of sysexits, as in the program itself, and a
picture's facts and notes wait until it is drawn."""
import sys

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, PERMISSION = 64, 65, 66, 69, 73, 77


def line_of(message):
    line = "".join(c if c.isascii() and c.isprintable() else "?" for c in message)
    return f"minimod: {line}"[:240]


def fail(code, message):
    print(line_of(f"error: {message}"), file=sys.stderr)
    sys.exit(code)


WAITING = {}  # lines once each, in their order, and whether they are notes


def note(message):
    """What is drawn otherwise than it was asked for, for stderr."""
    WAITING[line_of(message)] = True


def tell(fact):
    """For stdout."""
    WAITING[fact] = False


def say_waiting():
    for line, is_note in WAITING.items():
        print(line, file=sys.stderr if is_note else sys.stdout)
    WAITING.clear()


def shown(path):
    return repr(path if len(path) <= 80 else path[:77] + "...")
