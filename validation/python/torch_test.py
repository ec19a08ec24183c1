"""Shots that torch differentiates: gradcheck by V, wavelet and amplitudes; the bits of minimod.gradient."""
import sys
import unittest

import minimod
import numpy as np

try:
    import torch

    import minimod.torch
except ImportError:
    print("torch is not installed")
    sys.exit(77)

N = (12, 11, 14)
z, y, x = np.mgrid[:N[0], :N[1], :N[2]]
V = (1800 + 25 * z + 3 * x).astype(np.float32)
DT = 0.003
RECEIVERS = [(a, 50, 30) for a in range(20, 120, 30)]
# A pml's profile, unlike a cpml's, does not depend on the wavelet.
OPTIONS = {"steps": 70, "dt": 0.0016, "boundary": "pml", "pml_width": 4, "pml_velocity": 2300.0, "device": "cpu",
           "precision": "double", "allow_dispersion": True}


def a_shot(**more):
    t = np.arange(26) * DT
    wavelet = minimod.Wavelet(np.sin(2 * np.pi * 20 * t) * np.exp(-((t - 0.04) / 0.015)**2), DT)
    return minimod.Shot([(40, 50, 40), (86, 43, 51)], RECEIVERS, wavelet, [1.5, -0.7], **more)


class Torch(unittest.TestCase):
    def test_gradcheck(self):
        """Steps of 0.5 m/s, which float32 holds; the traces are linear in wavelet and amplitudes."""
        shot, scale = a_shot(), 1e7
        changes = torch.zeros(5, dtype=torch.float64, requires_grad=True)
        directions = torch.from_numpy(np.stack([(z % 5 == k) * (4 + x % 3) for k in range(5)]).astype(np.float64))
        samples = torch.tensor(shot.wavelets[0].samples, requires_grad=True)
        amplitudes = torch.tensor(shot.amplitudes, dtype=torch.float64, requires_grad=True)

        def weighted(changes, samples, amplitudes):
            v = torch.from_numpy(V).double() + torch.tensordot(changes, directions, 1)
            traces = minimod.torch.traces(v, shot, 10, wavelet=samples, amplitude=amplitudes, **OPTIONS)
            return scale * traces[:, 10::12]

        self.assertTrue(torch.autograd.gradcheck(weighted, (changes, samples, amplitudes), eps=0.125, atol=1e-2,
                                                 rtol=1e-4))

    def test_the_gradients_bits(self):
        shot = a_shot()
        v = torch.from_numpy(V.copy()).requires_grad_()
        traces = minimod.torch.traces(v, shot, 10, **OPTIONS)
        self.assertTrue(np.array_equal(traces.detach(), minimod.run(minimod.Model(V, 10), shot, **OPTIONS)))
        loss = 0.5 * (traces**2).sum()
        loss.backward(retain_graph=True)
        wanted = minimod.gradient(minimod.Model(V, 10), shot, np.zeros(traces.shape), **OPTIONS)["gradient"].values
        self.assertEqual(v.grad.dtype, torch.float32)
        self.assertTrue(np.array_equal(v.grad, wanted.astype(np.float32)))
        loss.backward()
        np.testing.assert_array_equal(v.grad, 2 * wanted.astype(np.float32))

    def test_others(self):
        t = torch.from_numpy(V[:, 5].copy()).requires_grad_()  # a section
        shot = minimod.Shot((40, 50, 40), RECEIVERS, minimod.ricker(20))
        minimod.torch.traces(t, shot, 10, extrude=12, **OPTIONS).abs().sum().backward()
        self.assertEqual(t.grad.shape, t.shape)
        self.assertGreater(float(t.grad.abs().max()), 0)
        with self.assertRaises(TypeError):
            minimod.torch.traces(t, shot, 10, wavelet=torch.ones(4), **OPTIONS)
        with self.assertRaises(minimod.Error):
            minimod.torch.traces(-t, shot, 10, **OPTIONS)
        self.assertFalse(minimod.torch.traces(t.detach(), shot, 10, extrude=12, **OPTIONS).requires_grad)


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # notes of a narrow layer, and of jumps of a wavelet
