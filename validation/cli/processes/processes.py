"""Processes of the tests' programs."""
from pathlib import Path


def children_of(process):
    """The numbers of those that a process has started; none where it has ended."""
    try:
        lists = [file.read_text(encoding="ascii") for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for numbers in lists for child in numbers.split()]
