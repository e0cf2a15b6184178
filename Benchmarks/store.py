#!/usr/bin/env python3
"""Times a store in one file beside a folder: importing a folder against copying it, and passes in which nothing changed.

Prints a Markdown table of medians over the runs, in seconds, and the ratios that docs/performance.md quotes. `copied` is `cp -a`
followed by a sync of the file system, because an import is on the disk when it ends.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

PER_FOLDER = 100


def make(folder, files, size):
    """Notes of about `size` bytes, all different."""
    for number in range(0, files, PER_FOLDER):
        below = folder / f"{number // 10000:04}" / f"{number // PER_FOLDER:06}"
        below.mkdir(parents=True)
        for index in range(number, min(number + PER_FOLDER, files)):
            head = f"#+title: Note {index}\n\n* TODO Heading of note {index}\n:PROPERTIES:\n:ID: {index:036}\n:END:\n"
            line = f"What there is to say of {index}.\n"
            (below / f"note-{index}.org").write_text(head + line * max(1, (size - len(head)) // len(line)))


def timed(*command):
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{command} failed with {done.returncode}")
    return time.perf_counter() - start


def settings(home, store):
    home.mkdir(parents=True)
    (home / "s.toml").write_text(
        f'[syncd]\nstate = "state"\n[store]\n{store}\n'
        '[remotes.bench]\ncloud = "folder"\n[remotes.bench.folder]\npath = "remote"\ncreate = true\n')
    return ["--settings", str(home / "s.toml")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    work, syncd = arguments.work, arguments.syncd
    make(work / "org", arguments.files, arguments.size)
    results = {}

    def record(name, seconds):
        results.setdefault(name, []).append(seconds)

    for run in range(arguments.runs):
        os.sync()
        start = time.perf_counter()
        timed("cp", "-a", str(work / "org"), str(work / "copy"))
        timed("sync", "-f", str(work))
        record("folder copied", time.perf_counter() - start)
        shutil.rmtree(work / "copy")
        os.sync()
        home = work / f"sqlite-{run}"
        options = settings(home, 'backend = "sqlite"\npath = "org.sqlite"')
        record("folder imported", timed(syncd, *options, "store", "import", str(work / "org")))
        record("store listed", timed(syncd, *options, "store", "ls", "--all", "no such file"))
        if run + 1 < arguments.runs:
            shutil.rmtree(home)
    folder = settings(work / "folder", f'path = "{work / "org"}"')
    for name, chosen in [("one file", options), ("folder", folder)]:
        record(f"first sync, {name}", timed(syncd, *chosen, "--once", "--quiet", "--timeout", "2h"))
        timed(syncd, *chosen, "--once", "--quiet")
        for _ in range(max(3, arguments.runs)):
            record(f"nothing changed, {name}", timed(syncd, *chosen, "--once", "--quiet"))
    for _ in range(max(3, arguments.runs)):
        record("program started", timed(syncd, "--version"))
    print(f"| {arguments.files:,} files of {arguments.size:,} B | seconds |\n|---|---|")
    for name, values in results.items():
        print(f"| {name} | {statistics.median(values):.2f} |")
    median = {name: statistics.median(values) for name, values in results.items()}
    print(f"\nimport / copy: {median['folder imported'] / median['folder copied']:.2f} (target: at most 1.5)")
    print(f"listing without the program's start: {median['store listed'] - median['program started']:.2f} s (target: at most 0.1)")
    print(f"nothing changed, one file / folder: {median['nothing changed, one file'] / median['nothing changed, folder']:.2f}")


main()
