#!/usr/bin/env python3
"""free-port.py: prints a free TCP port of this machine for a server that is about to start.

It is below the ports that the kernel assigns, which a client or another server may get before this server binds it. No other call prints it
for ten minutes: two servers that start at the same time would get the same port, and the clients of one would reach the other.
"""
import os, random, socket, tempfile, time

folder = os.path.join(tempfile.gettempdir(), "syncd-ports-%d" % os.getuid())


def is_claimed(port):
    """Claims a port for ten minutes; true if another call has claimed it."""
    claim = os.path.join(folder, str(port))
    try:
        os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if time.time() - os.stat(claim).st_mtime < 600:
            return True
        os.utime(claim)
    return False


os.makedirs(folder, exist_ok=True)
while True:
    port = random.randrange(12000, 20000)
    if is_claimed(port):
        continue
    try:
        with socket.socket() as server:
            server.bind(("127.0.0.1", port))
        print(port)
        break
    except OSError:
        pass
