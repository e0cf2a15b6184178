#!/usr/bin/env python3
"""Check that every public declaration of the libraries has a doc comment.

Usage: check-docs.py [FOLDER ...]

Without a folder, check the sources of all library products. Print FILE:LINE: the declaration. Exit 1 if one lacks a doc comment.
A member that a protocol declares is documented there. The text of @Setting documents a setting. Initializers and operators do not
need a comment.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?!extension|import|internal|package)(?:\w+(?:\(\w+\))?\s+)*?"
                    r"(struct|class|enum|actor|protocol|func|var|let|init|subscript|typealias|case|macro)\b\s*`?(\w*)")
MEMBER = re.compile(r"^\s*(?:@\w+ )*(?:static |mutating |nonisolated )*(?:func|var|init|subscript)\b\s*`?(\w*)")
# Their meaning is fixed by the standard library.
KNOWN = {"description", "debugDescription", "hash", "encode", "startIndex", "endIndex", "index", "customMirror", "next", "makeIterator",
         "testDescription", "id", "errorDescription", "wrappedValue", "projectedValue", "enqueue", "asUnownedSerialExecutor", "allCases", "rawValue"}

# Members that protocols require and that plugins store as constants.
CONSTANTS = {"address", "label", "form", "role", "settings", "capabilities"}


def products():
    """The source folders of the targets in library products of Package.swift."""
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf8") as file:
        text = file.read()
    names = set()
    for targets in re.findall(r"\.library\(\s*name:[^\]]*targets:\s*\[([^\]]*)\]", text):
        names.update(re.findall(r'"(\w+)"', targets))
    for more in re.findall(r"\] \+ \(plugins \+ \[([^\]]*)\]\)\.map \{ \.library", text):
        names.update(re.findall(r'"(\w+)"', more))
    folders = [os.path.join(parent, name) for name in sorted(names) for parent in ("Sources", "Tests")]
    return [folder for folder in folders if os.path.isdir(os.path.join(ROOT, folder))]


def swift_files(folder):
    for base, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(".swift"):
                yield os.path.join(base, name)


def requirements(files):
    """The names of the members that the protocols in these files declare."""
    names = set()
    for path in files:
        inside = False
        for line in open(path, encoding="utf8"):
            if re.match(r"^(public |package )?protocol ", line):
                inside = not line.rstrip().endswith("}")
            elif line.startswith("}"):
                inside = False
            elif inside:
                match = MEMBER.match(line)
                if match:
                    names.add(match.group(1))
    return names


def undocumented(path, inherited):
    """Yields the line number and the text of each public declaration without a doc comment."""
    with open(path, encoding="utf8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines):
        match = PUBLIC.match(line)
        if not match or match.group(1) == "init" or match.group(2) in KNOWN or not match.group(2):
            continue
        if match.group(2) in inherited and (line.rstrip()[-1] in "{}(" or match.group(2) in CONSTANTS):
            continue
        above = number - 1
        while above >= 0 and lines[above].strip() and not re.match(r"\s*(///|}|(public|private|package) )", lines[above]):
            above -= 1
        comment = "\n".join(lines[max(above, 0):number + 1])
        if "///" not in comment and "@Setting(" not in comment:
            yield number + 1, line.strip()


def main(folders):
    found = 0
    folders = folders or products()
    contract = requirements([*swift_files("Sources/SyncKit/Plugins"), *swift_files("Sources/SettingsRegistry")])
    for folder in folders:
        inherited = contract | requirements(swift_files(folder))
        for path in swift_files(folder):
            for number, line in undocumented(path, inherited):
                print(f"{os.path.relpath(path, ROOT)}:{number}: {line}")
                found += 1
    if found:
        sys.exit(f"check-docs: {found} public declaration{'' if found == 1 else 's'} without a doc comment")


main(sys.argv[1:])
