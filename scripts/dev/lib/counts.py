#!/usr/bin/env python3
"""Add up the JUnit XML reports of CTest, Surefire and Failsafe: `counts.py REPORT.xml...`.

First line: passed, failed and skipped, separated by spaces. Then one line for each test that failed or was skipped.
A CTest entry is a whole program; where that is a cmocka program, the tests in it are counted. Tests of what the loaded
libraries are too old for are no skipped ones: they are told in one line for each reason.
"""
import re
import sys
import xml.etree.ElementTree as xml


def outcome(case):
    skip = case.find("skipped")
    # CTest says "notrun" also of a test whose program was never built: that one failed.
    if case.get("status") == "notrun" and not (skip is not None and skip.get("message", "").startswith("SKIP_")):
        return "failed"
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if skip is not None or case.get("status") == "disabled":
        return "skipped"
    return "passed"


def cmocka(output):
    """{result: names} of the cmocka tests in a program's output."""
    def names(label):
        return dict.fromkeys(re.findall(rf"^\[ *{label} *\] ([^ :\n]+)$", output, re.MULTILINE))
    return {"passed": names("OK"), "failed": names("FAILED"), "skipped": names("SKIPPED")}


TOO_OLD = "these libraries lack " # of @Needs
totals = {"passed": 0, "failed": 0, "skipped": 0}
too_old = {}
remarks = []
for path in sys.argv[1:]:
    for case in xml.parse(path).getroot().iter("testcase"):
        result = outcome(case)
        name, where = case.get("name"), case.get("classname")
        if where not in (None, name):
            name = f"{where}.{name}"
        parts = cmocka(case.findtext("system-out") or "") if case.get("status") else {}
        if any(parts.values()):
            for part, names in parts.items():
                totals[part] += len(names)
                if part != "passed":
                    remarks += [f"{part}: {name}: {inner}" for inner in names]
            if result != "failed" or parts["failed"]:
                continue
            name += ": ended with an error outside its tests"
        skip = case.find("skipped")
        why = skip.get("message") if skip is not None else None
        told = why or (skip.text if skip is not None else None) or "" # of an assumption, Surefire has the text alone
        if result == "skipped" and TOO_OLD in told:
            reason = told[told.index(TOO_OLD):].splitlines()[0]
            too_old[reason] = too_old.get(reason, 0) + 1
            continue
        totals[result] += 1
        if result != "passed":
            remarks.append(f"{result}: {name}" + (f": {why}" if why else ""))

print(totals["passed"], totals["failed"], totals["skipped"])
remarks += [f"left out: {number} tests: {reason}" for reason, number in sorted(too_old.items())]
for remark in remarks:
    print(remark)
