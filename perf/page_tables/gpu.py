"""Tables of GPUs: whole steps, boundaries, orders, all shapes, searches of tune, and the start of a run."""

import statistics

from .base import grid_name, lines, one, percent, record, spread, table, three_digits, two

CARDS = ("H200", "H100")
PROCESSORS = ("xeon_16_cpu.json", "epyc_2_cpu.json")


def steps_of(card, kind):
    """File of a card's whole steps: `two_steps`, `one_step`, `large`."""
    return f"{card.lower()}_{kind}.json"


@table("fastest")
def fastest():
    """A row a machine: the fastest kernel of a whole step."""
    two_steps = [steps_of(card, "two_steps") for card in CARDS]
    rows = []
    for card, name in zip(CARDS, two_steps):
        for size in ("512", "1000"):
            its = lines(name)[size]
            shape = its["shapes"][0]
            rows.append([f"one {card}", grid_name(its["grid"]["n"]), f"`{shape['name']}`",
                         one(shape["gpt_per_s"]["median"]), percent(shape["share_of_ceiling"])])
    for name in PROCESSORS:
        its = lines(name)["400"]
        shape = its["shapes"][-1]
        rows.append([f"{its['device']['threads']} cores, {its['device']['name']}", grid_name(its["grid"]["n"]),
                     f"`{shape['name']}`", two(shape["gpt_per_s"]["median"]), percent(shape["share_of_ceiling"])])
    return ["machine", "grid", "kernel", "Gpt/s", "of the ceiling"], rows, [*two_steps, *PROCESSORS]


@table("speed")
def speed():
    """A row a grid: what `auto` takes, by the fastest of its kernels."""
    names = [steps_of("H200", kind) for kind in ("two_steps", "one_step", "large")]
    rates = {}
    for name in names:
        for its in lines(name).values():
            n = tuple(its["grid"]["n"])
            rates[n] = max([rates.get(n, 0), *(shape["gpt_per_s"]["median"] for shape in its["shapes"])])
    rows = [["one NVIDIA H200", f"{size}³", three_digits(rates[size, size, size])] for size in (200, 256, 512, 1000, 2200)]
    for name in reversed(PROCESSORS):
        for its in lines(name).values():
            rows.append([f"{its['device']['threads']} cores, {its['device']['name']}", grid_name(its["grid"]["n"]),
                         three_digits(its["shapes"][-1]["gpt_per_s"]["median"])])
    return ["machine", "grid", "Gpt/s"], rows, [*names, *PROCESSORS]


SUSTAINED = ["of a second", "W", "MHz"]


def sustained(name, key, shape):
    """Rate, watts and clock of the same shape in runs of a second; dashes where there are none."""
    of_line = record(name).get("sustained", {}).get(key, {"shapes": []})
    found = next((its for its in of_line["shapes"] if its["name"] == shape["name"]), None)
    if found is None:
        return ["–"] * 3
    power = found["power"]
    return [one(found["gpt_per_s"]["median"]), f"{power['watts']:.0f}", f"{power['clock_mhz']['mean']:.0f}"]


def two_steps(name):
    rows = [[grid_name(its["grid"]["n"]), *spread(shape["gpt_per_s"]), percent(shape["share_of_ceiling"]),
             *sustained(name, key, shape)] for key, its in lines(name).items() for shape in its["shapes"]]
    return ["grid", "Gpt/s min", "median", "max", "of the ceiling", *SUSTAINED], rows, [name]


def one_step(name):
    """A row a grid, of its fastest tile."""
    rows = []
    for key, its in lines(name).items():
        shape = max(its["shapes"], key=lambda shape: shape["gpt_per_s"]["median"])
        rows.append([grid_name(its["grid"]["n"]), shape["name"].removeprefix("tma_whole_step_"),
                     *spread(shape["gpt_per_s"]), percent(shape["share_of_ceiling"]), *sustained(name, key, shape)])
    return ["grid", "tile", "Gpt/s min", "median", "max", "of the ceiling", *SUSTAINED], rows, [name]


for card in CARDS:
    table(f"{card.lower()}-two-steps")(lambda name=steps_of(card, "two_steps"): two_steps(name))
    table(f"{card.lower()}-one-step")(lambda name=steps_of(card, "one_step"): one_step(name))


@table("h200-large")
def large():
    name = steps_of("H200", "large")
    rows = []
    for key, its in lines(name).items():
        shape = its["shapes"][0]
        rows.append([grid_name(its["grid"]["n"]), f"`{shape['kernels']['inner']}`", *spread(shape["gpt_per_s"]),
                     percent(shape["share_of_ceiling"]), *sustained(name, key, shape)])
    return ["grid", "kernel", "Gpt/s min", "median", "max", "of the ceiling", *SUSTAINED], rows, [name]


@table("h200-boundaries")
def boundaries():
    pml, layers = steps_of("H200", "two_steps"), "h200_boundaries.json"
    kinds = {"PML, 27 points": [lines(pml)[size] for size in ("512", "1000")]}
    for key, its in lines(layers).items():
        kinds.setdefault(key.split(";")[0], []).append(its)
    rows = []
    for kind, records in kinds.items():
        shapes = [its["shapes"][0] for its in records]
        layer_seconds = [shape["regions"].get("layer") for shape in shapes]
        rows.append([kind, f"`{shapes[-1]['kernels']['inner']}`",
                     *(one(shape["gpt_per_s"]["median"]) for shape in shapes),
                     *(two(layer and 1e3 * layer) for layer in layer_seconds)])
    head = ["boundary", "inner kernel", "Gpt/s at 512³", "at 1000³", "layer, ms of a step at 512³", "at 1000³"]
    return head, rows, [pml, layers]


@table("h200-hopper-orders")
def hopper_orders():
    """A row an order: the families for Hopper, and the faster of the tiles where there are several."""
    name = "h200_orders.json"
    found = {}
    for its in lines(name).values():
        for shape in its["shapes"]:
            key = its["order"], its["grid"]["n"][0], shape["family"]
            if key not in found or found[key]["gpt_per_s"]["median"] < shape["gpt_per_s"]["median"]:
                found[key] = shape
    rows = []
    for order in dict.fromkeys(key[0] for key in found):
        cells = [str(order)]
        for size in (1000, 512, 200):
            for family in ("tma_ring", "tma_whole_step", "tma_whole"):
                shape = found.get((order, size, family))
                rate = three_digits(shape["gpt_per_s"]["median"]) if shape else "–"
                cells.append(f"{rate}, {percent(shape['share_of_ceiling'])}" if shape and size == 1000 else rate)
        rows.append(cells)
    head = ["order", "`tma_ring` at 1000³", "`tma_whole_step`", "`tma_whole`", "`tma_ring` at 512³", "`tma_whole_step`",
            "`tma_whole`", "`tma_ring` at 200³", "`tma_whole_step`", "`tma_whole`"]
    return head, rows, [name]


@table("h200-equations")
def equations():
    """A row an equation, grid and kernel: all points, the inner box and the layer by themselves."""
    name = "h200_equations.json"
    rows = [[*which.split(), f"`{shape['name']}`", *spread(shape["gpt_per_s"]), one(shape["gpt_per_s_inner"]),
             one(shape["gpt_per_s_pml"]), percent(shape["share_of_ceiling"])]
            for which, its in lines(name).items() for shape in its["shapes"]]
    return ["equation", "N³", "kernel", "Gpt/s min", "median", "max", "inner", "PML", "of the ceiling"], rows, [name]


def orders(name, head):
    """A row a shape, a column an order."""
    rates, shapes = {}, {}
    for its in lines(name).values():
        of_order = rates.setdefault(str(its["order"]), {})
        for shape in its["shapes"]:
            shapes[shape["family"]] = shape["name"] if shape["name"] == shapes.get(shape["family"], shape["name"]) else \
                shape["family"]
            of_order[shape["family"]] = f"{three_digits(shape['gpt_per_s']['median'])}, {percent(shape['share_of_ceiling'])}"
    rows = [[f"`{title}`", *(of_order.get(family, "–") for of_order in rates.values())] for family, title in shapes.items()]
    return [head, *rates], rows, [name]


@table("h200-orders")
def single_orders():
    return orders("h200_orders_by_regions.json", "order")


@table("h200-orders-double")
def double_orders():
    return orders("h200_orders_in_double.json", "order, double precision")


@table("h200-shapes")
def all_shapes():
    name = "h200_shapes.json"
    rows = []
    for shape in record(name)["shapes"]:
        launches = shape["launch"]
        shown = [launches["whole"]] if "whole" in launches else [launches["inner"], launches["top"]]
        paper = shape["paper_seconds"] or {}
        rows.append([f"`{shape['name']}`", two(shape["seconds_per_1000_steps"]), one(shape["gpt_per_s"]["median"]),
                     one(shape["gpt_per_s_inner"]), one(shape["gpt_per_s_pml"]), percent(shape["share_of_ceiling"]),
                     " / ".join(str(launch["registers"]) for launch in shown), str(shown[0]["shared_bytes"]),
                     " / ".join(f"{100 * launch['theoretical_occupancy']:.0f}" for launch in shown) + " %",
                     two(paper.get("V100")), two(paper.get("P100"))])
    head = ["shape", "s / 1000 steps", "Gpt/s", "inner", "PML", "of the ceiling", "registers inner / PML",
            "shared bytes", "occupancy", "V100 s", "P100 s (893³)"]
    return head, rows, [name]


SEARCHES = {"in_plane_full": (4, 6, 8), "st_reg_shft": (8,), "smem_partial": (8,)}


def search_row(name):
    its = record(name)
    measured = [row for row in its["candidates"] if row["state"] == "measured"]
    best = max(measured, key=lambda row: row["gpt_per_s"])
    built_in = max((row["gpt_per_s"] for row in measured if row["built_in"]))
    card = its["device"]["name"].split()[1]
    gain = best["gpt_per_s"] / built_in - 1
    return [f"`{its['family']}`", str(its["order"]), card, str(len(its["candidates"])), f"`{best['name']}`",
            three_digits(best["gpt_per_s"]), three_digits(built_in), f"+{percent(gain)}"]


SEARCH_HEAD = ["family", "order", "GPU", "candidates", "fastest of all", "Gpt/s", "fastest built in, Gpt/s", "gain"]


@table("tune-searches")
def searches():
    names = [f"h200_tune_{family}_order_{order}.json" for family, its in SEARCHES.items() for order in its]
    names.insert(3, "h100_tune_in_plane_full_order_8.json")
    return SEARCH_HEAD, [search_row(name) for name in names], names


@table("h100-tune")
def h100_search():
    name = "h100_tune_in_plane_full_order_8.json"
    return SEARCH_HEAD, [search_row(name)], [name]


@table("tuned-steps")
def tuned_steps():
    name = "h200_tuned.json"
    rows = [[f"`{shape['name']}`", three_digits(shape["gpt_per_s"]["median"]), three_digits(shape["gpt_per_s_inner"])]
            for shape in sorted(record(name)["shapes"], key=lambda shape: shape["name"])]
    return ["inner kernel", "whole step, Gpt/s", "inner box, Gpt/s"], rows, [name]


WALL_PARTS = {
    "start_of_program": ("start of the program", "ours"),
    "hdf5_options_kokkos_plan": ("HDF5, options, Kokkos, plan", "ours"),
    "driver_looks_for_gpus": ("CUDA looks for GPUs", "the driver's"),
    "driver_context": ("its context on the GPU", "the driver's"),
    "streams_kernels_of_an_earlier_trial": ("streams, events, kernels of an earlier trial", "ours"),
    "what_memory_streams": ("what memory streams", "ours"), "fields_and_velocity": ("fields and velocity", "ours"),
    "steps": ("time steps", "kernels, and what the host adds"),
    "gather": ("the gather, checked and put on disk", "ours"),
    "tidying_up": ("tidying up", "ours"), "driver_end_of_process": ("the end of the process", "the driver's")}


@table("h200-start")
def start_of_a_run():
    name = "h200_wall_200.json"
    machines = record(name)["machines"]
    programs = ("before", "now_as_the_launcher_starts_it")

    def cells(value):
        return [", ".join(f"{value(machine['programs'][program]):.0f}" for machine in machines) for program in programs]

    def without_stamps(program):
        return statistics.median(program.get("wall_ms_without_stamps", [0]))

    rows = [[title, *cells(lambda its, part=part: its["median_ms_of_parts"][part]), whose]
            for part, (title, whose) in WALL_PARTS.items()]
    rows.append(["all", *cells(lambda its: statistics.median(its["wall_ms"])), ""])
    rows.append(["all, in runs without time stamps", "–", cells(without_stamps)[1], ""])
    rows.append(["kernels alone", *cells(lambda its: its["kernels_ms"]), ""])
    rows.append(["all that is ours", *cells(lambda its: statistics.median(its["ours_ms"])), ""])
    return ["part, ms (two cards)", "`fb545e3`", "`1f483dc`", "whose"], rows, [name]


@table("h200-stencils")
def stencils():
    """A row a stencil: each family by its usual tile, with `_ro` or without."""
    name = "h200_stencils.json"
    families = ["naive", "tiled", "coarsened", "forward_plane", "register_tiled", "in_plane_full", "red_black"]
    best, shares = {}, {}
    for row in record(name)["kernels"]:
        family = next(its for its in families if row["kernel"].startswith(its))
        key = row["stencil"], family
        rate = row["gpt_per_s"]["median"]
        if row["verified"] and rate > best.get(key, 0):
            best[key] = rate
            shares.setdefault(row["stencil"], {})[family] = row["share_of_ceiling"]
    rows = []
    for stencil in dict.fromkeys(stencil for stencil, _ in best):
        its = {family: best.get((stencil, family)) for family in families}
        top = max((family for family in families if its[family]), key=lambda family: its[family])
        rows.append([f"`{stencil}`", *(f"**{three_digits(its[f])}**" if f == top else three_digits(its[f])
                                       for f in families), percent(shares[stencil][top])])
    return ["stencil", *(f"`{family}`" for family in families), "of the ceiling"], rows, [name]


@table("h200-energy")
def energy():
    """A row a shape, the most points a joule first."""
    names = ["h200_energy_512.json", "h200_energy_1000.json"]
    shapes = sorted(((shape, grid_name(record(name)["grid"]["n"])) for name in names for shape in record(name)["shapes"]),
                    key=lambda pair: -pair[0]["power"]["mpt_per_j"])
    rows = []
    for shape, grid in shapes:
        power = shape["power"]
        clock = power["clock_mhz"]
        rows.append([f"`{shape['name']}`", grid, one(shape["gpt_per_s"]["median"]), f"{power['watts']:.0f}",
                     three_digits(power["mpt_per_j"]), f"{clock['mean']:.0f}", f"{clock['least']:.0f}",
                     f"{power['celsius']:.0f}", ", ".join(power["throttled"]) or "–"])
    return ["kernel", "grid", "Gpt/s", "W", "Mpt/J", "MHz", "least", "°C", "lower clock by"], rows, names
