"""Hosts in one local network, each in a network namespace of its own, with syncd as a service. Linux, root, and `ip` of iproute2.

`Lan` must be made in a network namespace that is its own, as `unshare --net` gives it: what it makes disappears with it.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def begins_connection(packet):
    """True for an Ethernet frame with the first packet of a TCP connection over IPv4: SYN without ACK."""
    start = 14 + (packet[14] & 15) * 4
    return packet[12:14] == b"\x08\x00" and packet[23] == socket.IPPROTO_TCP and packet[start + 13] & 0x12 == 0x02


class Wire:
    """Everything that goes over the bridge: the numbers of bytes and of TCP connections, and which of some texts were seen in it."""

    def __init__(self, interface, canaries):
        self.bytes, self.connections, self.seen, self.canaries = 0, 0, set(), canaries
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
        self.socket.bind((interface, 0))
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            packet = self.socket.recv(1 << 17)
            self.bytes += len(packet)
            self.connections += begins_connection(packet)
            self.seen.update(canary for canary in self.canaries if canary in packet)


class Lan:
    """A bridge with the hosts. A host is a name; its address is 10.47.0.N."""

    def __init__(self, names, canaries=()):
        self.holders = {}
        try:
            run("ip", "link", "set", "lo", "up")
            run("ip", "link", "add", "lan", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
            run("ip", "link", "set", "lan", "up", "promisc", "on")
            for number, name in enumerate(names, 1):
                self.add(name, f"10.47.0.{number}/24")
            self.wire = Wire("lan", canaries)
        except Exception:
            self.end()
            raise

    def add(self, name, address):
        # Its network lives as long as this process.
        holder = self.holders[name] = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        while os.readlink(f"/proc/{holder.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        run("ip", "link", "add", f"port-{name}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        run("ip", "link", "set", f"port-{name}", "master", "lan", "up")
        inside = ["nsenter", "-t", str(holder.pid), "-n", "ip"]
        run(*inside, "address", "add", address, "dev", "eth0")
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "link", "set", "eth0", "up")
        # Multicast goes to the local network.
        run(*inside, "route", "add", "default", "dev", "eth0")

    def enter(self, name):
        """What a child process does to be on this host."""
        path = f"/proc/{self.holders[name].pid}/ns/net"

        def child():
            os.setsid()
            descriptor = os.open(path, os.O_RDONLY)
            if libc.setns(descriptor, CLONE_NEWNET) != 0:
                os._exit(99)
            os.close(descriptor)

        return child

    def connect(self, name, on):
        run("ip", "link", "set", f"port-{name}", "up" if on else "down")

    def end(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()


class Host:
    """A device with a store, whose service runs on a host of the network."""

    def __init__(self, lan, name, work, syncd, helper, secret):
        self.lan, self.name, self.syncd, self.helper = lan, name, syncd, helper
        self.home, self.service = work / name, None
        self.store = self.home / "org"
        self.store.mkdir(parents=True)
        self.write_secret(secret)
        (self.home / "s.toml").write_text(f"""[syncd]
state = "state"
device = "{name}"
quiet = "100ms"
interval = "10s"
max-delete = "100%"
[store]
backend = "org-files"
path = "org"
[remotes.mesh]
sync = "bittorrent"
[remotes.mesh.bittorrent]
secret = {{ file = "secret" }}
program = "{helper}"
wait = "2s"
""")

    def write_secret(self, secret):
        (self.home / "secret").touch(0o600)
        (self.home / "secret").write_text(secret + "\n")

    def popen(self, *words, **options):
        environment = dict(os.environ, HOME=str(self.home))
        return subprocess.Popen([self.syncd, "--settings", str(self.home / "s.toml"), *words], env=environment,
                                preexec_fn=self.lan.enter(self.name), stdin=subprocess.DEVNULL, **options)

    def start(self):
        self.log = open(self.home / "log", "ab")
        self.service = self.popen(stdout=self.log, stderr=self.log)

    def stop(self, how=signal.SIGTERM):
        """Ends the service; with SIGKILL its helper, too, as a loss of power does."""
        if self.service is None:
            return
        try:
            if how == signal.SIGKILL:
                os.killpg(self.service.pid, how)
            else:
                self.service.send_signal(how)
        except ProcessLookupError:
            pass
        self.service.wait()
        self.service = None

    def command(self, *words):
        child = self.popen(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return child.communicate()[0].decode(errors="replace"), child.returncode

    def wipe(self):
        """A new disk: the store and the state are gone."""
        for folder in (self.store, self.home / "state"):
            shutil.rmtree(folder, ignore_errors=True)
        self.store.mkdir()

    def texts(self):
        """The files of the store, without those of a write in progress."""
        found = {}
        for path in self.store.rglob("*.org"):
            try:
                found[str(path.relative_to(self.store))] = path.read_bytes()
            except FileNotFoundError:
                pass
        return found


def wait_until(condition, patience, what):
    """Waits, and returns the seconds that it took; ends the program after `patience` seconds."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > patience:
            raise SystemExit(f"FAIL {what}: not within {patience} s")
        time.sleep(0.05)
    return time.monotonic() - start


def equal(hosts):
    first, *others = [host.texts() for host in hosts]
    return all(other == first for other in others) and first


def contents(folder):
    """The files below a folder with their bytes, while programs add and remove others."""
    for place, _, names in os.walk(folder):
        for path in (pathlib.Path(place) / name for name in names):
            try:
                if path.is_file():  # not a socket
                    yield path, path.read_bytes()
            except FileNotFoundError:
                pass


def folder_bytes(folder):
    return sum(len(content) for _, content in contents(folder))
