"""Errors and notes. A wrong input ends in one line on stderr and an exit code of sysexits, as in the program itself,
and a picture's facts and notes wait until it is drawn."""
import atexit
import os
import sys

USAGE, DATA, MISSING, UNAVAILABLE, CANNOT_CREATE, IO, PERMISSION = 64, 65, 66, 69, 73, 74, 77


def line_of(message):
    line = "".join(c if c.isascii() and c.isprintable() else "?" for c in message)
    return f"minimod: {line}"[:240]


def fail(code, message):
    print(line_of(f"error: {message}"), file=sys.stderr)
    sys.exit(code)


WAITING = {}  # lines once each, in their order, and whether they are notes


def note(message):
    """Notes for stderr what is drawn otherwise than it was asked for."""
    WAITING[line_of(message)] = True


def tell(fact):
    """For stdout."""
    WAITING[fact] = False


def say_waiting():
    for line, is_note in WAITING.items():
        print(line, file=sys.stderr if is_note else sys.stdout)
    WAITING.clear()


class Printed:
    """A stdout that fails at its end alone: argparse would pass over a failure, print end in a traceback."""

    def __init__(self, stream):
        self.stream, self.failure = stream, None
        atexit.register(self.finish)

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def attempt(self, action, *words):
        try:
            action(*words)
        except OSError as error:
            self.failure = error

    def write(self, words):
        self.attempt(self.stream.write, words)

    def flush(self):
        self.attempt(self.stream.flush)

    def finish(self):
        """Code 74 where not all was taken; a reader that has gone ends nothing."""
        self.flush()
        if self.failure is None:
            return
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())  # Python would complain of it, too
        if not isinstance(self.failure, BrokenPipeError):
            print("minimod: error: stdout did not take all that was printed; print to a place with room",
                  file=sys.stderr, flush=True)
            os._exit(IO)


def shown(path):
    return repr(path if len(path) <= 80 else path[:77] + "...")
