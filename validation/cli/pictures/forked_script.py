"""Calls of a script that draws, in forks of the test: they have the libraries, which take longer to load than most
pictures to draw."""
import multiprocessing
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile

import matplotlib.pyplot  # noqa: F401


def run_main(script, words, out, err):
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.argv = [str(script), *words]
    sys.path.insert(0, str(pathlib.Path(script).parent))
    runpy.run_path(str(script), run_name="__main__")


def run_forked(script, words, folder="."):
    """As subprocess.run([sys.executable, script, *words], cwd=folder, text=True, capture_output=True)."""
    here = os.getcwd()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = multiprocessing.get_context("fork").Process(target=run_main, args=(script, words, out, err))
        os.chdir(folder)
        try:
            process.start()
        finally:
            os.chdir(here)
        process.join()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([script, *words], process.exitcode, out.read(), err.read())
