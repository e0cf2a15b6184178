#!/usr/bin/env python3
"""hostile-sftp.py HOW: an sftp server whose folder has one file, `good.org`, and that misbehaves in one way."""
import struct
import sys
import time

how = sys.argv[1]
out = sys.stdout.buffer
number = lambda value: struct.pack(">I", value)
string = lambda data: number(len(data)) + data


def send(kind, payload):
    body = bytes([kind]) + payload
    out.write(number(len(body)) + body)
    out.flush()


def attributes(size=5, mode=0o100644, seconds=1_000_000_000):
    return struct.pack(">IQIII", 0x01 | 0x04 | 0x08, size, mode, seconds, seconds)


FOLDER = attributes(0, 0o040755)


def names(request, *items):
    send(104, request + number(len(items)) + b"".join(string(n) + string(b"") + a for n, a in items))


def status(request, code, message=b"as asked"):
    send(101, request + number(code) + string(message) + string(b""))


def listing(request, turn):
    if how == "endless-empty":
        return names(request)
    if how == "endless-names":
        return names(request, *[(b"%d-%d.org" % (turn, index), attributes()) for index in range(100)])
    if turn > 1:
        return status(request, 1)
    if how == "climbing":
        climbing = [b"../escaped.org", b"..", b"/etc/passwd", b"", b"a\0b", b"d/../../x"]
        return names(request, *[(name, attributes()) for name in climbing], (b"good.org", attributes()))
    if how == "twice":
        return names(request, (b"good.org", attributes()), (b"good.org", attributes(6)))
    if how == "bare":
        return names(request, (b"good.org", attributes()), (b"bare.org", number(0)))
    if how == "future":
        return names(request, (b"good.org", attributes(seconds=4_000_000_000)), (b"zero.org", attributes(seconds=0)))
    if how == "broken-listing":
        names(request, (b"good.org", attributes()))
        return None
    if how == "huge-size":
        return names(request, (b"good.org", attributes(size=1 << 63)))
    if how == "many-names":
        return send(104, request + number(0xFFFFFFFF) + string(b"a"))
    names(request, (b"good.org", attributes()))


def main():
    stream, turns, listings = sys.stdin.buffer, 0, 0
    if how == "noise":
        out.write(b"Welcome to the machine\n")
        out.flush()
    while len(head := stream.read(4)) == 4:
        body = stream.read(struct.unpack(">I", head)[0])
        kind, request, rest = body[0], body[1:5], body[5:]
        if kind == 1:
            if how == "silent":
                time.sleep(600)
            send(2, number(2 if how == "old" else 3))
        elif how == "long-packet":
            out.write(number(1 << 30) + b"x" * 1000)
            out.flush()
        elif how == "no-length":
            out.write(number(0))
            out.flush()
        elif how == "long-string":
            send(101, request + number(4) + number(1 << 20) + b"x")
        elif how == "other-request":
            status(number(77777), 0)
        elif how == "other-kind":
            send(103, request + string(b"data"))
        elif how == "unknown-kind":
            send(99, request)
        elif how == "trickle":
            for byte in number(1 << 16):
                out.write(bytes([byte])); out.flush(); time.sleep(0.2)
            while True:
                out.write(b"x"); out.flush(); time.sleep(0.2)
        elif how == "stalls":
            time.sleep(600)
        elif kind == 11:
            turns, listings = 0, listings + 1
            send(102, request + string(b"folder"))
        elif kind == 12:
            turns += 1
            if how == "broken-listing" and turns > 1:
                status(request, 4)
            elif how == "vanishing" or how == "vanished-once" and listings == 1 and turns > 1:
                status(request, 2)
            else:
                listing(request, turns)
        elif kind == 3:
            send(102, request + string(b"file"))
        elif kind == 5:
            offset = struct.unpack(">Q", rest[-12:-4])[0]
            content = {"longer": b"good\nand more", "shorter": b"go", "endless-file": b""}.get(how, b"good\n")
            if how == "endless-file":
                send(103, request + string(b"x" * 100))
            elif offset >= len(content):
                status(request, 1)
            else:
                send(103, request + string(content[offset:]))
        elif kind in (7, 8, 17):
            is_folder = kind == 17 or rest[4:].endswith(b"folder")
            send(105, request + (FOLDER if is_folder else attributes()))
        elif kind in (4, 13, 14, 15, 18, 6):
            # Everything is confirmed, and nothing is done.
            status(request, 0)
        elif kind == 200 and how == "liar":
            status(request, 0)
        else:
            status(request, 8)


main()
