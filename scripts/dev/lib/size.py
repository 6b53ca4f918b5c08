#!/usr/bin/env python3
"""How much there is: `size.py [FOLDER]`, of a checkout (this one).

Lines of code of Java that is shipped (without comments, blank lines, package and import lines), for each package;
public types of packages that are exported, nested ones too; generated Java, C, and the words of the documentation.
"""
import collections
import pathlib
import re
import sys

SHIPPED = "src/main/java"
PROSE = ("docs", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
# Texts and characters first, as there may be what looks like a comment in them.
TOKENS = re.compile(
    r'"""(?:\\.|(?!""").)*"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL
)
PUBLIC = re.compile(
    r"^\s*public (?:(?:abstract|static|final|sealed|non-sealed) )*(?:class|interface|enum|record|@interface) ", re.M
)


def without_comments(text):
    return TOKENS.sub(lambda token: "" if token[0].startswith(("/*", "//")) else token[0], text)


def code(text):
    lines = (line.strip() for line in without_comments(text).splitlines())
    return sum(1 for line in lines if line and not line.startswith(("import ", "package ")))


def files(root, folder, suffix):
    return sorted(pathlib.Path(root, folder).rglob("*" + suffix))


def package_of(path, base):
    parts = path.relative_to(base).parts[3:-1]  # below io.github.comch4j
    return ".".join(parts[:2] if parts[:1] == ("internal",) else parts[:1]) or "(top)"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3])
    lines, types = collections.Counter(), collections.Counter()
    exported = {
        name or "(top)"
        for module in files(root, "src/main", "module-info.java")
        for name in re.findall(r"exports io\.github\.comch4j\.?([a-z.]*);", module.read_text())
    }
    for path in files(root, SHIPPED, ".java"):
        text = path.read_text()
        package = package_of(path, root / SHIPPED)
        lines[package] += code(text)
        if package in exported:
            types[package] += len(PUBLIC.findall(without_comments(text)))
    for package in sorted(lines):
        print(f"{package:24}{lines[package]:8} lines {types[package]:6} public types")
    print(f"{'Java':24}{sum(lines.values()):8} lines {sum(types.values()):6} public types")
    for name, folder, suffix in (("generated", "generated", ".java"), ("C", "src/main/c", ".[ch]")):
        print(f"{name:24}{sum(code(path.read_text()) for path in files(root, folder, suffix)):8} lines")
    prose = [path for name in PROSE for path in (files(root, name, ".md") or [root / name])]
    print(f"{'documentation':24}{sum(len(path.read_text().split()) for path in prose if path.is_file()):8} words")


main()
