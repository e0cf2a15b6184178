#!/usr/bin/env python3
"""Times syncd with a folder behind sshd and rsync, beside stock rsync (one way at a time) and Unison over the same sshd, in
turn on the same files, and counts the bytes that go through the connection. Prints a Markdown table.

Every figure is a median of wall time in seconds; bytes are those of the encrypted connection, both ways together.
"""
import argparse
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SERVER = HERE.parent / "Scripts" / "ssh-server.sh"


class Counter:
    """A TCP proxy that counts the bytes of all its connections."""

    def __init__(self, port):
        self.target, self.bytes = port, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for pair in ((client, server), (server, client)):
                for end in pair:
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self.bytes += len(data)
                sink.sendall(data)
        except OSError:
            pass
        finally:
            try:
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass


class Tool:
    def __init__(self, name, server):
        self.name, self.server = name, server

    def prepare(self, corpus):
        """Starts again in new folders."""
        self.home = self.server.work / f"{self.name.split()[0]}-{time.monotonic_ns()}"
        self.left, self.right = self.home / "store", self.home / "remote"
        self.home.mkdir(parents=True)
        subprocess.run(["cp", "-a", str(corpus), str(self.left)], check=True)
        self.right.mkdir()
        (self.home / "state").mkdir()
        self.set_up()

    def set_up(self):
        pass

    def env(self):
        return dict(os.environ)

    def ssh(self):
        return f"ssh -F {self.server.run}/ssh_config -p {self.server.counter.port}"


class Syncd(Tool):
    def __init__(self, binary, server, transport):
        super().__init__(f"syncd ({transport})", server)
        self.binary, self.transport = binary, transport

    def set_up(self):
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
            f'[remotes.bench]\nsync = "rsync-ssh"\n[remotes.bench.rsync-ssh]\nhost = "127.0.0.1"\n'
            f'user = "{self.server.user}"\nport = {self.server.counter.port}\npath = "{self.right}"\n'
            f'identity-file = "{self.server.run}/identity"\nknown-hosts = "{self.server.known_hosts}"\n'
            f'transport = "{self.transport}"\n')

    def sync(self):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]

    push = pull = sync


class Rsync(Tool):
    """One direction only: the minimum that has to be done."""

    def push(self):
        return ["rsync", "-a", "-e", self.ssh(), f"{self.left}/", f"{self.server.user}@127.0.0.1:{self.right}/"]

    def pull(self):
        return ["rsync", "-a", "-e", self.ssh(), f"{self.server.user}@127.0.0.1:{self.right}/", f"{self.left}/"]

    sync = push


class Unison(Tool):
    def sync(self):
        return ["unison", str(self.left), f"ssh://{self.server.user}@127.0.0.1/{self.right}", "-batch", "-silent",
                "-times", "-sshargs", self.ssh().removeprefix("ssh ")]

    push = pull = sync

    def env(self):
        return dict(os.environ, UNISON=str(self.home / "state"))


class Server:
    def __init__(self, work):
        self.work, self.run = work, work / "run"
        url = subprocess.run(
            [SERVER, "start", "--root", str(work), "--run", str(self.run), "--owner", str(os.getpid())], check=True,
            capture_output=True, text=True).stdout.strip()
        self.user, rest = url.removeprefix("ssh://").split("@", 1)
        self.counter = Counter(int(rest.split(":")[1].split("/")[0]))
        key = (self.run / "known_hosts").read_text().split(" ", 1)[1]
        self.known_hosts = self.run / "known_hosts_counted"
        self.known_hosts.write_text(f"[127.0.0.1]:{self.counter.port} {key}")
        config = (self.run / "ssh_config").read_text().replace(str(self.run / "known_hosts"), str(self.known_hosts))
        (self.run / "ssh_config").write_text("\n".join(l for l in config.split("\n") if "Port " not in l) + "\n")

    def stop(self):
        subprocess.run([SERVER, "stop", "--run", str(self.run)], check=False)


class Bench:
    def __init__(self, runs):
        self.runs, self.figures = runs, {}

    def measure(self, step, tool, command):
        os.sync()
        time.sleep(0.05)
        before, start = tool.server.counter.bytes, time.perf_counter()
        outcome = subprocess.run(command, env=tool.env(), stdin=subprocess.DEVNULL, capture_output=True)
        wall = time.perf_counter() - start
        if outcome.returncode != 0:
            sys.exit(f"{tool.name} failed with {outcome.returncode}: {outcome.stderr.decode(errors='replace')[-2000:]}")
        if step:
            self.figures.setdefault(step, {}).setdefault(tool.name, []).append(
                (wall, tool.server.counter.bytes - before))
            print(f"{step}, {tool.name}: {wall:.3f} s", file=sys.stderr, flush=True)

    def table(self, tools):
        names = [tool.name for tool in tools]
        print("| | " + " | ".join(f"{name}, s | kB" for name in names) + " | best syncd / rsync, time | bytes |")
        print("|---" * (1 + 2 * len(names) + 2) + "|")
        for step, figures in self.figures.items():
            cells, medians = [], {}
            for name in names:
                if name not in figures:
                    cells.append("– | –")
                    continue
                wall = statistics.median(f[0] for f in figures[name])
                size = statistics.median(f[1] for f in figures[name])
                medians[name] = (wall, size)
                cells.append(f"{wall:.3f} | {size / 1000:.1f}")
            ours = [value for name, value in medians.items() if name.startswith("syncd")]
            ratio = "– | –"
            if "rsync" in medians and ours:
                ratio = " | ".join(
                    f"{min(o[i] for o in ours) / medians['rsync'][i]:.2f}" for i in range(2))
            print(f"| {step} | " + " | ".join(cells) + f" | {ratio} |")


def edit_large(path, run):
    """Changes a hundred bytes in the middle of the file."""
    with open(path, "r+b") as file:
        file.seek(2_500_000 + run * 1000)
        file.write(random.Random(run).randbytes(100))


def edit_small(folder, run):
    for index, path in enumerate(sorted(folder.rglob("small-*.org"))[:1000]):
        with open(path, "ab") as file:
            file.write(f"* edit {run} {index}\n".encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    corpus = options.work / "corpus"
    for index in range(options.files):
        folder = corpus / f"folder-{index % 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"small-{index}.org").write_text(f"* Heading {index}\n" + "text of a note\n" * 100)
    (corpus / "large.org").write_bytes(random.Random(0).randbytes(5 << 20))
    server = Server(options.work)
    try:
        tools = [Syncd(options.syncd, server, "libssh2"), Syncd(options.syncd, server, "ssh-command"),
                 Rsync("rsync", server), Unison("unison", server)]
        bench = Bench(options.runs)
        for tool in tools:
            tool.prepare(corpus)
            bench.measure("first sync", tool, tool.sync())
            time.sleep(3.5)
            bench.measure(None, tool, tool.sync())
        steps = [("nothing changed", lambda tool, run: None, "push"),
                 ("5 MB, 100 bytes edited here", lambda tool, run: edit_large(tool.left / "large.org", run), "push"),
                 ("5 MB, 100 bytes edited there", lambda tool, run: edit_large(tool.right / "large.org", run + 50), "pull"),
                 ("1,000 small edits here", lambda tool, run: edit_small(tool.left, run), "push"),
                 ("1,000 small edits there", lambda tool, run: edit_small(tool.right, run + 50), "pull")]
        for step, change, way in steps:
            for run in range(options.runs):
                for tool in tools:
                    change(tool, run)
                    time.sleep(3.5)
                    bench.measure(step, tool, getattr(tool, way)())
                    # A second pass checks recent files again; it is not a part of the step.
                    bench.measure(None, tool, tool.sync())
        bench.table(tools)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
