"""Judges Python by its own parser: a path a line, 0 if it parses."""
import ast
import sys
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    try:
        with open(line.rstrip("\n"), "rb") as file:
            ast.parse(file.read())
        print(0, flush=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        print(1, flush=True)
