#!/usr/bin/env python3
"""Line coverage of the Java that people wrote: `java-coverage.py REPORT.xml LEAST`, after `mvn -Pcoverage verify`.

Prints a line for each file and a last line with the total; fails when that is below LEAST percent.
"""
import re
import sys
import xml.etree.ElementTree as xml


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    report, least = sys.argv[1], float(sys.argv[2])
    with open(report, encoding="utf-8") as file:
        text = re.sub(r"<!DOCTYPE[^>]*>", "", file.read())  # its DTD is not beside it
    total = covered = 0
    for package in xml.fromstring(text).iter("package"):
        for source in package.iter("sourcefile"):
            lines = [int(line.get("ci")) for line in source.iter("line")]
            if not lines:
                continue  # constants only
            run = sum(1 for instructions in lines if instructions)
            total, covered = total + len(lines), covered + run
            missed = [line.get("nr") for line in source.iter("line") if line.get("ci") == "0"]
            name = f"{package.get('name').removeprefix('io/github/comch4j').lstrip('/')}/{source.get('name')}".lstrip(
                "/"
            )
            print(
                f"{100 * run / len(lines):6.1f} %  {run:4d} of {len(lines):4d}  {name}"
                + (f"  not run: {' '.join(missed)}" if missed else "")
            )
    if total == 0:
        sys.exit(f"{report} tells of no line")
    share = 100 * covered / total
    print(f"{share:.1f} % of the Java lines are covered ({covered} of {total}; at least {least:g} % asked for)")
    sys.exit(0 if share >= least else 1)


if __name__ == "__main__":
    main()
