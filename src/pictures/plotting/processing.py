"""Processing of traces [receiver, time] before they are drawn: arrays in, arrays out."""
import numpy as np

LEAST_AGC_SHARE = 1e-5  # share of a trace's greatest |u|: an AGC does not lift what lies deeper


def power_gain(traces, time, power):
    """u t^power; 0 before t = 0."""
    return traces * np.maximum(time, 0) ** power


def automatic_gain(traces, dt, window):
    """u over its root mean square in a window of so many seconds around each sample, cut off at the trace's ends."""
    samples = traces.shape[1]
    half = max(int(round(window / dt)) // 2, 1)
    sums = np.concatenate([np.zeros((len(traces), 1)), np.cumsum(traces.astype(np.float64) ** 2, axis=1)], axis=1)
    first = np.maximum(np.arange(samples) - half, 0)
    last = np.minimum(np.arange(samples) + half + 1, samples)
    root = np.sqrt(np.maximum(sums[:, last] - sums[:, first], 0) / (last - first))
    floor = LEAST_AGC_SHARE * np.abs(traces).max(axis=1, keepdims=True)
    floor[floor == 0] = 1
    return traces / np.maximum(root, floor)


def reduced(traces, time, distance, velocity):
    """The traces against t - distance / velocity, and that time (s), from the first of `time` less the greatest delay
    on; interpolated linearly, 0 where nothing was recorded. `distance` (m) is one of a trace."""
    dt = (time[-1] - time[0]) / max(len(time) - 1, 1)
    delay = distance / velocity
    count = len(time) + int(np.ceil((delay.max() - delay.min()) / dt)) if dt > 0 else 1
    axis = time[0] - delay.max() + dt * np.arange(count)
    moved = [np.interp(axis + late, time, trace, left=0, right=0) for late, trace in zip(delay, traces)]
    return np.array(moved), axis


def within(traces, time, begin, end):
    """The samples of begin <= t <= end (s), and their times."""
    slack = 1e-9 * max(abs(begin), abs(end), 1)
    inside = (time >= begin - slack) & (time <= end + slack)
    return traces[:, inside], time[inside]


def amplitude_spectrum(traces, dt):
    """Frequencies (Hz), and |U(f)|, the Fourier integral of u over t, of each trace (unit of u times s)."""
    return np.fft.rfftfreq(traces.shape[1], dt), np.abs(np.fft.rfft(traces, axis=1)) * dt


def clip_level(traces, percentile):
    """The value drawn black: the percentile of |u|, or the largest where most of the gather is silent."""
    sizes = np.abs(traces[np.isfinite(traces)])
    if sizes.size == 0 or sizes.max() == 0:
        return 1.0
    return float(np.percentile(sizes, percentile)) or float(sizes.max())
