#!/usr/bin/env python3
"""Reverse-time migration of shots over the Marmousi section, extruded along y.

    python src/python/examples/rtm.py --device cuda
    python src/python/examples/rtm.py --decimate 6 --extrude 11 --shots 8 --peak 5 --tmax 3.2     # minutes on two cores

The traces are the section's less those of the section blurred by --blur m, in which they are migrated. The image is
divided by the root of the sources' illumination times the receivers', so that deep reflectors are as strong as
shallow ones.
"""
import marmousi
import minimod
import numpy as np


def migrated(arguments, truth, smooth, spacing):
    """The image [z, x] over the root of both illuminations, 0 in the water."""
    options = marmousi.plan(spacing, arguments.extrude, arguments.tmax, arguments.device)
    shots = marmousi.survey(truth, spacing, arguments.extrude, arguments.shots, arguments.peak)
    observed = [gather for _, gather in minimod.survey(minimod.Model(truth, spacing), shots, **options)]
    count = truth.shape[1]
    from_end = np.minimum(1, np.minimum(np.arange(count), np.arange(count)[::-1]) / (0.1 * count))
    result = minimod.image(minimod.Model(smooth, spacing), shots, observed, condition="inverse-scattering",
                           trace_weights=np.sin(0.5 * np.pi * from_end) ** 2, correlate_every="nyquist",
                           window=(0, 0.9 * arguments.tmax, 0.1 * arguments.tmax), **options)
    light = np.sqrt(result["source_illumination"].values) * np.sqrt(result["receiver_illumination"].values)
    image = result["image"].values / (light + 1e-3 * np.median(light))
    image[:marmousi.sea(truth)] = 0
    return image


def draw(image, truth, spacing, name):
    """Image and section, where matplotlib is installed. Reflectors are peaks where V grows with depth."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True)
    depth, length = (n * spacing / 1000 for n in truth.shape)
    clip = np.quantile(abs(image), 0.98)
    for axis, field, how in ((axes[0], image, {"cmap": "gray", "vmin": -clip, "vmax": clip}),
                             (axes[1], truth, {"cmap": "turbo", "vmin": 1500, "vmax": 4500})):
        axis.imshow(field, extent=(0, length, depth, 0), aspect="auto", **how)
        axis.set_ylabel("z, km")
    axes[-1].set_xlabel("x, km")
    figure.savefig(name, dpi=100)


def parsed():
    parser = marmousi.parser(__doc__, decimate=2, shots=48, blur=90, output="rtm")
    parser.add_argument("--peak", type=float, default=12, help="of the Ricker wavelet in Hz")
    return parser.parse_args()


def main():
    arguments = parsed()
    truth, spacing = marmousi.section(arguments.decimate)
    smooth = marmousi.smoothed(truth, arguments.blur / spacing)
    image = migrated(arguments, truth, smooth, spacing)
    np.savez(f"{arguments.output}.npz", image=image, truth=truth, smooth=smooth, spacing=spacing)
    draw(image, truth, spacing, f"{arguments.output}.png")
    below = slice(marmousi.sea(truth), None)
    reflectors = np.gradient(truth / smooth, axis=0)[below]
    print(f"correlation of the image with the reflectors {np.corrcoef(image[below].flat, reflectors.flat)[0, 1]:.2f}")


if __name__ == "__main__":
    main()
