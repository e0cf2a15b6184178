#!/usr/bin/env python3
"""Plants the mistakes of Tests/mistakes.toml one at a time, and reports which of them the tests notice.

plant-mistakes.py --check                          checks only that each mistake still fits the code
plant-mistakes.py [--tree FOLDER] [--only WORD]    builds a copy of the project with all mistakes, and runs the suites

All mistakes are built at once, each behind a condition that the environment variable SYNCD_MISTAKE makes true, so that one build
suffices. --tree names the copy (default: .build/mistakes); an existing copy is used again. First each suite must pass without a
mistake. Prints one line for each mistake, and exits with 1 if the tests miss more than two.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONDITION = "isPlanted"
SOURCE = """import Foundation

private let planted = ProcessInfo.processInfo.environment["SYNCD_MISTAKE"].flatMap { Int($0) }

func isPlanted(_ number: Int) -> Bool { planted == number }
"""
LIMIT = 1_800  # seconds; a mistake may make a suite endless


def mistakes():
    with open(ROOT / "Tests/mistakes.toml", "rb") as file:
        return tomllib.load(file)["mistake"]


def check(all_mistakes):
    problems = []
    for mistake in all_mistakes:
        count = (ROOT / mistake["file"]).read_text().count(mistake["find"])
        if count != 1:
            problems.append(f'{mistake["file"]}: "{mistake["name"]}" fits {count} places')
        if "$M" not in mistake["replace"].replace("$0", ""):
            problems.append(f'"{mistake["name"]}" has no $M')
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"plant-mistakes: {len(all_mistakes)} mistakes, {len(problems)} to correct")
    return not problems


def plant(all_mistakes, tree):
    """Copies what has changed, and plants the mistakes; files with the same text keep their times, so they are not compiled again."""
    texts = {}
    for number, mistake in enumerate(all_mistakes, 1):
        path = mistake["file"]
        text = texts.get(path) or (ROOT / path).read_text()
        texts[path] = text.replace(mistake["find"], mistake["replace"].replace("$M", f"{CONDITION}({number})"))
    for path in list(texts):
        texts["/".join(path.split("/")[:2]) + "/PlantedMistake.swift"] = SOURCE
    command = "Tests/ProgramTesting/Command.swift"
    texts[command] = (ROOT / command).read_text().replace(
        '"LC_ALL": "C.UTF-8",',
        '"LC_ALL": "C.UTF-8", "SYNCD_MISTAKE": ProcessInfo.processInfo.environment["SYNCD_MISTAKE"] ?? "",')
    for name in subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines():
        if (ROOT / name).is_symlink():
            link(tree / name, (ROOT / name).readlink())
        elif name not in texts and (ROOT / name).exists():
            write(tree / name, (ROOT / name).read_bytes(), (ROOT / name).stat().st_mode)
    for name, text in texts.items():
        write(tree / name, text.encode(), 0o644)


def link(path, target):
    if path.is_symlink() and path.readlink() == target:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def write(path, content, mode):
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def test(tree, suites, number):
    """The tests of the suites that fail with a mistake, or without one if the number is 0; empty if all pass."""
    command = ["swift", "test", "--skip-build", "--filter", f"^({suites})"]
    try:
        done = subprocess.run(
            command, cwd=tree, env={**os.environ, "SYNCD_MISTAKE": str(number)}, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return ""
    failed = re.findall(r"✘ Test (.*?) (?:recorded|failed)", done.stdout)
    return ", ".join(dict.fromkeys(failed)) or "a crash"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / ".build/mistakes")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--no-build", action="store_true")
    options = parser.parse_args()
    all_mistakes = mistakes()
    fits = check(all_mistakes)
    if options.check or not fits:
        sys.exit(not fits)
    plant(all_mistakes, options.tree)
    if not options.no_build:
        subprocess.run(["swift", "build", "-j", options.jobs, "--build-tests"], cwd=options.tree, check=True, stdout=sys.stderr)
    chosen = [
        (number, mistake) for number, mistake in enumerate(all_mistakes, 1)
        if options.only in f'{mistake["file"]} {mistake["name"]} {mistake["suites"]}'
    ]
    sound = {suites: test(options.tree, suites, 0) for suites in sorted({mistake["suites"] for _, mistake in chosen})}
    for suites, failures in sound.items():
        print(f"without a mistake, {suites}: {failures or 'passed'}", flush=True)
    missed = []
    for number, mistake in chosen:
        failures = test(options.tree, mistake["suites"], number)
        if not failures:
            missed.append(mistake["name"])
        print(f'{"noticed" if failures else "MISSED"}: {mistake["name"]}' + (f" [{failures[:150]}]" if failures else ""), flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} mistakes noticed")
    sys.exit(1 if len(missed) > 2 or any(sound.values()) else 0)


if __name__ == "__main__":
    main()
