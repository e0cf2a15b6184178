#!/usr/bin/env python3
"""Times syncd's bittorrent and Syncthing between three hosts of a local network, one tool after the other on the same files: first
sync, one edit until it is on both other hosts, and what an idle hour costs. Prints a Markdown table.

    unshare --net Benchmarks/mesh.py --syncd FILE --helper FILE --work FOLDER

Needs root for network namespaces. Syncthing waits for one second after a change, its least, instead of ten; all else is as each
tool comes, without anything outside of the network.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "BackendBitTorrentTests"))
from hosts import Host, Lan, equal, folder_bytes, wait_until  # noqa: E402

NAMES = ["ann", "bob", "eve"]
PATIENCE = 900
SECRET = "sy1-aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp2zinx4y"


def processor_seconds(root):
    """The processor time of a process and its descendants, which live as long as it does."""
    children, ticks = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(") ", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    total, left = 0, [root]
    while left:
        process = left.pop()
        total += ticks.get(process, 0)
        left += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


class Syncthing:
    """A host with Syncthing, which knows the addresses of the others."""

    def __init__(self, lan, name, work):
        self.lan, self.name, self.home, self.service = lan, name, work / name, None
        self.store = self.home / "org"
        self.store.mkdir(parents=True)
        subprocess.run(["syncthing", "generate", "--no-default-folder", f"--home={self.home}/state"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=str(self.home)))
        self.id = subprocess.run(["syncthing", f"--home={self.home}/state", "--device-id"], check=True, capture_output=True,
                                 text=True, env=dict(os.environ, HOME=str(self.home))).stdout.strip()

    texts = Host.texts

    def introduce(self, hosts):
        file = self.home / "state" / "config.xml"
        text = file.read_text()
        devices = "".join(f'<device id="{host.id}" name="{host.name}"><address>tcp://10.47.0.{number}:22000</address></device>\n'
                          for number, host in enumerate(hosts, 1))
        members = "".join(f'<device id="{host.id}"></device>' for host in hosts)
        folder = (f'<folder id="org" label="org" path="{self.store}" type="sendreceive" rescanIntervalS="3600" '
                  f'fsWatcherEnabled="true" fsWatcherDelayS="1">{members}</folder>\n')
        text = re.sub(r"    <device id=.*?</device>\n", "", text, flags=re.S)
        text = text.replace("<gui ", folder + devices + "<gui ", 1)
        for key in ("globalAnnounceEnabled", "relaysEnabled", "natEnabled", "startBrowser", "crashReportingEnabled"):
            text = re.sub(f"<{key}>true</{key}>", f"<{key}>false</{key}>", text)
        text = re.sub(r"<urAccepted>-?\d+</urAccepted>", "<urAccepted>-1</urAccepted>", text)
        file.write_text(text)

    def start(self):
        log = open(self.home / "log", "ab")
        self.service = subprocess.Popen(
            ["syncthing", "serve", f"--home={self.home}/state", "--no-browser", "--no-restart", "--no-upgrade"],
            preexec_fn=self.lan.enter(self.name), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=dict(os.environ, HOME=str(self.home), STNOUPGRADE="1"))

    def stop(self):
        self.service.send_signal(signal.SIGTERM)
        self.service.wait()


def syncd_hosts(options, lan, work):
    hosts = [Host(lan, name, work, options.syncd, options.helper, SECRET) for name in NAMES]
    for host in hosts:
        # As it comes, but for what a first sync of an empty device needs.
        text = (host.home / "s.toml").read_text()
        text = re.sub(r"(?m)^(quiet|interval|max-delete|wait) = .*\n", "", text)
        (host.home / "s.toml").write_text(text)
    return hosts


def syncthing_hosts(_, lan, work):
    hosts = [Syncthing(lan, name, work) for name in NAMES]
    for host in hosts:
        host.introduce(hosts)
    return hosts


def ends(path, line):
    """True if a file ends with a line; false while it is being replaced."""
    try:
        return path.read_text().endswith(line)
    except FileNotFoundError:
        return False


def measure(hosts, lan, corpus, options):
    figures = {}
    shutil.copytree(corpus, hosts[0].store, dirs_exist_ok=True)
    before, start = lan.wire.bytes, time.monotonic()
    for host in hosts:
        host.start()
    expected = sum(1 for _ in corpus.rglob("*.org"))
    wait_until(lambda: all(sum(1 for _ in host.store.rglob("*.org")) == expected for host in hosts) and equal(hosts),
               PATIENCE, "first sync")
    figures["first sync, s"] = time.monotonic() - start
    figures["first sync, bytes on the wire for each byte"] = (lan.wire.bytes - before) / folder_bytes(corpus)
    figures["first sync, processor s of all hosts"] = sum(processor_seconds(host.service.pid) for host in hosts)
    time.sleep(15)
    times, traffic = [], []
    files = sorted(path.relative_to(hosts[0].store) for path in hosts[0].store.rglob("*.org"))
    for number in range(options.edits):
        before, name = lan.wire.bytes, files[number * 7]
        line = f"edit {number}\n"
        with open(hosts[number % 3].store / name, "a") as file:
            file.write(line)
        times.append(wait_until(lambda: all(ends(host.store / name, line) for host in hosts), PATIENCE, "edit"))
        time.sleep(3)
        traffic.append(lan.wire.bytes - before)
    figures["one edit on all hosts, s"] = statistics.median(times)
    figures["one edit, kB on the wire"] = statistics.median(traffic) / 1000
    time.sleep(20)
    before, used = lan.wire.bytes, sum(processor_seconds(host.service.pid) for host in hosts)
    time.sleep(options.idle)
    hour = 3600 / options.idle
    figures["idle, processor s of all hosts an hour"] = (sum(processor_seconds(h.service.pid) for h in hosts) - used) * hour
    figures["idle, kB on the wire an hour"] = (lan.wire.bytes - before) * hour / 1000
    for host in hosts:
        host.stop()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--helper", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--idle", type=int, default=120, help="seconds that are measured without changes")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    work = options.work.resolve()
    corpus = work / "corpus"
    subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("make-org-corpus.py")), str(corpus), "--files",
                    str(options.files), "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    lan = Lan(NAMES)
    all_figures = {"syncd": [], "Syncthing": []}
    try:
        for run in range(options.runs):
            for name, make in (("syncd", syncd_hosts), ("Syncthing", syncthing_hosts)):
                figures = measure(make(options, lan, work / f"{name}-{run}"), lan, corpus, options)
                all_figures[name].append(figures)
                print(f"{name}: {figures}", file=sys.stderr, flush=True)
    finally:
        lan.end()
    print(f"{options.files} files, {folder_bytes(corpus):,} bytes; medians of {options.runs} runs; idle time measured for "
          f"{options.idle} s.\n\n| | syncd | Syncthing | relative |\n|---|---|---|---|")
    for row in all_figures["syncd"][0]:
        ours, theirs = (statistics.median(figures[row] for figures in all_figures[name]) for name in ("syncd", "Syncthing"))
        print(f"| {row} | {ours:.2f} | {theirs:.2f} | {ours / theirs if theirs else float('inf'):.2f} × |")


main()
