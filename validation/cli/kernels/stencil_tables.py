#!/usr/bin/env python3
"""perf/stencil_tables.py on records that the program writes, and on such whose tables are known.

    stencil_tables.py SCRIPT PROGRAM"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

script, program = sys.argv[1:]
folder = Path(tempfile.mkdtemp())


def tables(*records):
    return subprocess.run([sys.executable, "-B", script, *map(str, records)], capture_output=True, text=True, check=False)


def rows(*records):
    """The cells behind stencil and precision of each row, by (table, stencil, precision)."""
    result = tables(*records)
    assert result.returncode == 0, result
    found, table = {}, ""
    for line in result.stdout.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] not in ("stencil", "---"):
            found[table, cells[0], cells[1]] = cells[2:]
        elif line and not line.startswith("|"):
            table = line.split(":")[0]
    return found


def write(name, record):
    (folder / name).write_text(json.dumps(record))
    return folder / name


def bench(name, *kernels, device="NVIDIA H200"):
    """A record with (stencil, precision, kernel, Gpt/s, whether it is right) each."""
    return write(name, {"schema": "minimod.stencil.bench/1", "build": {"git_hash": "abc"}, "device": {"name": device},
                        "grid": {"n": [512, 512, 256]}, "kernels": [
                            {"stencil": stencil, "kernel": kernel, "precision": precision, "verified": right} |
                            ({"operations_a_point": 8, "gpt_per_s": {"min": rate - 1, "median": rate, "max": rate + 1}}
                             if right else {})
                            for stencil, precision, kernel, rate, right in kernels]})


zhang, tang = "Benchmarks of Zhang and Mueller", "Figure 11 of Tang et al."
first = bench("first.json", ("zhang_7", "float", "naive_32x8", 400, True),
              ("zhang_7", "float", "tiled_8x8x8", 900, False), ("zhang_7", "double", "naive_32x8", 200, True),
              ("laplacian", "float", "forward_plane_32x8", 200, True),
              ("laplacian", "float", "forward_plane_64x8_ro", 250, True),
              ("laplacian", "float", "in_plane_full_32x8_r1x1", 300, True),
              ("laplacian", "double", "in_plane_full_32x8_r1x1", 150, True))
second = write("second.json", {
    "schema": "minimod.tune/1", "build": {"git_hash": "abc"}, "device": {"name": "NVIDIA H200"},
    "stencil": {"name": "zhang_7", "arrays": "float,float"}, "precision": "single", "grid": [512, 512, 256],
    "candidates": [
        {"name": "red_black_64x8", "state": "measured", "gpt_per_s": 990.0},
        {"name": "register_tiled_64x8_r2x1", "state": "measured", "gpt_per_s": 450.0},
        {"name": "register_tiled_64x8_r1x1", "state": "refused"}]})
emulated = write("emulated.json", json.loads(second.read_text()) | {"played": True})

found = rows(first, second)
paper = ["64x8 by 32x8, texture", "87.3", "64x3 by 32x3, texture", "108.2"]
assert found[zhang, "zhang_7", "single"] == paper + ["register_tiled_64x8_r2x1", "3600", "450"], found
assert rows(first, emulated)[zhang, "zhang_7", "single"] == paper + ["naive_32x8", "3200", "400"]
assert rows(first)[zhang, "zhang_7", "single"] == paper + ["naive_32x8", "3200", "400"]  # a wrong kernel does not count
assert found[zhang, "zhang_7", "double"][-3:] == ["naive_32x8", "1600", "200"]
assert found[zhang, "himeno", "single"] == ["64x3 by 32x3", "64.6", "64x3 by 32x3", "77.4", "-", "-", "-"]
assert found[tang, "laplacian", "single"] == ["1.78", "1.20", "forward_plane_64x8_ro", "250", "in_plane_full_32x8_r1x1",
                                              "300"]
assert found[tang, "laplacian", "double"] == ["1.32", "-", "-", "-", "in_plane_full_32x8_r1x1", "150"]
assert found[tang, "hyperthermia", "double"][:2] == ["0.95", "-"]
assert len(found) == 8 + 12

result = tables(first, bench("other.json", ("zhang_7", "float", "naive_32x8", 1, True), device="another"))
assert result.returncode == 1 and "records of different devices: NVIDIA H200, another" in result.stderr, result
result = tables(write("no.json", {"schema": "minimod.bench/1"}))
assert result.returncode == 1 and "not a record of minimod bench --stencil" in result.stderr, result



def run(*arguments):
    return subprocess.run([program, *arguments, "--device", "cpu", "--grid", "9", "--steps", "1", "--repeats", "1"],
                          cwd=folder, capture_output=True, text=True, check=True).stdout


ran = run("stencil", "run", "div", "--kernel", "forward_plane_8x8", "--precision", "double", "--json")
run("bench", "--stencil", "grad,zhang_13", "--kernel", "forward_plane_8x8,in_plane_full_8x8_r1x1", "--json",
    "bench.json")
run("tune", "--stencil", "zhang_13", "--kernel", "naive", "--candidates", "naive_32x8", "--output", "tune.json")
found = rows(write("run.json", json.loads(ran)), folder / "bench.json", folder / "tune.json")
assert found[tang, "div", "double"][:2] == ["1.30", "-"] and set(found[tang, "div", "double"][2:]) == {"-"}, found
# Emulated kernels do not count.
assert set(found[tang, "grad", "single"][2:]) == set(found[zhang, "zhang_13", "single"][-3:]) == {"-"}, found
ran = run("stencil", "run", "zhang_13", "--json")
found = rows(write("run.json", json.loads(ran)))
assert found[zhang, "zhang_13", "single"][-3] == "rows" and float(found[zhang, "zhang_13", "single"][-2]) > 0, found
