#!/usr/bin/env python3
"""Line coverage of the C sources: `coverage.py BUILD_FOLDER LEAST`, after tests of a build with COMCH4J_COVERAGE.

Prints a line for each file below src/main/c and a last line with the total; fails when that is below LEAST percent.
"""
import collections
import json
import pathlib
import subprocess
import sys


def lines_run(build):
    """{source file: {line: times run}}, added up over all programs and libraries of the build."""
    files = collections.defaultdict(collections.Counter)
    data = sorted(str(path.resolve()) for path in pathlib.Path(build).rglob("*.gcda"))
    if not data:
        sys.exit(f"{build} has no coverage data: was it built with COMCH4J_COVERAGE, and tested?")
    # gcov writes one JSON document to a line for each data file.
    report = subprocess.run(["gcov", "--json-format", "--stdout", *data], capture_output=True, text=True, check=True)
    for document in report.stdout.splitlines():
        for file in json.loads(document)["files"]:
            _, below, name = file["file"].partition("src/main/c/")
            if below:
                for line in file["lines"]:
                    files[name][line["line_number"]] += line["count"]
    return files


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, least = sys.argv[1], float(sys.argv[2])
    total = covered = 0
    for name, lines in sorted(lines_run(build).items()):
        run = sum(1 for times in lines.values() if times)
        print(f"{100 * run / len(lines):6.1f} %  {run:5d} of {len(lines):5d}  {name}")
        total, covered = total + len(lines), covered + run
    share = 100 * covered / total
    print(f"{share:.1f} % of the C lines are covered ({covered} of {total}; at least {least:g} % asked for)")
    sys.exit(0 if share >= least else 1)


if __name__ == "__main__":
    main()
