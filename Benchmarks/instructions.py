#!/usr/bin/env python3
"""Counts the instructions and system calls of fixed work, which hardly depend on the machine's load.

    instructions.py SYNCD [--check | --update]

Prints a table. --check compares it with Benchmarks/instructions.json and ends with status 1 if a count is more than 5 % above it;
--update writes that file. Instructions are those of callgrind (user mode, all threads). System calls are those of strace without the
waits of threads, whose number depends on chance.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.json")
TOLERANCE = 1.05
# The waits of threads, and what they do while they wait.
WAITS = "futex,epoll_wait,epoll_pwait,sched_yield,poll,ppoll,restart_syscall,madvise,rt_sigprocmask,rt_sigreturn"


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        sys.exit(f"instructions: {' '.join(map(str, command))} failed with {result.returncode}:\n{result.stderr[-2000:]}")
    return result


def instructions(command, cwd):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    text = run(command, cwd=cwd).stderr
    found = re.search(r"Collected : (\d+)", text)
    return int(found.group(1)) if found else sys.exit(f"instructions: callgrind printed no count:\n{text[-2000:]}")


def calls(command, cwd):
    with tempfile.NamedTemporaryFile("r") as summary:
        run(["strace", "-f", "-c", "-U", "calls,name", "-o", summary.name, "-e", f"trace=!{WAITS}", *command], cwd=cwd)
        return sum(int(number) for number, name in re.findall(r"^\s*(\d+) (\w+)$", summary.read(), re.M) if name != "total")


class Work:
    """One piece of work in a new folder: `prepare` makes the folder, `command` is measured in it."""

    def __init__(self, name, prepare, command):
        self.name, self.prepare, self.command = name, prepare, command

    def count(self, base):
        counts = {}
        for kind, counter in [("instructions", instructions), ("calls", calls)]:
            folder = base / f"{self.name.replace(' ', '-').replace(',', '')}-{kind}"
            folder.mkdir()
            self.prepare(folder)
            counts[kind] = counter(self.command, folder)
        return counts


def corpus(folder, files):
    run([sys.executable, pathlib.Path(__file__).with_name("make-org-corpus.py"), folder, "--files", str(files), "--seed", "1",
         "--large", "0"])


def settings(folder, remote='cloud = "folder"\n[remotes.bench.folder]\npath = "remote"\ncreate = true\n'):
    (folder / "s.toml").write_text(
        f'[syncd]\nstate = "state"\n[store]\npath = "store"\n[remotes.bench]\nsync = "plain-files"\n{remote}')


def works(syncd, base, address):
    once = [syncd, "--settings", "s.toml", "--once", "--quiet"]
    notes = base / "notes"
    corpus(notes, 1000)

    def first(folder):
        shutil.copytree(notes, folder / "store")
        settings(folder)

    def again(folder):
        first(folder)
        # The times of the files must be older than a clock tick, or they are read again.
        for path in folder.rglob("*.org"):
            os.utime(path, (1e9, 1e9))
        run(once, cwd=folder)
        subprocess.run(["sleep", "0.1"], check=True)
        run(once, cwd=folder)

    def edited(folder):
        again(folder)
        for path in sorted((folder / "store").rglob("*.org"))[::10]:
            with open(path, "ab") as file:
                file.write(b"* One more entry\n")

    def remote(folder):
        corpus(folder / "store", 100)
        settings(folder, f'cloud = "webdav"\n[remotes.bench.webdav]\nurl = "{address}{folder.name}/"\n')

    def files(folder):
        text = "".join(f"* TODO Entry {n}\n:PROPERTIES:\n:ID: {n}\n:END:\nText of the entry {n}.\n" for n in range(20_000))
        (folder / "base.org").write_text(text)
        (folder / "ours.org").write_text(text.replace("entry 500.", "entry 500, edited here."))
        (folder / "theirs.org").write_text(text.replace("entry 15000.", "entry 15000, edited there."))
        (folder / "same.org").write_text(text)

    yield Work("parse a file of 1.4 MB", files, [syncd, "merge-file", "base.org", "same.org", "base.org"])
    yield Work("merge files of 1.4 MB", files, [syncd, "merge-file", "base.org", "ours.org", "theirs.org"])
    yield Work("first sync of 1,000 files", first, once)
    yield Work("nothing changed, 1,000 files", again, once)
    yield Work("100 edits, 1,000 files", edited, once)
    if address:
        yield Work("first sync of 100 files by WebDAV", remote, once)


def table(counts):
    lines = ["| | instructions, millions | system calls |", "|---|---|---|"]
    lines += [f"| {name} | {count['instructions'] / 1e6:,.0f} | {count['calls']:,} |" for name, count in counts.items()]
    return "\n".join(lines)


def check(counts):
    """Returns the counts that are above the table, as sentences."""
    former = json.loads(TABLE.read_text())
    return [f"{name}: {count[kind]:,} {kind}, {count[kind] / former[name][kind]:.2f} × of {former[name][kind]:,}"
            for name, count in counts.items() if name in former for kind in count
            if count[kind] > former[name][kind] * TOLERANCE]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("syncd", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    script = pathlib.Path(__file__).parent.parent / "Scripts/webdav-server.sh"
    with tempfile.TemporaryDirectory(prefix="syncd-instructions-") as name:
        base = pathlib.Path(name)
        (base / "dav").mkdir()
        server = subprocess.run([script, "start", "apache", "--root", base / "dav", "--run", base / "run", "--owner", str(os.getpid())],
                                capture_output=True, text=True)
        address = server.stdout.strip() if server.returncode == 0 else None
        if not address:
            print(f"*** no WebDAV server, so its pass is not counted: {server.stderr.strip()} ***", file=sys.stderr)
        try:
            for kind in ("instructions", "calls"):
                (base / "dav" / f"first-sync-of-100-files-by-WebDAV-{kind}").mkdir()
            # Valgrind cannot read the debugging information of every compiler, and does not need it.
            syncd = base / "syncd"
            run(["strip", "-o", syncd, arguments.syncd])
            counts = {work.name: work.count(base) for work in works(str(syncd), base, address)}
        finally:
            if address:
                subprocess.run([script, "stop", "--run", base / "run"], check=True)
    print(table(counts))
    if arguments.update:
        TABLE.write_text(json.dumps(counts, indent=2) + "\n")
    if arguments.check and (above := check(counts)):
        sys.exit("instructions: more than 5 % above Benchmarks/instructions.json; say why in the commit, and run it with --update:\n"
                 + "\n".join(above))


main()
