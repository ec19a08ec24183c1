"""Gathers of calls have the bits of the command line's."""
import json
import os
import subprocess
import tempfile
import unittest
import warnings

import minimod
import numpy as np
from minimod.commands import program
from minimod.options import as_text

try:
    import h5py
except ImportError:  # the tests that take this file's means need it for files alone
    h5py = None

PROGRAM = program()
SOURCE = (300, 215, 33)
RECEIVERS = "line:10,200,10:480,200,10:24"


def velocities():
    """[z, y, x] of a medium that changes at every node."""
    return (1500 + 500 * np.random.default_rng(1).random((50, 44, 60))).astype(np.float32)


class Bits(unittest.TestCase):
    """One model, as a raw file and as an array."""

    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore", minimod.Note)
        cls.folder = tempfile.TemporaryDirectory()
        cls.v = velocities()
        cls.v.tofile(cls.path("v.bin"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def typed(self, *words, **options):
        """A gather of the program's."""
        model = ["--model", self.path("v.bin"), "--model-dims", "60,44,50", "--model-axes", "z,y,x",
                 "--model-spacing", "10"]
        spelt = [f"--{name.replace('_', '-')}={as_text(name, value)}" for name, value in options.items()]
        files = ["-o", self.path("g.h5"), "--json", self.path("g.json"), "--force"]
        subprocess.run([PROGRAM, *model, *words, *spelt, *files], check=True, capture_output=True)
        with h5py.File(self.path("g.h5")) as file:
            return file["traces"][:], file["time"][:], dict(file.attrs)

    def shot(self, **arguments):
        return minimod.Shot(SOURCE, **({"receivers": RECEIVERS, "wavelet": minimod.ricker(12)} | arguments))

    def test_options(self):
        words = ["-s", "300,215,33", "-r", RECEIVERS, "-w", "ricker:f=12", "--tmax", "0.2"]
        for options in ({}, {"boundary": "pml"}, {"boundary": "sponge"}, {"free_surface": True}, {"order": 4},
                        {"precision": "double"}, {"time_dispersion": "as-is"}, {"interpolation": "sinc8"},
                        {"decimate": 2}, {"crop": ((0, 50), (2, 40), (0, 50))}, {"time_zero": "peak"},
                        {"record_dt": 2e-3}, {"kernel": "reference"}, {"stencil_weights": "taylor", "pml_width": 14},
                        {"schedule": "sequence"}):
            options = {"allow_dispersion": True} | options
            with self.subTest(options):
                traces, times, attributes = self.typed(*words, **options)
                gather = minimod.run(minimod.Model(self.v, 10), self.shot(), tmax=0.2, **options)
                self.assertEqual(gather.dtype, traces.dtype)
                np.testing.assert_array_equal(gather.values, traces)
                np.testing.assert_array_equal(gather.time.values, times)
                told = {name for name in gather.attrs if name in attributes}
                for name in told - {"command_line", "date", "configuration", "model", "record_dt_units"}:
                    np.testing.assert_array_equal(gather.attrs[name], attributes[name], name)

    def test_wavelet_of_samples(self):
        times = 5e-4 * np.arange(400)
        a = (np.pi * 12 * (times - 0.1)) ** 2
        samples = (1 - 2 * a) * np.exp(-a)
        np.savetxt(self.path("w.txt"), samples, fmt="%.17g")
        traces, _, _ = self.typed("-s", "300,215,33", "-r", RECEIVERS, "-w", self.path("w.txt") + "@dt=5e-4", "--tmax",
                                  "0.2", "--allow-dispersion")
        gather = minimod.run(minimod.Model(self.v, 10), self.shot(wavelet=minimod.Wavelet(samples, 5e-4)), tmax=0.2,
                             allow_dispersion=True)
        np.testing.assert_array_equal(gather.values, traces)

    def test_survey(self):
        with open(self.path("s.csv"), "w", encoding="utf-8") as file:
            file.write("x,y,z,amplitude,shot\n300,215,33,1,4\n200,200,30,-2,7\n220,200,30,1.5,7\n")
        folder = self.path("survey")
        subprocess.run([PROGRAM, "--model", self.path("v.bin"), "--model-dims", "60,44,50", "--model-axes", "z,y,x",
                        "--model-spacing", "10", "--sources", self.path("s.csv"), "-r", RECEIVERS, "-w", "ricker:f=12",
                        "--tmax", "0.15", "--allow-dispersion", "-o", folder], check=True, capture_output=True)
        shots = [minimod.Shot([(200, 200, 30), (220, 200, 30)], RECEIVERS, minimod.ricker(12), [-2, 1.5], number=7),
                 self.shot(number=4)]
        files = sorted(name for name in os.listdir(folder) if name.endswith(".h5"))
        for workers in (1, 2):
            found = {shot.number: gather for shot, gather in minimod.survey(
                minimod.Model(self.v, 10), shots, workers=workers, tmax=0.15, allow_dispersion=True)}
            self.assertEqual(list(found), [4, 7])
            for number, name in zip(found, files):
                with h5py.File(os.path.join(folder, name)) as file:
                    np.testing.assert_array_equal(found[number].values, file["traces"][:])

    def test_solver_and_run(self):
        options = {"tmax": 0.2, "allow_dispersion": True}
        traces, _, _ = self.typed("-s", "300,215,33", "-r", RECEIVERS, "-w", "ricker:f=12", time_dispersion="as-is",
                                  **options)
        solver = minimod.Solver(minimod.Model(self.v, 10), self.shot(), **options)
        for chunk in (1, 7, 64, 65, 10**6):
            solver.step(min(chunk, solver.facts["steps"] - solver.steps))
        np.testing.assert_array_equal(solver.gather().values, traces)
        np.testing.assert_array_equal(solver.run().values, traces)
        solver.restart()
        solver.step(solver.facts["steps"])
        np.testing.assert_array_equal(solver.gather().values, traces)

    def test_output(self):
        name = self.path("own.h5")
        gather = minimod.run(minimod.Model(self.v, 10), self.shot(), steps=30, allow_dispersion=True, output=name,
                             snapshot_every="10steps")
        with h5py.File(name) as file:
            np.testing.assert_array_equal(gather.values, file["traces"][:])
        self.assertTrue(os.path.exists(self.path("own.snapshots.h5")))
        with self.assertRaises(minimod.Error) as refused:
            minimod.run(minimod.Model(self.v, 10), self.shot(), steps=30, allow_dispersion=True, output=name)
        self.assertEqual(refused.exception.code, 73)
        minimod.run(minimod.Model(self.v, 10), self.shot(), steps=30, allow_dispersion=True, output=self.path("o.sgy"))
        self.assertTrue(os.path.exists(self.path("o.sgy")))

    def test_traces_as_sources(self):
        self.typed("-s", "300,215,33", "-r", RECEIVERS, "-w", "ricker:f=12", "--tmax", "0.2", "--allow-dispersion")
        os.replace(self.path("g.h5"), self.path("fed.h5"))
        for options in ({}, {"reverse": True}):
            options = {"inject": self.path("fed.h5"), "tmax": 0.2, "allow_dispersion": True} | options
            words = ["-r", "line:100,215,33:400,215,33:7"]
            flags = ["--reverse"] if options.pop("reverse", False) else []
            traces, _, _ = self.typed(*words, *flags, **options)
            shot = self.shot(receivers="line:100,215,33:400,215,33:7")
            gather = minimod.run(minimod.Model(self.v, 10), shot, reverse=bool(flags), **options)
            np.testing.assert_array_equal(gather.values, traces)

    def test_facts(self):
        self.typed("-s", "300,215,33", "-r", RECEIVERS, "-w", "ricker:f=12", "--steps", "30", "--allow-dispersion")
        with open(self.path("g.json"), encoding="utf-8") as file:
            record = json.load(file)
        gather = minimod.run(minimod.Model(self.v, 10), self.shot(), steps=30, allow_dispersion=True)
        facts = minimod.facts(gather)
        self.assertEqual(facts.keys(), record.keys() - {"energy"})  # measured by the command alone
        for part in ("build", "grid", "time", "kernels", "boundary", "source"):
            self.assertEqual(facts[part], record[part], part)


if __name__ == "__main__":
    unittest.main()
