"""Tables of papers beside ours, by the scripts that print them."""

import in_plane_tables
import sai_tables
import stencil_tables

from .base import REFERENCES, percent, record, spread, table, two

WARPS = 64  # warps of a multiprocessor
SAI = "sai_2020.json"


def paths(names):
    return [REFERENCES / name for name in names]


@table("sai-table2")
def seconds():
    """The shapes that the paper has."""
    name = "h200_shapes.json"
    rows = [[f"`{shape['name']}`", *(two(shape["paper_seconds"].get(gpu)) for gpu in ("V100", "P100", "NVS510")),
             two(shape["seconds_per_1000_steps"])] for shape in record(name)["shapes"] if shape["paper_seconds"]]
    return ["shape, seconds of 1000 steps", "V100", "P100 (893³)", "NVS 510", "H200"], rows, [name, SAI]


@table("sai-table3")
def launches():
    name = "h200_roofline_table3.csv"
    its = sai_tables.read_table(REFERENCES / name, "theoretical_occupancy_percent")
    rows = list(sai_tables.launch_rows(record(SAI), its, WARPS))
    return sai_tables.launch_head(), rows, [name, SAI]


@table("sai-table4")
def performance():
    name = "h200_roofline_table4.csv"
    its = sai_tables.read_table(REFERENCES / name, "l2_flop_per_byte")
    return sai_tables.performance_head(), list(sai_tables.performance_rows(record(SAI), its)), [name, SAI]


def jacobi(index):
    names = sorted(f"h200_jacobi/{path.name}" for path in (REFERENCES / "h200_jacobi").glob("*.json")
                   if not path.name.startswith("bench"))
    device, grids = in_plane_tables.read_grids(paths(names))
    (name, grid), = grids.items()
    return *in_plane_tables.grid_tables(device, name, grid)[index], names


table("tang-table4")(lambda: jacobi(0))
table("tang-methods")(lambda: jacobi(1))


@table("tang-figure11")
def figure11():
    names = ["h200_tang_single.json", "h200_tang_double.json"]
    return *stencil_tables.figure11_table(stencil_tables.Measurements(paths(names))), names


@table("zhang-benchmarks")
def benchmarks():
    names = ["h200_zhang_single.json", "h200_zhang_double.json"]
    return *stencil_tables.zhang_table(stencil_tables.Measurements(paths(names))), names


@table("tutorial-kernels")
def tutorial():
    name = "h200_tutorial.json"
    rows = [[f"`{row['kernel']}`", *spread(row["gpt_per_s"]), f"{row['gflop_per_s']:.0f}", percent(row["share_of_ceiling"])]
            for row in record(name)["kernels"] if row["stencil"] == "seven_point" and row["kernel"].startswith("tutorial")]
    return ["kernel", "Gpt/s min", "median", "max", "Gflop/s", "of the ceiling"], rows, [name]
