#!/usr/bin/env python3
"""faulty-sftp.py PLAN SERVER…: an sftp server whose connection fails once, or that confirms what it does not do.

PLAN is a file with a line "ID MODE N", "ID claim WHAT", "ID away N" or "ID count"; the ID is another one for each plan. Requests are handed to SERVER, except that those of the extension
WHAT, or those that set attributes if WHAT is setstat, are confirmed without being carried out. At the N-th one, counted over
all connections:
  before  the connection ends, and SERVER never gets the request
  after   SERVER carries out the request, and the connection ends without an answer
  stall   nothing is answered any more
The plan is then "ID fired"; the number of requests is in PLAN.ID.count, and that of their bytes in PLAN.ID.bytes. So a request that comes
after its plan was replaced changes nothing of the next one.

With "away N", a file that gets another name by a link is moved away before the next request, as by another writer that looks at it,
and has that name again once it was looked up N times. SERVER has the files of this machine.
"""
import fcntl
import os
import struct
import subprocess
import sys
import threading
import time

plan_file = sys.argv[1]
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lock = threading.Lock()
awaited = None
# The number of a request whose answer the next request waits for.
expected = None
answered = threading.Event()
# The name that a file has lost for a while, and how often it is looked up until then.
away = None
looks = 0


def packet(stream):
    head = stream.read(4)
    if len(head) < 4:
        return None
    body = stream.read(struct.unpack(">I", head)[0])
    return head + body


def end():
    server.kill()
    os._exit(1)


def answers():
    while (answer := packet(server.stdout)) is not None:
        with lock:
            if awaited is not None and answer[5:9] == awaited:
                end()
            if expected is not None and answer[5:9] == expected:
                answered.set()
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    os._exit(0)


def strings(request):
    """The strings of a request after its number, as far as it has some."""
    rest, found = request[9:], []
    while len(rest) >= 4 and len(rest) >= 4 + (size := struct.unpack(">I", rest[:4])[0]):
        found.append(rest[4:4 + size])
        rest = rest[4 + size:]
    return found


def carry_out(request):
    """Hands a request to the server, and waits for its answer."""
    global expected
    answered.clear()
    expected = request[5:9]
    server.stdin.write(request)
    server.stdin.flush()
    answered.wait()
    expected = None


def look_away(request):
    """Carries out a request while a linked file is away; returns False for one that does not concern it."""
    global away, looks
    if b"hardlink@openssh.com" in request and away is None:
        carry_out(request)
        away, looks = strings(request)[2], 0
        os.rename(away, away + b".looked-at")
        return True
    if away is not None and request[4] in (7, 17) and strings(request)[0] == away:
        carry_out(request)
        looks += 1
        plan, _, limit = open(plan_file).read().split()
        if looks == int(limit):
            os.rename(away + b".looked-at", away)
            open(plan_file, "w").write(plan + " fired")
        return True
    return False


def confirm(request):
    with lock:
        body = b"\x65" + request[5:9] + bytes(12)
        sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
        sys.stdout.buffer.flush()


def increase(path, number):
    """Adds to the number in a file, which a reader always finds whole, and returns the sum."""
    try:
        with open(path) as file:
            number += int(file.read())
    except (FileNotFoundError, ValueError):
        pass
    with open(path + ".next", "w") as file:
        file.write(str(number))
    os.replace(path + ".next", path)
    return number


def turn(request):
    """Counts a request, and returns what happens at it."""
    # The process may end while it counts.
    with open(plan_file, "r+") as plan:
        fcntl.flock(plan, fcntl.LOCK_EX)
        name, *text = plan.read().split()
        count = increase(f"{plan_file}.{name}.count", 1)
        increase(f"{plan_file}.{name}.bytes", len(request))
        if text[:1] == ["away"]:
            return "away"
        if text[:1] == ["claim"]:
            is_meant = request[4] == 9 if text[1] == "setstat" else text[1].encode() in request
            return "claim" if is_meant else None
        if len(text) == 2 and count == int(text[1]):
            plan.seek(0)
            plan.truncate()
            plan.write(name + " fired")
            return text[0]
    return None


threading.Thread(target=answers, daemon=True).start()
greeted = False
while (request := packet(sys.stdin.buffer)) is not None:
    what = turn(request) if greeted else None
    greeted = True
    if what == "before":
        end()
    if what == "claim":
        confirm(request)
        continue
    if what == "away" and look_away(request):
        continue
    if what == "stall":
        lock.acquire()
        while sys.stdin.buffer.read1(65536):
            pass
        end()
    if what == "after":
        with lock:
            awaited = request[5:9]
    server.stdin.write(request)
    server.stdin.flush()
server.stdin.close()
server.wait()
time.sleep(0.01)
