"""The file of a picture."""
import contextlib
import errno
import io
import os

from PIL import Image  # comes with matplotlib

from plotting.errors import CANNOT_CREATE, PERMISSION, USAGE, fail, shown
from plotting.options import FILMS

SUFFIXES = (".png", ".svg", ".pdf", ".eps", ".ps", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", *FILMS)


def check_output(path, force):
    """Refuses before anything is drawn what stands in the way of the picture."""
    if os.path.splitext(path)[1].lower() not in SUFFIXES:
        fail(USAGE, f"{shown(path)} has no suffix of a picture; give NAME.png, .svg or .pdf, of snapshots also .gif or "
                    ".mp4")
    if os.path.lexists(path) and not (force and os.path.isfile(path)):
        what = "exists; give --force to replace it or another --output"
        if force:
            what = "exists and is no regular file; choose another --output"
        fail(CANNOT_CREATE, f"{shown(path)} {what}")


@contextlib.contextmanager
def refusing(path):
    """An error that hinders the writing of the picture ends in one line."""
    try:
        yield
    except ValueError as error:
        fail(USAGE, f"cannot write {shown(path)}: {error}")
    except OSError as error:
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        fail(PERMISSION if denied else CANNOT_CREATE,
             f"cannot write {shown(path)}: {error.strerror or error}; choose another --output")


@contextlib.contextmanager
def saved_whole(path):
    """A name to write to, of the same suffix, that becomes `path` when all is written."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{os.getpid()}.{name}")
    with refusing(path):
        try:
            yield temporary
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(temporary)


def save(figure, path, grey):
    """Writes `figure` as its name's suffix says; a PNG in bytes of grey where it has no colours."""
    with refusing(path):
        if not path.lower().endswith(".png"):
            figure.savefig(path)
            return
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=120)
        # One byte a pixel instead of four, or three.
        Image.open(buffer).convert("L" if grey else "RGB").save(path, optimize=True)
