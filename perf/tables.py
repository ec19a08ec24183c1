#!/usr/bin/env python3
"""Tables of the pages from kept records: perf/tables.py [--check] [PAGE...]

A table stands in a page between `<!-- table: NAME -->` and `<!-- end -->`; page_tables/ makes it from files of
references/, with a line below that says card, commit, day and records. Without --check the tables of the pages (all of
the repository's) are written anew; with it nothing is written, and the exit code is 1 where a page does not say what
its records do. --list prints all names, --print NAME one table. Needs numpy."""

import argparse
import os
import re
import sys
from pathlib import Path

PERF = Path(__file__).resolve().parent
sys.path.insert(0, str(PERF))

from markdown import table_lines  # noqa: E402
from page_tables import TABLES, references  # noqa: E402

FOLDERS = ("boundary", "kernels", "models", "perf", "src", "validation")
PLACE = re.compile(r"(?P<begin><!-- table: (?P<name>\S+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)


def all_pages():
    root = PERF.parent
    return sorted([*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))])


def lines_of(name, folder):
    if name not in TABLES:
        sys.exit(f"tables.py: no table {name}; --list has all")
    head, rows, records = TABLES[name]()
    to_perf = os.path.relpath(PERF, folder)
    below = references(records).format(perf="" if to_perf == "." else f"{to_perf}/")
    return [*table_lines(head, rows), "", below]


def with_tables(text, folder):
    begins, whole = text.count("<!-- table: "), [its.group() for its in PLACE.finditer(text)]
    if begins != len(whole) or any(its.count("<!-- table: ") > 1 for its in whole):
        sys.exit(f"tables.py: a page in {folder} has a table without its end")
    return PLACE.sub(lambda its: its["begin"] + "\n".join(lines_of(its["name"], folder)) + "\n" + its["end"], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--print", metavar="NAME")
    options = parser.parse_args()
    if options.list:
        print("\n".join(TABLES))
    elif options.print:
        print("\n".join(lines_of(options.print, Path.cwd())))
    else:
        stale = 0
        for page in options.pages or all_pages():
            text = page.read_text(encoding="utf-8")
            made = with_tables(text, page.resolve().parent)
            if made != text:
                stale += 1
                print(f"{page}: {'not as its records' if options.check else 'written'}")
                if not options.check:
                    page.write_text(made, encoding="utf-8")
        if options.check and stale:
            sys.exit("tables.py: perf/tables.py writes them anew")


if __name__ == "__main__":
    main()
