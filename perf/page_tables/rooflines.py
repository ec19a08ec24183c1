"""Tables of rooflines and counters."""

import csv

from .base import GONE, REFERENCES, one, percent, record, table, two

CEILINGS = {
    "dram_read": "memory: reads", "dram_3r1w": "memory: three reads and a write", "dram_triad": "memory: triad",
    "dram_copy": "memory: copy", "l2_2r1w": "L2: two reads for a write", "l2_read": "L2: reads",
    "l2_near": "L2: reads of its own side", "l2_far": "L2: reads of the other side, by the fabric", "l1_read": "L1: reads",
    "shared_read": "shared memory: reads", "fp32_fma": "arithmetic: multiply-adds", "fp32_add": "arithmetic: additions",
    "fp64_fma": "arithmetic in double: multiply-adds"}
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
L2_BUSY = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
WORDS = ("shape", "kernel", "bound_by", "failed_checks")  # columns without numbers


def ceilings(name):
    by_name = {row["name"]: row for row in record(name)["ceilings"]}
    rows = []
    for key, what in CEILINGS.items():
        if key in by_name:
            its = by_name[key]
            rows.append([what, its["unit"], *(f"{its[k]:.0f}" for k in ("best", "median", "least")),
                         f"{its['theoretical']:.0f}" if its["theoretical"] else "–"])
    return ["level", "unit", "best", "median", "least", "by its clock"], rows, [name]


table("h200-ceilings")(lambda: ceilings("h200_roofline.json"))
table("cpu-ceilings")(lambda: ceilings("cpu_roofline.json"))


@table("h200-rooflines")
def rooflines():
    """The inner kernels of all shapes."""
    name = "h200_roofline_table4.csv"
    rows = []
    with open(REFERENCES / name, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kernel"] != "inner" or row["shape"].startswith(GONE):
                continue
            value = {key: float(text) for key, text in row.items() if key not in WORDS}
            points = value["flop"] / value["flop_per_point"]
            rows.append([f"`{row['shape']}`", f"{1e3 * value['seconds_median']:.3f}", one(value["gpt_per_s"]),
                         f"{value['gflop_per_s']:.0f}", one(value["flop_per_point"]), one(value["dram_bytes"] / points),
                         one(value["flop_per_point"] / value["l2_flop_per_byte"]), two(value["dram_flop_per_byte"]),
                         two(value["l2_flop_per_byte"]), f"{value['dram_achieved_percent']:.0f} %",
                         f"{value['l2_achieved_percent']:.0f} %"])
    return (["inner kernel", "ms", "Gpt/s", "GFLOP/s", "FLOP a point", "B memory", "B L2", "FLOP/B memory", "FLOP/B L2",
             "of memory's roof", "of the L2's roof"], rows, [name])


def waits_for(counters):
    stalls = {what: counters[STALL.format(key)] for what, key in
              {"memory": "long_scoreboard", "barrier": "barrier", "shared memory": "mio_throttle"}.items()}
    most = max(stalls, key=stalls.get)
    return f"{most} {stalls[most]:.1f}"


def counted(name, kernels, grid=()):
    """Figures of the launches named, from the counters of a record."""
    rows = []
    for row in record(name)["kernels"]:
        if row["kernel"] not in kernels or row["shape"].startswith(GONE):
            continue
        cells = {key: its["value"] for key, its in row["cells"].items()}
        rows.append([f"`{row['shape']}`", *grid, one(cells["gpt_per_s"]), one(cells["dram_bytes"] / cells["points"]),
                     one(cells["dram_bytes_compulsory"] / cells["points"]), f"{cells['achieved_dram']:.1f} %",
                     f"{row['counters'][L2_BUSY]:.1f} %", one(cells["flop_per_point"]), waits_for(row["counters"])])
    return rows


HEAD = ["Gpt/s", "B a point", "least", "of memory's roof", "L2 busy", "FLOP a point", "waits for, issues"]


@table("h200-roofline-ten")
def ten():
    name = "h200_roofline.json"
    return ["inner kernel", *HEAD], counted(name, ("inner",)), [name]


@table("h200-whole-counters")
def whole():
    names = {"h200_whole_roofline.json": "1000³", "h200_whole_roofline_512.json": "512³"}
    rows = [row for name, grid in names.items() for row in counted(name, ("inner", "whole"), [grid])]
    return ["kernel", "grid", *HEAD], rows, list(names)


@table("h200-counters")
def counters():
    name = "h200_counters.json"
    rows = [[f"`{row['name']}`", two(row["milliseconds"]), one(row["bytes_per_point_update"]),
             f"{row['instructions_per_point_update']:.0f}",
             *(f"{row[key]:.0f} %" for key in ("dram_percent", "l2_percent", "l1_percent", "issue_percent"))]
            for row in record(name)["kernels"]]
    return ["inner kernel", "ms", "B a point", "instructions a point", "memory", "L2", "L1", "issue"], rows, [name]


@table("cpu-rooflines")
def cpu():
    name = "cpu_roofline.json"
    rows = []
    for row in record(name)["kernels"]:
        cells = {key: its["value"] for key, its in row["cells"].items()}
        rows.append([f"`{row['shape']}`", row["kernel"], two(cells["gpt_per_s"]), one(cells["gflop_per_s"]),
                     percent(cells["achieved_dram"] / 100), percent(cells["achieved_fp32"] / 100)])
    return ["shape", "launch", "Gpt/s", "GFLOP/s", "of memory's roof", "of arithmetic's"], rows, [name]
