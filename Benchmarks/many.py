#!/usr/bin/env python3
"""Runs syncd alone on very many small notes, for its memory: a first sync, nothing changed twice, 1,000 edits.

Prints a Markdown table; `peak` is the largest resident set of the process (what wait4(2) says).
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

PER_FOLDER = 100


def make(store, files):
    """Notes of some 300 bytes, all different."""
    for number in range(0, files, PER_FOLDER):
        folder = store / f"{number // 10000:04}" / f"{number // PER_FOLDER:06}"
        folder.mkdir(parents=True)
        for index in range(number, min(number + PER_FOLDER, files)):
            (folder / f"note-{index}.org").write_text(
                f"#+title: Note {index}\n\n* TODO Heading of note {index}\n:PROPERTIES:\n:ID: {index:036}\n:END:\n"
                + f"What there is to say of {index}.\n" * 4)


def edit(store, files):
    step = max(1, files // 1000)
    for index in range(0, files, step):
        path = store / f"{index // 10000:04}" / f"{index // PER_FOLDER:06}" / f"note-{index}.org"
        with open(path, "a") as note:
            note.write("* One more\n")


def measure(command):
    start = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"syncd failed with {child.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=1_000_000)
    arguments = parser.parse_args()
    work, store = arguments.work, arguments.work / "store"
    make(store, arguments.files)
    (work / "remote").mkdir()
    (work / "settings.toml").write_text(
        '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
        '[remotes.bench]\nsync = "plain-files"\ncloud = "folder"\n[remotes.bench.folder]\npath = "remote"\ncreate = true\n')
    command = [arguments.syncd, "--settings", str(work / "settings.toml"), "--once", "--quiet", "--timeout", "2h"]
    print(f"| {arguments.files:,} files | wall, s | cpu, s | peak, MiB |\n|---|---|---|---|", flush=True)
    for step in ["first sync", "the pass after it", "nothing changed", "1,000 edits"]:
        if step == "1,000 edits":
            edit(store, arguments.files)
        wall, cpu, peak = measure(command)
        print(f"| {step} | {wall:.1f} | {cpu:.1f} | {peak:.0f} |", flush=True)


main()
