"""Speaks sftp over its own input and output, as a program that runs instead of ssh, with hostile text in one field.

Arguments: the text in hexadecimal digits, the field, and what ssh gets.
"""
import struct
import sys

evil, field = bytes.fromhex(sys.argv[1]), sys.argv[2]
out = sys.stdout.buffer
number = lambda value: struct.pack(">I", value)
string = lambda data: number(len(data)) + data
put = lambda name, value: evil if field == name else value


def send(kind, payload):
    body = bytes([kind]) + payload
    out.write(number(len(body)) + body)
    out.flush()


def status(request, code):
    send(101, request + number(code) + string(put("message", b"m")) + string(put("language", b"en")))


def attributes(mode):
    return struct.pack(">IQIII", 0x01 | 0x04 | 0x08, 5, mode, 1_000_000_000, 1_000_000_000)


if field == "errors":
    sys.stderr.buffer.write(evil + b"\n")
    sys.exit(255)
if field == "banner":
    out.write(evil + b"\n")
    out.flush()
stream, listings = sys.stdin.buffer, 0
while len(head := stream.read(4)) == 4:
    body = stream.read(struct.unpack(">I", head)[0])
    kind, request = body[0], body[1:5]
    if kind == 1:
        send(2, number(3) + string(put("extension", b"posix-rename@openssh.com")) + string(put("extension-data", b"1")))
    elif field == "message":
        status(request, 4)
    elif kind == 16:
        send(104, request + number(1) + string(put("real-path", b"/far")) + string(b"") + attributes(0o040755))
    elif kind == 11:
        listings = 0
        send(102, request + string(put("handle", b"1")))
    elif kind == 12:
        listings += 1
        if listings > 1:
            status(request, 1)
        else:
            send(104, request + number(1) + string(put("name", b"a.org")) + string(put("long-name", b"a")) + attributes(0o100644))
    elif kind in (7, 17):
        send(105, request + attributes(0o040755))
    elif kind == 4:
        status(request, 0)
    else:
        status(request, 4)
