"""Models that stay where they are, emulated on the host: arrays that say they are a GPU's."""
import gc
import unittest
import warnings
import weakref
from unittest import mock

import minimod
import numpy as np
from minimod import arrays

import bits_test

V = bits_test.velocities()
OPTIONS = {"tmax": 0.1, "allow_dispersion": True, "device": "cpu"}
SHOT = minimod.Shot(bits_test.SOURCE, bits_test.RECEIVERS, minimod.ricker(12))


class OfGpu:
    """An array of a GPU's memory, as DLPack tells it, whose memory is the host's."""

    def __init__(self, values):
        self.values, self.dtype, self.shape, self.streams = values, values.dtype, values.shape, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, **_):
        self.streams.append(stream)
        return self.values.__dlpack__()

    def __getitem__(self, index):
        part = OfGpu(self.values[index])
        part.streams = self.streams
        return part

    def get(self):
        return self.values.copy()


def told_by(call):
    """The value of a call, and its notes."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        value = call()
    return value, [str(note.message) for note in told if note.category is minimod.Note]


def solver_of(model, **options):
    return minimod.Solver(model, SHOT, **OPTIONS | options)


class Models(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", minimod.Note)
        reads = mock.patch.object(arrays._core, "reads_gpu", lambda index: index == 0)
        reads.start()
        self.addCleanup(reads.stop)

    def test_an_array_of_a_gpu_stays_there(self):
        expected = minimod.run(minimod.Model(V, 10), SHOT, **OPTIONS)
        for values in (V.astype(np.float64), np.asfortranarray(V), V[::-1].copy()[::-1]):
            given = OfGpu(values)
            model = minimod.Model(given, 10)
            self.assertIs(model.v, given)
            self.assertEqual(given.streams, [])
            (gather, notes) = told_by(lambda model=model: minimod.run(model, SHOT, **OPTIONS))
            np.testing.assert_array_equal(gather.values, expected.values)
            for name in ("model_crc32", "model_v_min", "model_v_max", "configuration"):
                self.assertEqual(gather.attrs[name], expected.attrs[name])
            self.assertFalse([note for note in notes if "copied" in note])
            self.assertEqual(given.streams, [1])
            copied = solver_of(model).facts["model_bytes_copied"]
            self.assertGreater(copied, 0)
            self.assertLess(copied, V.nbytes / 4)
        self.assertEqual(solver_of(minimod.Model(V, 10)).facts["model_bytes_copied"], 0)

    def test_options_of_the_model(self):
        for options in ({"crop": ((3, 57), (2, 40), (5, 50))}, {"precision": "double"}, {"free_surface": True},
                        {"decimate": 2}, {"spacing": 11}, {"boundary": "pml"}):
            with self.subTest(options):
                found, notes = told_by(lambda options=options: minimod.run(
                    minimod.Model(OfGpu(V.astype(np.float64)), 10), SHOT, **OPTIONS | options))
                expected = minimod.run(minimod.Model(V, 10), SHOT, **OPTIONS | options)
                np.testing.assert_array_equal(found.values, expected.values)
                copies = [note for note in notes if "copied to the host" in note]
                self.assertEqual(len(copies), "decimate" in options or "spacing" in options, notes)

    def test_sections_and_units(self):
        section, shot = V[:, 3, :].astype(np.float64), minimod.Shot((300, 70, 33), [(100, 70, 20)], minimod.ricker(12))
        expected = minimod.run(minimod.Model(section / 1000, 10, unit="km/s"), shot, extrude=15, **OPTIONS)
        given = OfGpu((section / 1000).astype(np.float32).astype(np.float64))
        found = minimod.run(minimod.Model(given, 10, unit="km/s"), shot, extrude=15, **OPTIONS)
        np.testing.assert_array_equal(found.values, expected.values)

    def test_a_change_between_runs_is_seen(self):
        values = V.astype(np.float64)
        model = minimod.Model(OfGpu(values), 10)
        before = minimod.run(model, SHOT, **OPTIONS).values
        values[:] += 100
        after = minimod.run(model, SHOT, **OPTIONS).values
        self.assertFalse(np.array_equal(before, after))
        np.testing.assert_array_equal(after, minimod.run(minimod.Model(values, 10), SHOT, **OPTIONS).values)

    def test_a_solver_keeps_its_models_array(self):
        values = V.astype(np.float64)
        alive = weakref.ref(values)
        solver = solver_of(minimod.Model(OfGpu(values), 10))
        expected = solver.run().values
        del values
        gc.collect()
        self.assertIsNotNone(alive())
        np.testing.assert_array_equal(solver.run().values, expected)
        del solver
        gc.collect()
        self.assertIsNone(alive())

    def test_other_types_are_copied_and_told(self):
        model, notes = told_by(lambda: minimod.Model(OfGpu(V.astype(int)), 10))
        self.assertEqual(model.v.dtype, np.float32)
        self.assertIn("int64", notes[0])
        with mock.patch.object(arrays._core, "reads_gpu", lambda index: False):
            model, notes = told_by(lambda: minimod.Model(OfGpu(V), 10))
        np.testing.assert_array_equal(model.v, V)
        self.assertIn("copied to the host", notes[0])

    def test_bad_arrays(self):
        for values in (np.zeros((2, 2, 2, 2)), np.zeros((0, 3, 3)), np.zeros(5)):
            with self.assertRaises(minimod.Error) as refused:
                minimod.Model(OfGpu(values), 10)
            self.assertEqual(refused.exception.parameter, "v")
        wrong = V.astype(np.float64)
        wrong[3, 4, 5] = np.nan
        with self.assertRaises(minimod.Error) as refused:
            minimod.run(minimod.Model(OfGpu(wrong), 10), SHOT, **OPTIONS)
        self.assertIn("(5, 4, 3)", str(refused.exception))

    def test_another_process_has_a_copy(self):
        shots = [minimod.Shot((x, 200, 30), bits_test.RECEIVERS, minimod.ricker(12)) for x in (200, 300)]
        here = [gather.values for _, gather in minimod.survey(minimod.Model(V, 10), shots, **OPTIONS)]
        given = minimod.Model(OfGpu(V), 10)
        there = [gather.values for _, gather in minimod.survey(given, shots, workers=2, **OPTIONS)]
        np.testing.assert_array_equal(there, here)


if __name__ == "__main__":
    unittest.main()
