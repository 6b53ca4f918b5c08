#!/usr/bin/env python3
"""Fails when a line in these folders has more than 120 columns: the formatters wrap neither comments nor scripts.

    width.py FOLDER...
"""
import pathlib
import sys

COLUMNS = 120
KINDS = {".c", ".cmake", ".h", ".java", ".py", ".sh", ".txt"}

wide = 0
for folder in sys.argv[1:]:
    for file in sorted(pathlib.Path(folder).rglob("*")):
        if file.suffix not in KINDS:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            if len(line.expandtabs(8)) > COLUMNS:
                print(f"{file}:{number}: {len(line.expandtabs(8))} columns")
                wide += 1
sys.exit(1 if wide else 0)
