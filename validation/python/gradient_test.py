"""Gradients of arrays: the command's, derivatives of any misfit, and refusals."""
import contextlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import minimod
import numpy as np
import xarray
from minimod.gradients import compared

N = (20, 18, 24)
z, y, x = np.mgrid[:N[0], :N[1], :N[2]]
BACKGROUND = (1800 + 15 * z).astype(np.float32)
TRUTH = BACKGROUND + np.float32(90) * ((z - 11) ** 2 + (y - 9) ** 2 + (x - 12) ** 2 < 20)
RECEIVERS = [(a, b, 30) for a in range(40, 200, 30) for b in (40, 90, 130)]
OPTIONS = {"steps": 110, "dt": 0.0016, "pml_width": 6, "pml_velocity": 2200.0, "device": "cpu"}


def shots():
    return [minimod.Shot((sx, 90, 30), RECEIVERS, minimod.ricker(13)) for sx in (60, 150)]


def observed():
    return [gather for _, gather in minimod.survey(minimod.Model(TRUTH, 10), shots(), **OPTIONS)]


def open_files():
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            yield os.readlink(f"/proc/self/fd/{number}")


class Gradients(unittest.TestCase):
    def gradient(self, *arguments, **more):
        return minimod.gradient(minimod.Model(BACKGROUND, 10), *arguments, **(OPTIONS | more))

    def test_every_fourth_step(self):
        wanted = observed()
        window = (0, 0.1, 0.06)
        exact = self.gradient(shots(), wanted, window=window)["gradient"].values
        thinned = self.gradient(shots(), wanted, window=window, correlate_every=4)["gradient"].values
        self.assertLess(np.linalg.norm(thinned - exact), 5e-3 * np.linalg.norm(exact))
        self.assertFalse(np.array_equal(thinned, exact))
        for wrong in (0, -1, 1.5, True, "often"):
            with self.assertRaises(minimod.Error) as refusal:
                self.gradient(shots(), wanted, correlate_every=wrong)
            self.assertEqual(refusal.exception.parameter, "correlate_every")

    def test_states_on_disk(self):
        """The same bits with states in a folder, whose file has no name, and a refusal of one that is not there."""
        wanted, own, opened = observed(), shots(), []

        def squares(shot, gather):
            opened.extend(open_files())
            rest = gather.values.astype(float) - wanted[shot.number - 1].values
            return 0.5 * (rest**2).sum(), rest

        model, little = minimod.Model(BACKGROUND, 10), OPTIONS | {"memory": 0.003}
        with tempfile.TemporaryDirectory() as folder:
            xarray.testing.assert_identical(self.gradient(own, None, misfit=squares),
                                            self.gradient(own, None, misfit=squares, memory=0.003, states_on=folder))
            self.assertTrue(any(name.startswith(folder) and name.endswith("(deleted)") for name in opened))
            xarray.testing.assert_identical(minimod.image(model, own, wanted, **OPTIONS),
                                            minimod.image(model, own, wanted, states_on=Path(folder), **little))
            self.assertEqual(os.listdir(folder), [])
        for call in (minimod.gradient, minimod.image):
            with self.assertRaises(minimod.Error) as refusal:
                call(model, own, wanted, states_on=folder, **little)
            self.assertEqual(refusal.exception.code, 73)

    def test_steps_that_are_taken_back(self):
        wanted = observed()
        exact = self.gradient(shots(), wanted)["gradient"].values
        for history, most in (("boundary", 1e-4), ("boundary16", 1e-2)):
            back = self.gradient(shots(), wanted, history=history)["gradient"].values
            self.assertLess(np.linalg.norm(back - exact), most * np.linalg.norm(exact))
            self.assertFalse(np.array_equal(back, exact))
        with self.assertRaises(minimod.Error) as refusal:
            minimod.image(minimod.Model(BACKGROUND, 10), shots(), wanted, history="states", **OPTIONS)
        self.assertEqual(refusal.exception.parameter, "history")

    def test_the_commands_bits(self):
        wanted = observed()
        both = {by: self.gradient(shots(), wanted, by=by) for by in ("v", "slowness2")}
        self.assertEqual((both["v"]["gradient"].shape, both["v"]["gradient"].dtype), (N, np.float32))
        self.assertTrue(np.array_equal(both["v"]["gradient"], self.gradient(shots(), wanted)["gradient"]))
        with self.assertRaises(minimod.Error) as refusal:
            self.gradient(shots(), wanted, by="slowness")
        self.assertEqual(refusal.exception.parameter, "by")
        with tempfile.TemporaryDirectory() as folder:
            BACKGROUND.tofile(f"{folder}/v.bin")
            Path(f"{folder}/receivers.csv").write_text("x,y,z\n" + "".join(f"{a},{b},{c}\n" for a, b, c in RECEIVERS))
            Path(f"{folder}/sources.csv").write_text("x,y,z\n60,90,30\n150,90,30\n")
            words = [os.environ["MINIMOD_PROGRAM"], "gradient", "--model", "v.bin", "--model-dims", "24,18,20",
                     "--model-axes", "z,y,x", "--model-spacing", "10", "--sources", "sources.csv", "--receivers",
                     "receivers.csv", "-w", "ricker:f=13", "--steps", "110", "--dt", "0.0016", "--pml-width", "6",
                     "--pml-velocity", "2200", "--device", "cpu", "--observed", "observed", "-o", "g.h5"]
            Path(f"{folder}/observed").mkdir()
            for number, shot in enumerate(shots(), 1):
                minimod.run(minimod.Model(TRUTH, 10), shot, output=f"{folder}/observed/shot_{number:05}.h5", **OPTIONS)
            for by, ours in both.items():
                subprocess.run([*words, "--by", by, "--force"], cwd=folder, check=True, capture_output=True)
                with h5py.File(f"{folder}/g.h5") as file:
                    for name in ("gradient", "source_illumination", "receiver_illumination", "misfit"):
                        self.assertTrue(np.array_equal(file[name][()], ours[name].values), (by, name))

    def test_workers(self):
        """The same bits by two processes, and misfits that are functions are called here, one at a time."""
        wanted, own = observed(), shots()
        called = []

        def squares(shot, gather):
            called.append((shot.number, os.getpid()))
            rest = gather.values.astype(float) - wanted[shot.number - 1].values
            return 0.5 * (rest**2).sum(), rest

        signature = minimod.Wavelet(np.hanning(30), 0.0016)
        sampled = [minimod.Shot((sx, 90, 30), RECEIVERS, signature) for sx in (60, 100, 150)]
        for given, traces, more in ((own, wanted, {}), (own, None, {"misfit": squares}),
                                    (sampled, [wanted[0].values] * 3, {"by_sources": True})):
            alone = self.gradient(given, traces, **more)
            shared = self.gradient(given, traces, workers=2, **more)
            xarray.testing.assert_identical(alone, shared)
        self.assertEqual(sorted(number for number, _ in called), [1, 1, 2, 2])
        self.assertEqual({process for _, process in called}, {os.getpid()})
        model, of_image = minimod.Model(BACKGROUND, 10), OPTIONS | {"condition": "inverse-scattering"}
        xarray.testing.assert_identical(minimod.image(model, own, wanted, **of_image),
                                        minimod.image(model, own, wanted, workers=2, **of_image))
        for wrong in ({"workers": 0}, {"workers": 2, "device": "cuda:0"}):
            with self.assertRaises(minimod.Error) as refusal:
                self.gradient(own, wanted, **wrong)
            self.assertEqual(refusal.exception.parameter, "workers")
        with self.assertRaises(ZeroDivisionError):
            self.gradient(own, None, misfit=lambda shot, gather: 1 / 0, workers=2)
        with self.assertRaises(minimod.Error) as refusal:
            self.gradient(own, [wanted[0], wanted[1][:3]], workers=2)
        self.assertIn("observed of shot 2", str(refusal.exception))

    def test_images(self):
        """The command's bits, and refusals."""
        one, wanted = shots()[0], observed()[0]
        weights, window = np.linspace(0.2, 1, len(RECEIVERS)), (0.02, 0.1, 0.03)
        with tempfile.TemporaryDirectory() as folder:
            BACKGROUND.tofile(f"{folder}/v.bin")
            np.savetxt(f"{folder}/weights.txt", weights, fmt="%.17g")
            Path(f"{folder}/receivers.csv").write_text("x,y,z\n" + "".join(f"{a},{b},{c}\n" for a, b, c in RECEIVERS))
            minimod.run(minimod.Model(TRUTH, 10), one, output=f"{folder}/observed.h5", **OPTIONS)
            for condition, direct in (("cross", []), ("inverse-scattering", ["--keep-direct"])):
                ours = minimod.image(minimod.Model(BACKGROUND, 10), one, wanted, condition=condition, window=window,
                                     trace_weights=weights, keep_direct=bool(direct), **OPTIONS)
                words = [os.environ["MINIMOD_PROGRAM"], "image", "--model", "v.bin", "--model-dims", "24,18,20",
                         "--model-axes", "z,y,x", "--model-spacing", "10", "--source", "60,90,30", "--receivers",
                         "receivers.csv", "-w", "ricker:f=13", "--steps", "110", "--dt", "0.0016", "--pml-width", "6",
                         "--pml-velocity", "2200", "--device", "cpu", "--observed", "observed.h5", "--condition",
                         condition, *direct, "--window", "0.02,0.1,0.03", "--trace-weights", "weights.txt", "-o",
                         f"{condition}.h5"]
                subprocess.run(words, cwd=folder, check=True, capture_output=True)
                with h5py.File(f"{folder}/{condition}.h5") as file:
                    for name in ("image", "source_illumination", "receiver_illumination", "misfit"):
                        self.assertTrue(np.array_equal(file[name][()], ours[name].values), (condition, name))
        for parameter, more in (("condition", {"condition": "laplace"}), ("observed", {"observed": wanted[1:]}),
                                ("correlate_every", {"correlate_every": 0})):
            with self.assertRaises(minimod.Error) as refusal:
                minimod.image(minimod.Model(BACKGROUND, 10), one, **({"observed": wanted} | more), **OPTIONS)
            self.assertEqual(refusal.exception.parameter, parameter)

    def test_misfits(self):
        one, wanted = shots()[:1], {1: observed()[0]}
        named = self.gradient(one, wanted)
        same = self.gradient(one[0], None, misfit=lambda shot, d: (
            0.5 * float(((d.values.astype(float) - wanted[1].values) ** 2).sum()),
            d.values.astype(float) - wanted[1].values))
        self.assertTrue(np.array_equal(named["gradient"], same["gradient"]))
        self.assertAlmostEqual(float(named["misfit"][0] / same["misfit"][0]), 1, 12)
        scaled = self.gradient(one[0], None, misfit=lambda shot, d: (1, 2 * (d - wanted[1]).values))
        np.testing.assert_allclose(scaled["gradient"], 2 * named["gradient"], rtol=1e-5,
                                   atol=1e-6 * float(abs(named["gradient"]).max()))
        weighted = self.gradient(one, wanted, trace_weights=2 * np.ones(len(RECEIVERS)))
        np.testing.assert_allclose(weighted["gradient"], 4 * named["gradient"], rtol=1e-5,
                                   atol=1e-6 * float(abs(named["gradient"]).max()))
        little = self.gradient(one, wanted, memory=0.01, window=(0.0, 0.1, 0.02), misfit="normalized")
        self.assertTrue(np.isfinite(little["gradient"]).all() and little["misfit"][0] > 0)

    def test_linearised(self):
        """J of a change, and its transpose of any traces."""
        model, options = minimod.Model(BACKGROUND, 10), OPTIONS | {"precision": "double"}
        change = (TRUTH - BACKGROUND) + np.float32(3)
        one, other = minimod.born(model, change, shots(), **options)
        rng = np.random.default_rng(1)
        residual = rng.standard_normal(one.shape)
        gradient = self.gradient(shots()[0], None, misfit=lambda shot, d: (0, residual), **options)["gradient"]
        dot = float((one.values * residual).sum())
        self.assertLess(abs(dot - float((gradient.values * change).sum())), 1e-12 * abs(dot))
        self.assertTrue(np.array_equal(other, minimod.born(model, change, shots()[1], **options)))
        with tempfile.TemporaryDirectory() as folder:
            with h5py.File(f"{folder}/change.h5", "w") as file:
                file.create_dataset("vp", data=change).attrs["axes"] = "z,y,x"
            self.assertTrue(np.array_equal(one, minimod.born(model, f"{folder}/change.h5", shots()[0], **options)))
        for wrong in (change[1:], change[0, 0], "constant:fast", change * np.nan):
            with self.subTest(change=str(wrong)[:20]), self.assertRaises(minimod.Error):
                minimod.born(model, wrong, shots()[0], **options)

    def test_sources(self):
        """A misfit that is linear in the traces is the sum of amplitudes, and of samples, times its derivatives."""
        options, rng = OPTIONS | {"precision": "double"}, np.random.default_rng(2)
        t = np.arange(90) * 0.002
        wavelet = minimod.Wavelet(np.sin(2 * np.pi * 13 * t) * np.exp(-((t - 0.08) / 0.03)**2), 0.002)
        shot = minimod.Shot([(60, 90, 30), (150, 84, 36)], RECEIVERS, wavelet, [1.5, -0.7])
        for more in ({}, {"time_dispersion": "as-is"}, {"interpolation": "nearest"}):
            residual = rng.standard_normal(minimod.run(minimod.Model(BACKGROUND, 10), shot, **options, **more).shape)
            result = self.gradient(shot, None, by_sources=True, **(options | more),
                                   misfit=lambda shot, d: (float((d.values * residual).sum()), residual))
            misfit = float(result["misfit"][0])
            self.assertEqual(result["by_amplitude"].shape, (1, 2))
            for found in (result["by_amplitude"].values[0] @ shot.amplitudes,
                          result["by_wavelet"].values[0] @ wavelet.samples):
                self.assertLess(abs(found - misfit), 1e-11 * abs(misfit))

    def test_descent(self):
        """A step down the gradient lessens the misfit."""
        wanted = observed()
        one = self.gradient(shots(), wanted)
        away = one["gradient"].values * (z > 6)  # from the sources and receivers
        step = 5 * away / abs(away).max()
        other = minimod.gradient(minimod.Model((BACKGROUND - step).astype(np.float32), 10), shots(), wanted, **OPTIONS)
        self.assertLess(float(other["misfit"].sum()), float(one["misfit"].sum()))

    def test_refusals(self):
        shot, good = shots()[0], observed()[0]
        bad = good.copy()
        bad[0, 0] = np.nan
        for wanted, more, parameter in (
                (good[1:], {}, "observed"), (bad, {}, "observed"), ({}, {}, "observed"), (3, {}, "observed"),
                (good.assign_coords(time=good["time"] + 1), {}, "observed"), (good, {"misfit": "l1"}, "misfit"),
                (good, {"window": (1, 0)}, "window"), (good, {"trace_weights": [1, 2]}, "trace_weights"),
                (good, {"trace_weights": np.full(len(RECEIVERS), np.nan)}, "trace_weights"),
                (good, {"window": (5, 6)}, "window"), (good, {"correlate_every": 111}, "correlate_every"),
                (observed()[1], {}, "observed"),
                (None, {"misfit": lambda shot, d: (0, d[1:])}, "misfit"),
                (None, {"misfit": lambda shot, d: (0, np.nan * d)}, "misfit"), (good, {"memory": 1e-7}, None)):
            with self.subTest(parameter), self.assertRaises(minimod.Error) as refused:
                self.gradient(shot, wanted, **more)
            if parameter:
                self.assertEqual(refused.exception.parameter, parameter, str(refused.exception))
        compared(good.assign_attrs(units="Pa"), good, shot)  # nobody knows the unit of these
        with self.assertRaises(minimod.Error) as refused:
            compared(good.assign_attrs(units="Pa"), good.assign_attrs(units="N"), shot)
        self.assertIn("is in 'N', its traces in 'Pa'", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
