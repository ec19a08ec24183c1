#!/usr/bin/env python3
"""compare_records.py COMPARE: compare.py's words on records of bench whose answer is known."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

compare, folder = sys.argv[1], Path(tempfile.mkdtemp())


def record(name, rates, clock=None, seconds_of=lambda rate: 10 / rate):
    """A record of a shape of 10 Gpt a run, with these rates and, where it is given, that clock in MHz."""
    rates = sorted(rates)
    n = len(rates)
    spread = {"min": rates[0], "median": rates[n // 2], "max": rates[-1]}
    if n >= 6:
        spread["median_95"] = [rates[0], rates[-1]] if n < 9 else [rates[1], rates[-2]]
    runs = [{"seconds": seconds_of(rate), "clock_mhz": clock and {"least": clock, "mean": clock}} for rate in rates]
    shape = {"name": "a", "verified": True, "gpt_per_s": spread, "seconds": {"median": seconds_of(spread["median"])},
             "runs": runs}
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"schema": "minimod.bench/1", "device": {"name": "d"}, "shapes": [shape]}))
    return path


def words(base, new, code, *expected, options=()):
    result = subprocess.run([sys.executable, "-B", compare, base, new, *options], capture_output=True, text=True,
                            check=False)
    said = [line.split(" %  ")[1] for line in result.stdout.splitlines()]
    assert (result.returncode, said) == (code, list(expected)), (result, said)


steady = record("steady", [100, 100.1, 100.2, 100.1, 100, 100.2])
words(steady, steady, 0, "same")
words(steady, record("less", [94, 94.1, 94.2, 94.1, 94, 94.2]), 1, "SLOWER")
words(steady, record("more", [106, 106.1, 106.2, 106.1, 106, 106.2]), 0, "faster")
words(steady, record("little", [101, 101.1, 101.2, 101.1, 101, 101.2]), 0, "same")
words(steady, record("little", [101, 101.1, 101.2, 101.1, 101, 101.2]), 0, "faster", options=["--threshold", "0.5"])
noisy = record("noisy", [90, 95, 99, 102, 106, 110])
words(steady, noisy, 0, "cannot tell")
words(noisy, noisy, 0, "cannot tell")
outliers = record("outliers", [60, 99.9, 100, 100, 100, 100.1, 100.1, 100.2, 140])
words(steady, outliers, 0, "same")
words(steady, record("few", [80, 81, 82]), 1, "SLOWER")
fast_clock = record("fast_clock", [100] * 7, 2000)
words(fast_clock, record("slow_clock", [90] * 7, 1800), 1, "SLOWER", "same")
words(fast_clock, record("slow_code", [90] * 7, 2000), 1, "SLOWER", "SLOWER")
words(fast_clock, steady, 0, "same")
