"""Runs a command under the restrictions of a unit of systemd, without systemd.

Usage: unit-sandbox.py UNIT HOME PROGRAMS COMMAND...

UNIT is the file. The folder HOME is /home/ann inside, and the folder PROGRAMS is /mnt/programs. The command runs as user 65534.
Needs root. Exits with status 77 if this machine does not allow it, and says why.
"""
import ctypes
import ctypes.util
import os
import resource
import subprocess
import sys

unit_file, home, programs, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
user = 65534


def skip(reason):
    print(f"cannot apply the unit's restrictions: {reason}", file=sys.stderr)
    sys.exit(77)


def directives():
    found = {}
    for line in open(unit_file):
        name, separator, value = line.strip().partition("=")
        if separator:
            found.setdefault(name, []).append(value)
    return found


unit = directives()


def has(name, value="yes"):
    return unit.get(name) == [value]


def run(*words):
    outcome = subprocess.run(words, capture_output=True, text=True)
    if outcome.returncode:
        skip(f"{' '.join(words)}: {outcome.stderr.strip()}")
    return outcome.stdout


def mount_points():
    points = [line.split()[4].encode().decode("unicode_escape") for line in open("/proc/self/mountinfo")]
    return [point for point in dict.fromkeys(points) if os.path.isdir(point)]


def isolate_file_system():
    """ProtectSystem=strict, ReadWritePaths=, PrivateTmp= and PrivateDevices=."""
    if libc.unshare(0x00020000):
        skip("unshare: " + os.strerror(ctypes.get_errno()))
    run("mount", "--make-rprivate", "/")
    for folder in ["/home", "/mnt"]:
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    for place, target in [(home, "/home/ann"), (programs, "/mnt/programs")]:
        os.mkdir(target)
        run("mount", "--bind", place, target)
    if has("PrivateTmp"):
        for folder in ["/tmp", "/var/tmp"]:
            run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", folder)
    if has("PrivateDevices"):
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/dev")
        for name, major, minor in [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0)]:
            run("mknod", "-m", "666", "/dev/" + name, "c", str(major), str(minor))
        os.mkdir("/dev/shm", 0o1777)
        os.chmod("/dev/shm", 0o1777)
    if has("ProtectSystem", "strict"):
        writable = [path.lstrip("-+") for line in unit.get("ReadWritePaths", []) for path in line.split()]
        kept = writable + ["/tmp", "/var/tmp", "/dev", "/proc", "/sys"]
        for point in mount_points():
            if not any(point == path or point.startswith(path + "/") for path in kept):
                run("mount", "-o", "remount,bind,ro", point)


def drop_rights():
    """User=, CapabilityBoundingSet=, NoNewPrivileges=, UMask= and LimitCORE=."""
    if has("CapabilityBoundingSet", ""):
        for capability in range(64):
            libc.prctl(24, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if has("NoNewPrivileges"):
        libc.prctl(38, 1, 0, 0, 0)
    os.umask(int(unit["UMask"][0], 8))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def calls_of(group):
    """The system calls in a group such as @system-service."""
    calls = []
    for line in run("systemd-analyze", "syscall-filter", group).splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            calls += calls_of(word)
        elif word and not word.startswith("#"):
            calls.append(word)
    return calls


def prepare_filters():
    """SystemCallFilter=, MemoryDenyWriteExecute=, RestrictAddressFamilies= and RestrictNamespaces=; loads them when called."""
    name = ctypes.util.find_library("seccomp")
    if not name:
        skip("libseccomp is not installed")
    seccomp = ctypes.CDLL(name)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    allow, refuse = 0x7FFF0000, 0x00050000 | 1
    equal, masked = 4, 7
    filters = []

    def new(default):
        filters.append(ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(default))))

    def rule(action, call, *comparisons):
        number = seccomp.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            seccomp.seccomp_rule_add_array(
                filters[-1], ctypes.c_uint32(action), number, len(comparisons), (Comparison * len(comparisons))(*comparisons))

    new(refuse)
    for line in unit["SystemCallFilter"]:
        for group in line.split():
            for call in calls_of(group):
                rule(allow, call)
    new(allow)
    if has("MemoryDenyWriteExecute"):
        rule(refuse, "mmap", Comparison(2, masked, 6, 6))
        for call in ["mprotect", "pkey_mprotect"]:
            rule(refuse, call, Comparison(2, masked, 4, 4))
    if "RestrictAddressFamilies" in unit:
        numbers = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
        allowed = {numbers[family] for family in unit["RestrictAddressFamilies"][0].split()}
        for family in set(range(46)) - allowed:
            rule(refuse, "socket", Comparison(0, equal, family, 0))
    if has("RestrictNamespaces"):
        for flag in [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]:
            for call in ["unshare", "clone"]:
                rule(refuse, call, Comparison(0, masked, flag, flag))
        rule(refuse, "setns")

    def load():
        # The first filter forbids loading another one.
        for loaded in reversed(filters):
            if seccomp.seccomp_load(loaded):
                skip("seccomp_load failed")

    return load


if os.geteuid():
    skip("this needs root")
load = prepare_filters()
isolate_file_system()
os.chdir("/home/ann")
drop_rights()
load()
os.environ.update(HOME="/home/ann", PATH="/mnt/programs:" + os.environ["PATH"])
os.execvp(command[0], command)
