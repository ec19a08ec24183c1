"""Common parts of all tables: records, numbers as text, and the line below a table that names its records."""

import json
from pathlib import Path

GONE = "tma_two_steps"  # a family that the program has no more
REFERENCES = Path(__file__).resolve().parents[1] / "references"
MANY = 12  # records; of more their folder is named
TABLES = {}  # by name: a function that makes (head, rows, names of records)


def table(name):
    def keep(function):
        TABLES[name] = function
        return function
    return keep


def record(name):
    with open(REFERENCES / name, encoding="utf-8") as file:
        return json.load(file)


def lines(name):
    """Records of a file of `bench_records.py`, by their keys."""
    return record(name)["records"]


def grid_name(n):
    return f"{n[0]}³" if len(n) == 3 and len(set(n)) == 1 else " x ".join(map(str, n))


def percent(share):
    return f"{100 * share:.0f} %"


def one(value):
    """With one decimal; a dash where there is none."""
    return "–" if value is None else f"{value:.1f}"


def two(value):
    return "–" if value is None else f"{value:.2f}"


def three_digits(value):
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def spread(rates, form=one):
    return [form(rates[key]) for key in ("min", "median", "max")]


def parts(value):
    """The value and all objects in it that have a device, each a record of its own."""
    if isinstance(value, dict):
        if "device" in value and ("build" in value or "git_hash" in value or "devito" in value):
            yield value
        for worker in value.get("workers", []):
            yield {**value, "device": worker}
        for inner in value.values():
            if isinstance(inner, dict):
                yield from parts(inner)


def extent(values, form="{:.0f}"):
    texts = [form.format(value) for value in (min(values), max(values))]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def references(names):
    """Cards, commits, days and streaming rates of records, and links to them from a page at `{perf}`."""
    cards, commits, days, rates, repeats = {}, {}, set(), [], set()
    for name in names:
        if not name.endswith(".json"):
            continue
        for part in parts(record(name)):
            device = part["device"] if isinstance(part["device"], dict) else {"name": part["device"]}
            threads = device.get("threads") or part.get("threads")
            cards[device["name"] + (f" ({threads} threads)" if threads else "")] = None
            commits[part.get("git_hash", part.get("build", {}).get("git_hash"))] = None
            days.add(part["date"][:10] if "date" in part else None)
            rates.append(device.get("three_reads_one_write_gb_per_s"))
            repeats.add(part.get("repeats"))
            repeats.update(len(row.get("runs", [])) for row in part.get("shapes", []))
    rates, days, repeats = ([value for value in values if value] for values in (rates, days, repeats))
    known = [f"`{commit[:7]}`" for commit in commits if commit]
    said = [", ".join(cards)] if cards else []
    said += [f"{'commit' if len(known) == 1 else 'commits'} {', '.join(known)}"] if known else []
    said += [extent(sorted(days), "{}")] if days else []
    said += [f"{extent(repeats)} runs each"] if repeats else []
    said += [f"streaming {extent(rates)} GB/s"] if rates and len(cards) == 1 else []
    places = dict.fromkeys(Path(name).parent if len(names) > MANY else Path(name) for name in names)
    links = [f"[{place.stem}]({{perf}}references/{place})" for place in places]
    return "; ".join([*said, f"{'record' if len(names) == 1 else 'records'}: {', '.join(links)}"]) + "."
