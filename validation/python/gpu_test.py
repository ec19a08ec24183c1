"""Arrays of a GPU, in and out, by whichever of cupy and torch is there. Ends with 77 where no GPU is."""
import gc
import importlib.util
import os
import subprocess
import sys
import unittest
import warnings

import minimod
import numpy as np
from minimod.commands import gpus

import bits_test

V = bits_test.velocities()
LIBRARIES = [name for name in ("cupy", "torch") if importlib.util.find_spec(name)]


def devices():
    """GPUs that minimod finds, as it names them."""
    try:
        return gpus("cuda:all")
    except minimod.Error:
        return []


GPUS = devices()


def shot(x=300):
    return minimod.Shot((x, 215, 33), bits_test.RECEIVERS, minimod.ricker(12))


def run(v=V, device="cuda", **options):
    return minimod.run(minimod.Model(v, 10), shot(), **({"tmax": 0.2, "allow_dispersion": True} | options), device=device)


def on_gpu(library, array):
    module = __import__(library)
    return module.asarray(array) if library == "cupy" else module.from_numpy(array).cuda()


def on_host(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else array.get()


def free_bytes():
    """Memory of the first GPU that nobody has."""
    words = ["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout) << 20


class OnGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore", minimod.Note)

    def test_bits_are_the_commands(self):
        files = bits_test.Bits()
        files.setUpClass()
        words = ["-s", "300,215,33", "-r", bits_test.RECEIVERS, "-w", "ricker:f=12", "--tmax", "0.2"]
        for options in ({}, {"boundary": "pml", "kernel": "tma_whole_64x32"}, {"precision": "double"},
                        {"boundary": "sponge", "interpolation": "sinc8"}, {"free_surface": True, "order": 4},
                        {"kernel": "st_reg_fixed_32x32", "boundary": "pml"}):
            options = {"allow_dispersion": True, "device": "cuda"} | options
            with self.subTest(options):
                np.testing.assert_array_equal(run(**options).values, files.typed(*words, **options)[0])
        files.tearDownClass()

    def test_models_on_a_gpu(self):
        expected = run().values
        for library in LIBRARIES:
            with self.subTest(library):
                np.testing.assert_array_equal(run(on_gpu(library, V)).values, expected)
                np.testing.assert_array_equal(run(on_gpu(library, V), "cpu").values, run(device="cpu").values)

    def test_wavefields_are_the_devices_memory(self):
        for library in LIBRARIES:
            with self.subTest(library):
                module = __import__(library)
                solver = minimod.Solver(minimod.Model(V, 10), shot(), tmax=0.2, allow_dispersion=True, device="cuda",
                                        kernel="st_reg_fixed_32x32", boundary="pml")
                solver.step(60)
                view = module.from_dlpack(solver.wavefield)
                self.assertEqual(tuple(view.shape), V.shape)
                before = on_host(view)
                self.assertGreater(np.abs(before).max(), 0)
                view[5, 6, 7] = 3
                self.assertEqual(float(module.from_dlpack(solver.wavefield)[5, 6, 7]), 3)
                solver.add((7, 6, 5), 2)
                self.assertEqual(float(module.from_dlpack(solver.wavefield)[5, 6, 7]), 5)
                del solver
                gc.collect()
                self.assertEqual(float(view[5, 6, 7]), 5)  # a view keeps its solver's memory

    def test_a_solver_has_the_commands_traces(self):
        expected = run(time_dispersion="as-is").values
        solver = minimod.Solver(minimod.Model(V, 10), shot(), tmax=0.2, allow_dispersion=True, device="cuda")
        for steps in (1, 7, 10**6):
            solver.step(min(steps, solver.facts["steps"] - solver.steps))
        np.testing.assert_array_equal(solver.gather().values, expected)
        np.testing.assert_array_equal(solver.run().values, expected)

    def test_runs_leave_nothing(self):
        run(tmax=0.02)
        free = free_bytes()
        for _ in range(100):
            run(tmax=0.02)
        gc.collect()
        self.assertLess(abs(free_bytes() - free), 8 << 20)

    @unittest.skipIf(len(GPUS) < 2, "needs two GPUs")
    def test_surveys_of_all_gpus(self):
        shots = [shot(x) for x in range(200, 360, 20)]
        options = {"tmax": 0.1, "allow_dispersion": True}
        one = [gather.values for _, gather in minimod.survey(minimod.Model(V, 10), shots, device="cuda:0", **options)]
        every = [gather.values for _, gather in minimod.survey(minimod.Model(V, 10), shots, device="cuda:all", **options)]
        np.testing.assert_array_equal(every, one)

    @unittest.skipIf(len(GPUS) < 2, "needs two GPUs")
    def test_the_second_gpu(self):
        expected = run().values
        np.testing.assert_array_equal(run(device="cuda:1").values, expected)
        for library in LIBRARIES:
            with self.subTest(library):
                solver = minimod.Solver(minimod.Model(V, 10), shot(), tmax=0.2, allow_dispersion=True, device="cuda:1")
                solver.step(30)
                view = __import__(library).from_dlpack(solver.wavefield)
                self.assertEqual(view.device.index if library == "torch" else view.device.id, 1)
                self.assertGreater(np.abs(on_host(view)).max(), 0)


if __name__ == "__main__":
    if not GPUS:
        print("no GPU")
        sys.exit(77)
    unittest.main(verbosity=2)
