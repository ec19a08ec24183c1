#!/usr/bin/env python3
"""What `minimod verify boundaries` measured, as the rows of boundary/measured_reflection.inc.

    minimod verify boundaries --json record.json      (fails where the rows are no longer right: that is the point)
    validation/reflection_table.py record.json > boundary/measured_reflection.inc
"""
import json
import re
import sys

PLACES = ("face", "edge", "corner", "grazing")


def rows(record):
    """{(kind, width): {place: dB}} in the order of the record."""
    found = {}
    for figure in record["cases"]:
        match = re.fullmatch(r"boundaries/(pml|cpml|sponge)_(\d+)_(\w+)", figure["name"])
        if match:
            found.setdefault((match[1], int(match[2])), {})[match[3]] = figure["value"]
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        record = json.load(file)
    print("// Written by validation/reflection_table.py from what `minimod verify boundaries` measured.")
    print("// kind, width in points, {face, edge, corner, grazing} in dB")
    for (kind, width), values in rows(record).items():
        print(f"{{BoundaryKind::{kind}, {width}, {{{', '.join(f'{values[place]:.1f}' for place in PLACES)}}}}},")


if __name__ == "__main__":
    main()
