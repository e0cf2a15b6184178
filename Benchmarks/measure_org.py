#!/usr/bin/env python3
"""Measures OrgKit: reading and merging generated files of 5 to 50 MB, beside git merge-file, and inputs no one writes.

Figures of OrgKit are the least processor time of fifteen runs in one process, of git the least user plus system time of
fifteen processes; `peak` is the largest resident set.
"""
import argparse
import os
import pathlib
import random
import resource
import subprocess
import sys


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if result.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed with {result.returncode}: {result.stderr.decode(errors='replace')[-2000:]}")
    return result.stdout.decode(errors="replace"), seconds * 1000


def edited(text, count, seed):
    """A hundred realistic edits: states, words, new lines, new entries."""
    draw = random.Random(seed)
    lines = text.split(b"\n")
    heads = [i for i, line in enumerate(lines) if line.startswith(b"*") and line.lstrip(b"*").startswith(b" ")]
    prose = [i for i, line in enumerate(lines) if len(line.split()) > 4 and line[:1].isalpha()]
    added = {}
    for number in range(count):
        kind, word = number % 5, b"new%d" % draw.randrange(10**6)
        if kind == 0:
            place = draw.choice(heads)
            lines[place] = lines[place].replace(b" TODO ", b" DONE ")
        elif kind in (1, 2):
            place = draw.choice(prose)
            words = lines[place].split(b" ")
            words[draw.randrange(len(words))] = word
            lines[place] = b" ".join(words)
        elif kind == 3:
            added.setdefault(draw.choice(heads), []).append(b"* Captured " + word + b"\nSome text " + word)
        else:
            added.setdefault(draw.choice(prose) + 1, []).append(b"A line with " + word)
    return b"\n".join(part for i, line in enumerate(lines) for part in added.get(i, []) + [line])


def sizes(bench, work, megabytes):
    rows = ["| file | tree, MB/s | everything, MB/s | merge, ms | peak of the merge, MiB | git merge-file, ms | of git |",
            "|---|---|---|---|---|---|---|"]
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(work / "corpus"), "--files", "10", "--seed", "1",
                    "--large", "10"], check=True, stdout=subprocess.DEVNULL)
    large = sorted((p for p in (work / "corpus").rglob("*") if p.is_file()), key=lambda p: -p.stat().st_size)
    for size in megabytes:
        text = b"".join(p.read_bytes() for p in large[: size // 5])
        paths = [work / name for name in ("base.org", "ours.org", "theirs.org")]
        for path, content in zip(paths, (text, edited(text, 100, 1), edited(text, 100, 2))):
            path.write_bytes(content)
        tree = float(run([bench, "tree", paths[0]])[0].split()[0])
        everything = float(run([bench, "everything", paths[0]])[0].split()[0])
        merge, peak = (float(word) for word in run([bench, "merge", *paths])[0].split())
        git = min(run(["git", "merge-file", "-p", "-q", paths[1], paths[0], paths[2]])[1] for _ in range(15))
        speed = len(text) / 1000
        rows.append(f"| {len(text) / 1e6:.1f} MB | {speed / tree:.0f} | {speed / everything:.0f} | {merge:.0f} | {peak:.0f} "
                    f"| {git:.0f} | {merge / git:.2f} × |")
    return rows


def hard_cases(bench):
    rows = ["| input | size, MB | read, ms | merge, ms | peak, MiB |", "|---|---|---|---|---|"]
    for name in run([bench])[0].splitlines():
        size, reading, merging, peak = (float(word) for word in run([bench, "case", name])[0].split())
        rows.append(f"| {name} | {size / 1e6:.1f} | {reading:.0f} | {merging:.0f} | {peak:.0f} |")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    print("OrgKit: generated files, a hundred edits on each side; one core.\n")
    print("\n".join(sizes(arguments.bench, arguments.work, [5, 10, 20, 50])))
    print("\nOrgKit: extreme inputs, one change on each side, or everywhere if the name says so.\n")
    print("\n".join(hard_cases(arguments.bench)))


main()
