"""Arrays of a GPU, in and out, by whichever of cupy and torch is there. Ends with 77 where no GPU is."""
import gc
import importlib.util
import os
import subprocess
import sys
import unittest
import warnings
import weakref

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


def on_gpu(library, array, number=0):
    module = __import__(library)
    if library == "torch":
        return module.from_numpy(array).to(f"cuda:{number}")
    with module.cuda.Device(number):
        return module.asarray(array)


def on_host(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else array.get()


def solver_of(v, device="cuda", **options):
    return minimod.Solver(minimod.Model(v, 10), shot(), device=device,
                          **({"tmax": 0.2, "allow_dispersion": True} | options))


def peak_of(work):
    """Bytes by which the process's memory grows at most while it works."""
    def status(name):
        with open("/proc/self/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


def free_bytes():
    """Memory of the first GPU that nobody has."""
    words = ["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout) << 20


class Models(unittest.TestCase):
    """Arrays of a GPU as models."""

    def setUp(self):
        warnings.simplefilter("ignore", minimod.Note)
        if not LIBRARIES:
            self.skipTest("needs cupy or torch")

    def notes_of(self, call):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            value = call()
        return value, [str(note.message) for note in told if note.category is minimod.Note]

    def test_they_stay_there(self):
        """In C order, with other strides, as doubles, in other units; bits and the checksum are the host's."""
        for options in ({}, {"precision": "double"}, {"free_surface": True, "order": 4},
                        {"crop": ((3, 57), (2, 40), (5, 50))}, {"kernel": "tma_ring_v16", "boundary": "pml"},
                        {"kernel": "tma_whole_64x32", "boundary": "pml"}):
            expected = run(**options)
            for library in LIBRARIES:
                transposed = on_gpu(library, np.ascontiguousarray(V.transpose(1, 2, 0)))
                permuted = transposed.permute(2, 0, 1) if library == "torch" else transposed.transpose(2, 0, 1)
                every_other = on_gpu(library, np.repeat(np.repeat(V, 2, axis=1), 2, axis=2))[:, ::2, ::2]
                for v in (on_gpu(library, V), permuted, every_other, on_gpu(library, V.astype(np.float64))):
                    with self.subTest(options, library=library, dtype=v.dtype):
                        found, notes = self.notes_of(lambda v=v, options=options: run(v, **options))
                        np.testing.assert_array_equal(found.values, expected.values)
                        self.assertEqual(found.attrs["model_crc32"], expected.attrs["model_crc32"])
                        self.assertFalse([note for note in notes if "copied" in note])
                        self.assertEqual(solver_of(v, **options).facts["model_memory"], "cuda:0")

    def test_sections_and_units(self):
        section = np.ascontiguousarray(V[:, 3, :])
        place = minimod.Shot((300, 70, 33), [(100, 70, 20)], minimod.ricker(12))
        options = {"tmax": 0.2, "allow_dispersion": True, "device": "cuda", "extrude": 15}
        kilometres = (section / 1000).astype(np.float32)
        expected = minimod.run(minimod.Model(kilometres, 10, unit="km/s"), place, **options).values
        for library in LIBRARIES:
            model = minimod.Model(on_gpu(library, kilometres), 10, unit="km/s")
            np.testing.assert_array_equal(minimod.run(model, place, **options).values, expected)

    def test_runs_with_other_nodes_copy_them_and_say_so(self):
        for options in ({"decimate": 2}, {"spacing": 11}):
            expected = run(**options).values
            for library in LIBRARIES:
                with self.subTest(options, library=library):
                    v = on_gpu(library, V)
                    found, notes = self.notes_of(lambda v=v, options=options: run(v, **options))
                    np.testing.assert_array_equal(found.values, expected)
                    self.assertEqual(len([note for note in notes if "copied to the host" in note]), 1, notes)

    def test_other_types_are_copied(self):
        whole = V.astype(np.int32)
        expected = run(whole).values
        for library in LIBRARIES:
            found, notes = self.notes_of(lambda library=library: run(on_gpu(library, whole)))
            np.testing.assert_array_equal(found.values, expected)
            self.assertTrue([note for note in notes if "int32" in note], notes)

    def test_the_cpu_takes_them_through_the_host(self):
        expected = run(device="cpu").values
        for library in LIBRARIES:
            v = on_gpu(library, V)
            found, notes = self.notes_of(lambda v=v: run(v, "cpu"))
            np.testing.assert_array_equal(found.values, expected)
            self.assertTrue([note for note in notes if "cuda:0" in note and "through the host" in note], notes)

    def test_the_host_needs_no_room_for_them(self):
        """A quarter of a GB, of which 5 % come to the host: facts of rows, and three sections."""
        large = np.random.default_rng(2).uniform(1500, 2500, (400, 400, 400)).astype(np.float32)
        options = {"kernel": "st_reg_fixed_32x32", "boundary": "pml", "steps": 3}
        place = minimod.Shot((2000, 2000, 200), "line:100,2000,10:3900,2000,10:50", minimod.ricker(12))

        def model(v):
            return minimod.Solver(minimod.Model(v, 10), place, device="cuda", allow_dispersion=True, **options)
        expected, size = model(large).run().values, large.nbytes
        arrays = {library: on_gpu(library, large) for library in LIBRARIES}
        del large
        for library, v in arrays.items():
            solver = model(v)
            np.testing.assert_array_equal(solver.run().values, expected)
            self.assertLess(solver._session.facts["model_bytes_copied"], 0.06 * size)
            del solver
            self.assertLess(peak_of(lambda v=v: model(v).run()), 0.25 * size)

    def test_a_librarys_work_that_goes_on_is_waited_for(self):
        expected = run().values
        for library in LIBRARIES:
            for _ in range(5):
                v = on_gpu(library, np.full_like(V, 9000))
                source = on_gpu(library, V)
                module = __import__(library)
                if library == "torch":
                    with module.cuda.stream(module.cuda.Stream()):
                        module.cuda._sleep(200_000_000)
                        v.copy_(source)
                        model = minimod.Model(v, 10)
                        found = minimod.run(model, shot(), tmax=0.2, allow_dispersion=True, device="cuda")
                else:
                    with module.cuda.Stream(non_blocking=True):
                        heavy = module.ones((4000, 4000), dtype=np.float32)
                        for _ in range(20):
                            heavy = heavy @ heavy * 1e-4
                        v[...] = source + 0 * heavy[0, 0]
                        model = minimod.Model(v, 10)
                        found = minimod.run(model, shot(), tmax=0.2, allow_dispersion=True, device="cuda")
                np.testing.assert_array_equal(found.values, expected)

    def test_a_change_between_runs_is_seen(self):
        expected = run(V + np.float32(100)).values
        for library in LIBRARIES:
            v = on_gpu(library, V)
            model = minimod.Model(v, 10)
            before = minimod.run(model, shot(), tmax=0.2, allow_dispersion=True, device="cuda").values
            np.testing.assert_array_equal(before, run().values)
            v += 100
            after = minimod.run(model, shot(), tmax=0.2, allow_dispersion=True, device="cuda").values
            np.testing.assert_array_equal(after, expected)

    def test_a_solver_keeps_them(self):
        for library in LIBRARIES:
            v = on_gpu(library, V)
            alive = weakref.ref(v)
            solver = solver_of(v)
            expected = solver.run()
            del v
            gc.collect()
            junk = [on_gpu(library, np.full_like(V, 7)) for _ in range(20)]
            again = solver.run()
            np.testing.assert_array_equal(again.values, expected.values)
            self.assertEqual(again.attrs["model_crc32"], expected.attrs["model_crc32"])
            del solver, junk
            gc.collect()
            self.assertIsNone(alive())

    def test_bad_values_are_refused_as_the_hosts(self):
        wrong = V.copy()
        wrong[3, 4, 5] = np.nan
        wrong[9, 1, 1] = -1
        with self.assertRaises(minimod.Error) as expected:
            run(wrong)
        for library in LIBRARIES:
            with self.assertRaises(minimod.Error) as refused:
                run(on_gpu(library, wrong))
            self.assertEqual(str(refused.exception), str(expected.exception))

    def test_gradients_and_surveys(self):
        options = {"tmax": 0.1, "dt": 1.2e-3, "pml_velocity": 2000, "pml_width": 10, "allow_dispersion": True,
                   "device": "cuda"}
        observed = minimod.run(minimod.Model(V + np.float32(50), 10), shot(), **options)
        expected = minimod.gradient(minimod.Model(V, 10), shot(), observed, **options)
        shots = [shot(x) for x in (200, 300)]
        gathers = [gather.values for _, gather in minimod.survey(minimod.Model(V, 10), shots, tmax=0.1,
                                                                 allow_dispersion=True, device="cuda:0")]
        for library in LIBRARIES:
            model = minimod.Model(on_gpu(library, V), 10)
            found = minimod.gradient(model, shot(), observed, **options)
            np.testing.assert_array_equal(found["gradient"].values, expected["gradient"].values)
            found = [gather.values for _, gather in minimod.survey(model, shots, tmax=0.1, allow_dispersion=True,
                                                                   device="cuda:0")]
            np.testing.assert_array_equal(found, gathers)

    @unittest.skipIf(len(GPUS) < 2, "needs two GPUs")
    def test_two_gpus(self):
        expected, shots = run().values, [shot(x) for x in (200, 240, 280, 320)]
        options = {"tmax": 0.1, "allow_dispersion": True}
        one = [gather.values for _, gather in minimod.survey(minimod.Model(V, 10), shots, device="cuda:0", **options)]
        for library in LIBRARIES:
            v = on_gpu(library, V, 1)
            found, notes = self.notes_of(lambda v=v: run(v, "cuda:1"))
            np.testing.assert_array_equal(found.values, expected)
            self.assertFalse([note for note in notes if "copied" in note])
            self.assertEqual(solver_of(v, "cuda:1").facts["model_memory"], "cuda:1")
            found, notes = self.notes_of(lambda v=v: run(v, "cuda:0"))
            np.testing.assert_array_equal(found.values, expected)
            self.assertTrue([note for note in notes if "cuda:1" in note and "through the host" in note], notes)
            every = [gather.values for _, gather in minimod.survey(minimod.Model(v, 10), shots, device="cuda:all",
                                                                   **options)]
            np.testing.assert_array_equal(every, one)


class OnGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore", minimod.Note)

    @unittest.skipIf(bits_test.h5py is None, "needs h5py")
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
        models = [V] + [on_gpu(library, V) for library in LIBRARIES]
        for v in models:
            run(v, tmax=0.02)
        free = free_bytes()
        for i in range(200):
            run(models[i % len(models)], tmax=0.02)
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
