#!/usr/bin/env python3
"""Fails when a line in these folders and files has more than 120 columns: the formatters wrap neither comments nor
scripts nor prose. Of Markdown only prose counts: no table, drawing, or block of code.

    width.py PATH...
"""
import pathlib
import sys

COLUMNS = 120
KINDS = {".c", ".cmake", ".h", ".java", ".md", ".py", ".sh", ".txt"}


def prose(lines):
    code = False
    for line in lines:
        code ^= line.lstrip().startswith("```")
        counts = not code and " " in line.strip() and not line.lstrip().startswith(("|", "![", "<"))
        yield line if counts else ""


def files(path):
    return [path] if path.is_file() else sorted(path.rglob("*"))


wide = 0
for argument in sys.argv[1:]:
    for file in files(pathlib.Path(argument)):
        if file.suffix not in KINDS:
            continue
        lines = file.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(prose(lines) if file.suffix == ".md" else lines, 1):
            if len(line.expandtabs(8)) > COLUMNS:
                print(f"{file}:{number}: {len(line.expandtabs(8))} columns")
                wide += 1
sys.exit(1 if wide else 0)
