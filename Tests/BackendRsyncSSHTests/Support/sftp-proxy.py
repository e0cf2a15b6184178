#!/usr/bin/env python3
"""sftp-proxy.py MOMENT REQUEST COMMAND SERVER…: an sftp server in front of which something happens.

Requests are handed to SERVER one after the other, each when the one before is answered. At the first REQUEST (`mkdir`, `lstat`,
`posix-rename`, `hardlink`, `remove`, `rmdir`; `hardlink:3` is the third) COMMAND is run by a shell: MOMENT `before` the
request is handed over, or `after` it was answered. A COMMAND that fails cuts the connection there, and SERVER gets nothing more.
"""
import os
import struct
import subprocess
import sys

NAMES = {7: "lstat", 13: "remove", 14: "mkdir", 15: "rmdir"}


def exactly(stream, count):
    data = b""
    while len(data) < count:
        piece = stream.read(count - len(data))
        if not piece:
            return None
        data += piece
    return data


def packet(stream):
    head = exactly(stream, 4)
    return None if head is None else head + exactly(stream, struct.unpack(">I", head)[0])


def name(request):
    if request[4] != 200:
        return NAMES.get(request[4], "")
    length = struct.unpack(">I", request[9:13])[0]
    return request[13:13 + length].decode().split("@")[0]


def main():
    moment, wanted, command = sys.argv[1:4]
    wanted, _, turn = wanted.partition(":")
    server = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def happen():
        if subprocess.call(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL) != 0:
            server.kill()
            os._exit(1)

    turns = int(turn or 1)
    while (request := packet(sys.stdin.buffer)) is not None:
        turns -= name(request) == wanted
        due = turns == 0 and name(request) == wanted
        if due and moment == "before":
            happen()
        server.stdin.write(request)
        server.stdin.flush()
        answer = packet(server.stdout)
        if due and moment == "after":
            happen()
        if answer is None:
            break
        try:
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            pass  # The client no longer waits; the request is still carried out.
    server.stdin.close()
    server.wait()


main()
