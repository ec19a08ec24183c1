"""Tables of processors: the portable kernel, other orders, Devito beside it, and the heated plate."""

from .base import grid_name, lines, one, percent, record, spread, table, three_digits, two


def streaming(its):
    return f"{its['device']['three_reads_one_write_gb_per_s']:.0f} GB/s"


def kernels(name):
    rows = []
    for its in lines(name).values():
        for shape in its["shapes"]:
            rows.append([grid_name(its["grid"]["n"]), f"`{shape['name']}`", *spread(shape["gpt_per_s"], two),
                         two(shape["gpt_per_s_inner"]), two(shape["gpt_per_s_pml"]), streaming(its),
                         percent(shape["share_of_ceiling"])])
    head = ["grid", "kernel", "Gpt/s min", "median", "max", "inner box", "PML", "streaming", "of the ceiling"]
    return head, rows, [name]


table("cpu-two-cores")(lambda: kernels("epyc_2_cpu.json"))
table("cpu-sixteen-cores")(lambda: kernels("xeon_16_cpu.json"))


@table("cpu-orders")
def orders():
    name = "epyc_2_cpu_orders.json"
    rows = []
    for its in lines(name).values():
        shapes = {shape["name"]: shape for shape in its["shapes"]}
        rows.append([str(its["order"]), two(shapes["kokkos"]["gpt_per_s"]["median"]),
                     percent(shapes["kokkos"]["share_of_ceiling"]), two(shapes["reference"]["gpt_per_s"]["median"]),
                     streaming(its)])
    return ["order", "`kokkos`, Gpt/s", "of the ceiling", "plain loop, Gpt/s", "streaming"], rows, [name]


@table("devito")
def devito():
    """Devito's runs, and those of `kokkos` on the same kind of machine."""
    rows, names = [], ["cpu_devito_200.json", "cpu_devito_200_layer.json", "cpu_whole_200.json", "cpu_devito_400.json",
                       "cpu_whole_400.json", "cpu_16_devito_200.json", "cpu_16_200.json"]
    for name in names:
        its = record(name)
        if its["schema"] == "minimod.devito/1":
            program = f"Devito {its['devito']}, {'its damping layer' if its['layer'] else 'no layer'}"
            threads, card, n, rates, memory = its["threads"], its["device"], its["grid"], its["gpt_per_s"], "–"
        else:
            program, rates = "minimod, PML of 27 points", its["shapes"][0]["gpt_per_s"]
            threads, card, n = its["device"]["threads"], its["device"]["name"], its["grid"]["n"][0]
            memory = streaming(its)
        rows.append([f"{threads} threads, {card}", f"{n}³", program, *spread(rates, two), memory])
    return ["machine", "grid", "program", "Gpt/s min", "median", "max", "streaming"], rows, names


def plate(n):
    return " x ".join(map(str, n))


@table("heat-cpu")
def heat_cpu():
    name = "cpu_heat.json"
    its = record(name)
    rows = [[f"`{row['name']}`", plate(its["problem"]["n"]), str(row["iterations"]), f"{row['error']:.1e}",
             *spread(row["mcell_per_s"], lambda value: f"{value:.0f}")] for row in its["kernels"]]
    return ["kernel", "nodes", "iterations", "error", "Mcell/s min", "median", "max"], rows, [name]


@table("heat-h200")
def heat_gpu():
    """The faster tile of each family, on three plates."""
    names = [f"h200_heat_{size}.json" for size in ("coarse", "medium", "fine", "8192")]
    records = [record(name) for name in names]
    families = dict.fromkeys(row["family"] for its in records for row in its["kernels"])

    def fastest(its, family):
        rates = [row["mcell_per_s"]["median"] for row in its["kernels"] if row["family"] == family]
        return f"{max(rates):.0f}" if rates else "–"

    rows = [[f"`{family}`", *(fastest(its, family) for its in records)] for family in families]
    return ["kernel, the faster tile, Mcell/s", *(plate(its["problem"]["n"]) for its in records)], rows, names


@table("heat-8192")
def heat_large():
    name = "h200_heat_8192.json"
    rows = [[f"`{row['name']}`", f"{row['mcell_per_s']['median']:.0f}", f"{row['gb_per_s']:.0f}",
             percent(row["share_of_copy"])] for row in record(name)["kernels"]]
    return ["kernel", "Mcell/s", "GB/s", "of copying"], rows, [name]


def itu():
    return record("itu_2011.json")


@table("itu-table1")
def itu_calls():
    name = "h200_heat_tables.json"
    ours = {row["name"]: row for row in record(name)["tables"]["table1"]["rows"]}
    rows = [[theirs["name"], *(cell for row in (theirs, ours[theirs["name"]])
                               for cell in (str(row["calls"]), one(row["microseconds"]), two(row["percent"])))]
            for theirs in itu()["table1"]["rows"]]
    return ["what", "calls, GTX 260", "µs", "%", "calls, H200", "µs", "%"], rows, [name, "itu_2011.json"]


@table("itu-table2")
def itu_launches():
    name = "h200_heat_tables.json"
    theirs = {row["family"]: row for row in itu()["table2"]["rows"]}
    rows = []
    for row in record(name)["tables"]["table2"]:
        family = row["name"].rsplit("_", 1)[0]
        its = theirs.get(family)
        rows.append([f"`{row['name']}`", *(two(its[colour][0]) if its else "–" for colour in ("red", "black")),
                     *(two(row[f"{colour}_microseconds"]) for colour in ("red", "black")),
                     str(its["red"][1]) if its else "–", str(row["launch"]["registers"])])
    head = ["kernel", "red, GTX 260, µs", "black, µs", "red, H200, µs", "black, µs", "registers, GTX 260", "H200"]
    return head, rows, [name, "itu_2011.json"]


@table("itu-table3")
def itu_speedups():
    """How many times faster than one core in sequence: the paper's GPU, two cores, and an H200."""
    names = ["cpu_heat.json", "h200_heat_tables.json"]
    tables = [{grid["name"]: {row["iterations"]: row for row in grid["rows"]}
               for grid in record(name)["tables"]["table3"]} for name in names]
    rows = []
    for row in itu()["table3"]["rows"]:
        cells = [str(row["iterations"])]
        for grid in ("coarse", "medium", "fine"):
            cells.append(two(row[grid]))
            for its in tables:
                found = its[grid][row["iterations"]]
                cells.append(three_digits(found["seconds_sequential"] / found["seconds"]))
        rows.append(cells)
    head = ["iterations", *(f"{grid}: {machine}" for grid in ("coarse", "medium", "fine")
                            for machine in ("GTX 260", "two cores", "H200"))]
    return head, rows, [*names, "itu_2011.json"]
