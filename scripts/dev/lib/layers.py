#!/usr/bin/env python3
"""Checks the order of the emulator's folders, docs/contributing/emulator-inside.md: whose sources may include whose. No
two files have the same name.

    scripts/dev/lib/layers.py [FOLDER]     the folder of the emulator, by default src/main/c/emulator
"""
import re
import sys
from pathlib import Path

# The rooms of libdoca_common, each of which may include those before it.
ROOMS = ["include", "common", "common/log", "common/core", "common/topology", "common/memory", "common/sync_event"]
COMMON = set(ROOMS)
BASE = COMMON | {"base"}
CONNECTION = BASE | {"comch/connection"}

# Folder: the folders whose headers its files may include, besides its own.
MAY_INCLUDE = {room: set(ROOMS[:at]) for at, room in enumerate(ROOMS)} | {
    "base": COMMON,
    "comch/connection": BASE,
    "comch/control": CONNECTION,
    "comch/fast": CONNECTION,
    "comch/msgq": CONNECTION | {"comch/fast"},
    "channel": BASE,
    "channel/v1_2": BASE | {"channel"},
    "dpa": COMMON,
    "dma": BASE,
    "argp": COMMON,
    "argp/v2_5": COMMON | {"argp"},
    "cc": CONNECTION | {"comch/control", "comch/fast"},
    "cc/v2_5": BASE | {"cc", "comch/control"},
    "cc/v2_6": COMMON | {"cc"},
    "permissive": COMMON,
}

# Where a quoted name is looked for when it does not lie beside the file: as in the emulator's CMakeLists.txt.
INCLUDE_PATH = [".", "comch", "common", "include"]

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def folder_of(root, path):
    parent = path.parent.relative_to(root).as_posix()
    return parent if parent in MAY_INCLUDE else None


def resolve(root, path, name):
    """The emulator's header that `name` means in the file `path`; None: one of the SDK or the system."""
    for folder in [path.parent] + [root / part for part in INCLUDE_PATH]:
        header = (folder / name).resolve()
        if header.is_file() and header.is_relative_to(root):
            return header
    return None


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    repository = Path(__file__).resolve().parents[3]
    root = Path(sys.argv[1] if len(sys.argv) > 1 else repository / "src/main/c/emulator").resolve()
    files = sorted(path for path in root.rglob("*") if path.suffix in (".c", ".h"))
    faults, includes = [], 0
    for path in files:
        name = path.relative_to(root).as_posix()
        folder = folder_of(root, path)
        if folder is None:
            faults.append(f"{name}: lies in none of the folders ({', '.join(MAY_INCLUDE)})")
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            header = resolve(root, path, match[1])
            if header is None:
                continue
            includes += 1
            other = folder_of(root, header)
            if other != folder and other not in MAY_INCLUDE[folder]:
                line = text.count("\n", 0, match.start(1)) + 1
                faults.append(f"{name}:{line}: {folder} may not include {match[1]}, which is of {other}")
    names = [path.name for path in files]
    faults += [f"several files are called {name}" for name in sorted(set(names)) if names.count(name) > 1]
    if includes == 0:
        faults.append(f"{root}: no includes between its files: is it the emulator's folder?")
    for fault in faults:
        print(fault)
    print(f"{len(files)} files in {len(MAY_INCLUDE)} folders, {includes} includes, {len(faults)} against the order")
    return 1 if faults else 0


sys.exit(main())
