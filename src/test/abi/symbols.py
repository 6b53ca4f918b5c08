#!/usr/bin/env python3
"""Check that libraries export exactly the functions of a table of DOCA's ABI, in the release's version nodes.

    symbols.py TABLE.tsv --library LIB.so=HEADER,HEADER... [--library ...]
               --node stable=DOCA_2 --node experimental=EXPERIMENTAL

Each library must export the functions that the table has under its headers and no other doca_* function, save those of
doca_emu.h, each in the node of its stability. Prints what does not hold; exits 0 only when all does. Needs nm.

    symbols.py --only-node DOCA_3.0 --library LIB.so [--library ...]

Each library must have all its doca_* functions in that node, which is the only one of the newest release; check.py says
which functions those are.
"""
import argparse, subprocess, sys


def exported_nodes(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = (line.split()[-1] for line in out.splitlines() if line.strip())
    return dict(name.partition("@@")[::2] for name in names if name.startswith("doca_"))


def exports(library):
    return {name: node for name, node in exported_nodes(library).items() if not name.startswith("doca_emu_")}


def faults_of(library, exported, wanted, lacks):
    """Tells, and counts, the functions that are not in the version node that they belong in."""
    faults = 0
    for name in sorted(exported.keys() | wanted.keys()):
        if exported.get(name) != wanted.get(name):
            faults += 1
            is_in, belongs_in = exported.get(name) or "no node", wanted.get(name, "none")
            print(f"{library}: {name} is in {is_in} and belongs in {belongs_in}")
    if not wanted:
        faults += 1
        print(f"{library}: {lacks}")
    return faults


def functions(table, headers, nodes):
    """Name and version node of each function that a library of these headers has."""
    rows = (line.rstrip("\n").split("\t") for line in open(table, encoding="utf-8") if not line.startswith("#"))
    return {row[2]: nodes[row[3]] for row in rows if row[0] == "function" and row[1] in headers and row[3] != "inline"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?")
    parser.add_argument("--library", action="append", required=True)
    parser.add_argument("--node", action="append")
    parser.add_argument("--only-node")
    arguments = parser.parse_args()
    if not arguments.only_node and not (arguments.table and arguments.node):
        parser.error("a table and nodes, or --only-node")
    total = faults = 0
    if arguments.only_node:
        for library in arguments.library:
            exported = exported_nodes(library)
            total += len(exported)
            faults += faults_of(library, exported, dict.fromkeys(exported, arguments.only_node), "no function")
    else:
        nodes = dict(node.split("=") for node in arguments.node)
        for library, headers in (pair.split("=") for pair in arguments.library):
            wanted = functions(arguments.table, headers.split(","), nodes)
            total += len(wanted)
            faults += faults_of(library, exports(library), wanted, "no function in the table")
    print(f"{total} functions, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
