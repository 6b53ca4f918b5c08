#!/usr/bin/env python3
"""Add up the JUnit XML reports of CTest, Surefire and Failsafe: `counts.py REPORT.xml...`.

First line: passed, failed and skipped, separated by spaces. Then one line for each test that failed or was skipped.
A CTest entry is a whole program; where that is a cmocka program, the tests in it are counted. Tests of what the loaded
libraries are too old for, or that need a card, are no skipped ones: they are told in one line for each reason.

A Test.xml of `ctest -T Test` among the reports says how programs have ended, which CTest's JUnit report does not.

`counts.py --names FILE REPORT.xml...` also adds to FILE which tests of Java ran and which were left out because the
libraries are too old. `counts.py --nowhere FILE`, after all stages: fails and names those that ran in none of them.

`counts.py --output REPORT.xml...`: the end of what each CTest program that failed has printed, without the tests in it
that passed in silence.
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


def running(output):
    """The cmocka test in whose middle the program has ended; None: it was in none."""
    name = None
    for label, test in re.findall(r"^\[ *(RUN|OK|FAILED|SKIPPED) *\] ([^ :\n]+)$", output, re.MULTILINE):
        if label == "RUN":
            name = test
        elif test == name:
            name = None
    return name


def endings(root):
    """{program: how it has ended} from a Test.xml."""
    found = {}
    for test in root.iter("Test"):
        told = {m.get("name"): m.findtext("Value") or "" for m in test.iter("NamedMeasurement")}
        name, code = test.findtext("Name"), told.get("Exit Code")
        if code == "Timeout":
            found[name] = f"timed out after {float(told.get('Execution Time') or 0):.0f} s"
        elif code == "Failed":
            found[name] = f"exit code {told.get('Exit Value')}"
        elif code:  # a signal's name, in CTest's words
            found[name] = code
    return found


def show_output(case):
    print(f"--- the end of the output of {case.get('name')}")
    # Without tests that passed and said nothing.
    told = re.sub(r"^\[ RUN *\] (\S+)\n\[ *OK *\] \1\n", "", case.findtext("system-out") or "", flags=re.MULTILINE)
    for line in told.splitlines()[-LINES:]:
        print(f"    {line}")
    print("---")


def nowhere(path):
    """The tests that were left out whenever their turn came, each with a reason, from a file of --names."""
    ran, left = set(), {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, reason = line.rstrip("\n").split("\t")
            if reason:
                left[name] = reason
            else:
                # Each case of a test with parameters has a number; one that is left out as a whole has none.
                ran.update((name, re.sub(r"\[\d+\]$", "", name)))
    return {name: reason for name, reason in left.items() if name not in ran}


LINES = 60  # of an output
TOO_OLD = "these libraries lack "  # of @Needs
NO_CARD = "needs a card"  # of WithoutCard
totals = {"passed": 0, "failed": 0, "skipped": 0}
too_old = {}
remarks = []
arguments = sys.argv[1:]
if arguments[:1] == ["--nowhere"]:
    lost = nowhere(arguments[1])
    for name, reason in sorted(lost.items()):
        print(f"{name}: {reason}")
    print(f"{len(lost)} tests ran in no stage")
    sys.exit(1 if lost else 0)
list_of_names = None
if arguments[:1] == ["--names"]:
    list_of_names = open(arguments[1], "a", encoding="utf-8")
    arguments = arguments[2:]
roots = [xml.parse(path).getroot() for path in arguments if path != "--output"]
ended = {}
for root in roots:
    ended.update(endings(root))
if "--output" in arguments:
    for root in roots:
        for case in root.iter("testcase"):
            if case.get("status") and outcome(case) == "failed":
                show_output(case)
    sys.exit()
for root in roots:
    for case in root.iter("testcase"):
        result = outcome(case)
        name, where = case.get("name"), case.get("classname")
        program = case.get("status") is not None  # CTest's
        how = ended.get(name) if program and result == "failed" else None
        if where not in (None, name):
            name = f"{where}.{name}"
        output = (case.findtext("system-out") or "") if program else ""
        parts, inside = cmocka(output), running(output)
        if any(parts.values()) or inside:
            for part, names in parts.items():
                totals[part] += len(names)
                if part != "passed":
                    remarks += [f"{part}: {name}: {inner}" for inner in names]
            if result != "failed" or (parts["failed"] and not inside):
                continue
            name += f": ended in the middle of {inside}" if inside else ": ended with an error outside its tests"
        if how:
            name += f": {how}"
        skip = case.find("skipped")
        why = skip.get("message") if skip is not None else None
        told = why or (skip.text if skip is not None else None) or ""  # of an assumption, Surefire has the text alone
        lacks = next((lack for lack in (TOO_OLD, NO_CARD) if lack in told), None)
        left_out = result == "skipped" and lacks
        reason = told[told.index(lacks) :].splitlines()[0] if left_out else ""
        if list_of_names and not program and (lacks == TOO_OLD or result != "skipped"):
            print(f"{name}\t{reason}", file=list_of_names)
        if left_out:
            too_old[reason] = too_old.get(reason, 0) + 1
            continue
        totals[result] += 1
        if result != "passed":
            remarks.append(f"{result}: {name}" + (f": {why}" if why else ""))

print(totals["passed"], totals["failed"], totals["skipped"])
remarks += [f"left out: {number} tests: {reason}" for reason, number in sorted(too_old.items())]
for remark in remarks:
    print(remark)
