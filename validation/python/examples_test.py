"""Scripts of src/python/examples, small: an inversion comes nearer to its traces and to the truth, an image to the
reflectors."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "src/python/examples"
SMALL = ["--device", "cpu", "--extrude", "11"]


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, name, *words):
        """Arrays of the .npz that the script leaves, and the text that it prints."""
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", EXAMPLES / f"{name}.py", *SMALL, *words],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / f"{name}.png").stat().st_size)
        with np.load(self.folder / f"{name}.npz") as file:
            return dict(file), done.stdout

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
    def test_fwi(self):
        found, text = self.run_script("fwi", "--decimate", "14", "--shots", "4", "--frequencies", "2,2.5",
                                      "--iterations", "2", "--tmax", "2")
        history = found["history"]
        self.assertEqual(len(text.splitlines()), len(history))
        for frequency in (2, 2.5):
            _, _, misfits, everywhere, lit, _ = history[history[:, 0] == frequency].T
            self.assertEqual(len(misfits), 3)
            self.assertTrue((np.diff(misfits) < 0).all(), misfits)
            self.assertLess(misfits[-1], 0.7)
            self.assertLess(everywhere[-1], everywhere[0])
            self.assertLess(lit[-1], lit[0])
        sea = (found["truth"] == found["start"]).all(axis=1)
        self.assertTrue(sea[0] and np.array_equal(found["v"][sea], found["truth"][sea]))

    def test_rtm(self):
        _, text = self.run_script("rtm", "--decimate", "10", "--shots", "3", "--peak", "3", "--tmax", "2.5")
        self.assertGreater(float(text.split()[-1]), 0.15)


if __name__ == "__main__":
    unittest.main()
