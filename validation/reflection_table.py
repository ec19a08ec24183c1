#!/usr/bin/env python3
"""What `minimod verify boundaries` measured, as the rows of KIND_reflection.inc.

    minimod verify boundaries --json record.json      (fails where the rows are no longer right: that is the point)
    validation/reflection_table.py record.json pml > boundary/pml_reflection.inc
"""
import json
import re
import sys

PLACES = ("face", "edge", "corner", "grazing")


def rows(record, kind):
    """{width: {place: dB}} in the order of the record."""
    found = {}
    for figure in record["cases"]:
        match = re.fullmatch(rf"boundaries/{kind}_(\d+)_(\w+)", figure["name"])
        if match:
            found.setdefault(int(match[1]), {})[match[2]] = figure["value"]
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        record = json.load(file)
    print("// Written by validation/reflection_table.py from what `minimod verify boundaries` measured.")
    print("// width in points, {face, edge, corner, grazing} in dB")
    for width, values in rows(record, sys.argv[2]).items():
        print(f"{{{width}, {{{', '.join(f'{values[place]:.1f}' for place in PLACES)}}}}},")


if __name__ == "__main__":
    main()
