"""Bad input and misuse: the command line's refusals, and never a crash."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import minimod
import numpy as np

V = np.full((30, 30, 30), 2000, np.float32)
MODEL = minimod.Model(V, 10)
SHOT = minimod.Shot((150, 150, 150), [[100, 100, 100]], minimod.ricker(12))


def run(model=MODEL, shot=SHOT, **options):
    return minimod.run(model, shot, **({"steps": 5, "allow_dispersion": True} | options))


class Refusals(unittest.TestCase):
    def refused(self, code, parameter, words, call):
        with self.assertRaises(minimod.Error) as refused:
            call()
        error = refused.exception
        self.assertEqual((error.code, error.parameter), (code, parameter), str(error))
        self.assertIn(words, str(error))
        self.assertNotRegex(str(error), r"--[a-z]|[\x00-\x1f]")

    def test_models(self):
        for wrong, words in ((np.zeros((3, 3), dtype=object), "object"), (np.zeros(5), "shape"), ([], "shape"),
                             (np.zeros((0, 3, 3)), "shape"), (np.zeros((3, 3, 3), complex), "complex"),
                             ([["a"]], "array of"), (np.zeros((2, 2, 2, 2)), "shape")):
            with self.subTest(words):
                self.refused(64, "v", words, lambda wrong=wrong: minimod.Model(wrong, 10))
        for wrong in (float("nan"), 0, -1, float("inf")):
            v = V.copy()
            v[3, 4, 5] = wrong
            self.refused(65, None, "node", lambda v=v: run(minimod.Model(v, 10)))
        for wrong in ((1, 2), (0, 1, 1), -5, float("nan"), "ten", (1, 2, 3, 4)):
            with self.subTest(wrong), self.assertRaises(minimod.Error) as refused:
                minimod.Model(V, wrong)
            self.assertEqual(refused.exception.parameter, "spacing")
        self.refused(64, "spacing", "not given", lambda: minimod.Model(V))
        self.refused(64, "model", "int", lambda: run(5))
        self.refused(66, None, "none.h5", lambda: run("none.h5"))

    def test_arrays_of_any_kind_are_models(self):
        expected = run().values
        for v in (V.astype(float), np.asfortranarray(V), V[::-1, ::-1, ::-1], V.astype(int), V.tolist(),
                  np.broadcast_to(np.float32(2000), V.shape)):
            np.testing.assert_array_equal(run(minimod.Model(v, 10)).values, expected)

    def test_an_array_that_fits_is_not_copied(self):
        self.assertTrue(np.shares_memory(MODEL.v, V))
        self.assertTrue(np.shares_memory(minimod.Model(V[0], 10).v, V))

    def test_shots(self):
        for wrong, parameter in (({"source": (1, 2)}, "source"), ({"source": np.zeros((2, 4))}, "source"),
                                 ({"receivers": [[1, 2]]}, "receivers"), ({"receivers": []}, "receivers"),
                                 ({"wavelet": 5}, "wavelet"), ({"wavelet": ["ricker:f=5"] * 3}, "wavelet"),
                                 ({"amplitude": 0}, "amplitude"), ({"amplitude": float("nan")}, "amplitude"),
                                 ({"number": -1}, "number"), ({"number": 1.5}, "number")):
            with self.subTest(wrong), self.assertRaises(minimod.Error) as refused:
                minimod.Shot(**({"source": (1, 2, 3)} | wrong))
            self.assertEqual(refused.exception.parameter, parameter)
        for shot, words in ((minimod.Shot((1e6, 0, 0)), "outside"), (minimod.Shot((float("nan"), 0, 0)), "outside"),
                            (minimod.Shot((0, 0, 0), [[0, 0, -500]]), "outside")):
            self.refused(65, None, words, lambda shot=shot: run(shot=shot))
        self.refused(66, "wavelet", "riker", lambda: run(shot=minimod.Shot((0, 0, 0), wavelet="riker:f=5")))
        self.refused(65, "wavelet", "finite", lambda: run(
            shot=minimod.Shot((0, 0, 0), wavelet=minimod.Wavelet([1, float("nan")], 1e-3))))
        self.refused(64, "receivers", "", lambda: run(shot=minimod.Shot((0, 0, 0), "line:1,2")))
        self.refused(64, "shot", "tuple", lambda: run(shot=(1, 2, 3)))

    def test_options(self):
        self.refused(64, None, "pml_width", lambda: run(pml_widht=5))
        self.refused(64, None, "unknown", lambda: run(**{"pml-width": 5}))
        self.refused(64, "pml_width", "-3", lambda: run(pml_width=-3))
        self.refused(64, "order", "7", lambda: run(order=7))
        self.refused(64, "boundary", "", lambda: run(boundary="none"))
        self.refused(64, "steps", "", lambda: run(steps=5, tmax=1))
        self.refused(64, "steps", "dict", lambda: run(steps={}))
        self.refused(65, "dt", "stability", lambda: run(dt=1))
        self.refused(64, "device", "gpu", lambda: run(device="gpu"))
        self.refused(64, None, "sources", lambda: run(sources="x.csv"))
        self.refused(64, "snapshot_every", "output", lambda: run(snapshot_every="5steps"))
        self.refused(64, "velocity_unit", "beside a model", lambda: run(velocity_unit="m/s"))

    def test_surveys(self):
        shots = [minimod.Shot((0, 0, 0), number=2), minimod.Shot((0, 0, 0), number=2)]
        self.refused(64, "shots", "its own", lambda: list(minimod.survey(MODEL, shots)))
        self.refused(64, "shots", "empty", lambda: list(minimod.survey(MODEL, [])))
        far = [minimod.Shot((0, 0, 0), number=2), minimod.Shot((1e5, 0, 0), number=3)]
        self.refused(65, None, "shot 3", lambda: minimod.survey(MODEL, far, allow_dispersion=True))
        self.refused(65, None, "shot 3", lambda: list(minimod.survey(MODEL, far, allow_dispersion=True, workers=2)))
        self.refused(64, "workers", "0", lambda: minimod.survey(MODEL, far, workers=0))
        self.refused(64, "device", "auto", lambda: minimod.survey(MODEL, far, device="gpu"))

    def test_workers_are_gone_when_nobody_asks_for_more(self):
        shots = [minimod.Shot((150, 150, 150), [[100, 100, 100]], number=n) for n in range(2, 12)]
        gathers = minimod.survey(MODEL, shots, workers=2, steps=5, allow_dispersion=True)
        next(gathers)
        gathers.close()
        children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True,
                                  check=False).stdout
        self.assertNotIn("minimod.workers", children)

    def test_a_killed_worker_is_an_error(self):
        shots = [minimod.Shot((150, 150, 150), [[100, 100, 100]], number=n) for n in range(2, 12)]
        gathers = minimod.survey(MODEL, shots, workers=2, steps=400, allow_dispersion=True)
        next(gathers)
        subprocess.run(["pkill", "-KILL", "-P", str(os.getpid()), "-f", "minimod.workers"], check=True)
        self.refused(70, None, "worker", lambda: list(gathers))

    def test_errors_are_pickled(self):
        error = pickle.loads(pickle.dumps(minimod.Error("a", 65, "v")))
        self.assertEqual((str(error), error.code, error.parameter), ("a", 65, "v"))

    def test_notes_are_warnings_of_the_line_that_called(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run(shot=minimod.Shot((3, 3, 3)), interpolation="nearest", steps=5)
        notes = [note for note in told if note.category is minimod.Note]
        self.assertTrue(any("moved" in str(note.message) for note in notes), told)
        self.assertTrue(all(note.filename == __file__ for note in notes))
        self.assertNotRegex(" ".join(str(note.message) for note in notes), r"[\x00-\x1f]")


class Solvers(unittest.TestCase):
    def solver(self, **options):
        return minimod.Solver(MODEL, SHOT, **({"allow_dispersion": True, "steps": 100} | options))

    def test_views_are_of_the_memory_and_keep_it(self):
        solver = self.solver()
        solver.step(40)
        u = solver.wavefield
        self.assertEqual(u.shape, (30, 30, 30))
        self.assertGreater(np.abs(u).max(), 0)
        copy = u.copy()
        solver.close()
        del solver
        gc.collect()
        np.testing.assert_array_equal(u, copy)

    def test_a_view_is_written_to(self):
        solver, other = self.solver(), self.solver()
        solver.wavefield[10, 11, 12] = 1
        other.add((12, 11, 10), 1)
        solver.step(20)
        other.step(20)
        np.testing.assert_array_equal(solver.wavefield, other.wavefield)

    def test_the_layer_surrounds_the_model(self):
        solver = self.solver(pml_width=7)
        solver.step(30)
        whole = solver.wavefield_with_layer
        self.assertEqual(whole.shape, (44, 44, 44))
        np.testing.assert_array_equal(whole[7:-7, 7:-7, 7:-7], solver.wavefield)

    def test_many_steps_beyond_the_plan(self):
        solver = self.solver(steps=50)
        solver.step(500)
        self.assertEqual(solver.steps, 500)
        self.assertAlmostEqual(solver.time, 500 * solver.dt)
        self.assertEqual(solver.gather().shape, (1, 501))
        self.assertTrue(np.isfinite(solver.wavefield).all())

    def test_misuse(self):
        solver = self.solver()
        for wrong in (-1, 1.5, "5", True, 2**40):
            with self.assertRaises(minimod.Error):
                solver.step(wrong)
        with self.assertRaises(minimod.Error):
            solver.add((30, 0, 0), 1)
        with self.assertRaises(minimod.Error):
            solver.restart(minimod.Shot((0, 0, 0), wavelet=minimod.Wavelet([0, 1, 0], 1e-2)))
        with self.assertRaises(minimod.Error):
            solver.restart(minimod.Shot((0, 0, 0), wavelet="ricker:f=3"))
        solver.run()
        with self.assertRaises(minimod.Error):
            solver.step()
        solver.restart()
        solver.step()
        solver.close()
        for use in (solver.step, lambda: solver.wavefield, solver.gather, solver.run, lambda: solver.time):
            with self.assertRaises(minimod.Error):
                use()

    def test_one_solver_in_two_threads(self):
        solver, outcomes = self.solver(), []
        begin = threading.Barrier(2)

        def step():
            begin.wait()
            try:
                solver.step(1000)
                outcomes.append(None)
            except minimod.Error as error:
                outcomes.append(error)
        threads = [threading.Thread(target=step) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(outcome is None for outcome in outcomes), 1, outcomes)
        self.assertIn("another thread", str(next(filter(None, outcomes))))

    def test_solvers_of_two_threads(self):
        alone = self.solver()
        alone.step(300)
        found = {}

        def work(name):
            solver = self.solver()
            for _ in range(30):
                solver.step(10)
            found[name] = solver.wavefield.copy()
        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for u in found.values():
            np.testing.assert_array_equal(u, alone.wavefield)

    def test_other_threads_go_on(self):
        ticks, ends = [], threading.Event()

        def tick():
            while not ends.wait(0.005):
                ticks.append(time.monotonic())
        thread = threading.Thread(target=tick)
        thread.start()
        self.solver().step(1000)
        ends.set()
        thread.join()
        self.assertGreater(len(ticks), 5)


class Processes(unittest.TestCase):
    def test_ctrl_c_ends_a_run(self):
        code = ("import minimod, numpy as np, time\n"
                "model = minimod.Model(np.full((80, 80, 80), 2000, np.float32), 10)\n"
                "shot = minimod.Shot((400, 400, 400), wavelet=minimod.ricker(12))\n"
                "print('begun', flush=True)\n"
                "try:\n    minimod.run(model, shot, steps=20000)\n"
                "except KeyboardInterrupt:\n    print('interrupted', time.monotonic(), flush=True)\n"
                "gather = minimod.run(model, shot, steps=3)\n"
                "print(gather.shape[1])\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begun\n")
        time.sleep(3)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        word, at = child.stdout.readline().split()
        self.assertEqual(word, "interrupted")
        self.assertLess(float(at) - sent, 2)
        self.assertEqual(child.stdout.readline(), "4\n")
        self.assertEqual(child.wait(60), 0)

    def test_ctrl_c_ends_planning(self):
        code = ("import minimod, numpy as np, time\n"
                "model = minimod.Model(np.full((200, 200, 200), 2000, np.float32), 10)\n"
                "print('begun', flush=True)\n"
                "try:\n    minimod.Solver(model, spacing=(5, 5, 5), steps=1)\n"
                "except KeyboardInterrupt:\n    print('interrupted', time.monotonic(), flush=True)\n"
                "print(minimod.Solver('constant:2000', grid=40, steps=1).steps)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begun\n")
        time.sleep(1)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        word, at = child.stdout.readline().split()
        self.assertEqual(word, "interrupted")
        self.assertLess(float(at) - sent, 1.5)
        self.assertEqual(child.stdout.readline(), "0\n")
        self.assertEqual(child.wait(60), 0)

    def test_a_forked_process_is_told_what_to_do(self):
        run()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run()
            except minimod.Error as error:
                code = 0 if error.code == 69 and "spawn" in str(error) else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_process_ends_with_a_solver_that_lives(self):
        code = ("import minimod, numpy as np\n"
                "solver = minimod.Solver(minimod.Model(np.full((30, 30, 30), 2000, np.float32), 10), steps=9)\n"
                "solver.step(3)\nview = solver.wavefield\n")
        subprocess.run([sys.executable, "-W", "error::ResourceWarning", "-c", code], check=True, timeout=60)

    def test_a_gather_without_xarray_is_refused(self):
        code = ("import sys\nsys.modules['xarray'] = None\nimport minimod\n"
                "try:\n    minimod.run('constant:2000', minimod.Shot((100, 100, 100)), grid=60, spacing=10, steps=3, "
                "allow_dispersion=True)\n"
                "except minimod.Error as error:\n    print(error.code, error)\n")
        said = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(said.stdout.split()[0], "69", said.stdout)
        self.assertIn("pip install xarray", said.stdout)

    def test_importing_is_quick_and_touches_no_device(self):
        code = "import sys, minimod; assert 'xarray' not in sys.modules and 'torch' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)


def resident():
    """Bytes of the process in memory."""
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Memory(unittest.TestCase):
    def test_a_thousand_runs_leak_nothing(self):
        solver = minimod.Solver(MODEL, SHOT, steps=2, allow_dispersion=True)
        for _ in range(100):
            solver.run()
        run()
        before = resident()
        for _ in range(1000):
            solver.run()
        for _ in range(30):
            run(steps=2)
        gc.collect()
        self.assertLess(resident() - before, 8 << 20)


if __name__ == "__main__":
    unittest.main()
