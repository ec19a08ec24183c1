"""The tables of the pages, by name: functions that make them from kept records (perf/tables.py puts them in)."""

from .base import TABLES, references
from . import amd, cpu, gpu, papers, rooflines, scaling

__all__ = ["TABLES", "references"]
