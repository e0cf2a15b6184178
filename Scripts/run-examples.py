#!/usr/bin/env python3
"""Run the commands that a document shows, and compare their output with what the document shows.

Usage: run-examples.py [--update] [--record FOLDER] PAGE.md ...

The blocks ```console of a page are typed into one shell, in a home folder of its own: lines that begin with "$ " are
commands, the lines below are their output. A line "…" stands for any lines. Times, sizes, durations and digests may differ.
An HTML comment that begins with "test:" is typed, too, and its output is ignored; it prepares what the page takes for
granted. There `replace EXAMPLE REAL` stands an example address for the one of a test server, in commands and output.
With --update, write the output into the page instead of comparing.
With --record, run the commands in a terminal of 100 columns and compare the output with the recording FOLDER/PAGE.cast, in
asciinema's format; with --update, write the recording if the output differs. Its times are not those of the run. The program is $SYNCD, else `syncd` in the PATH.
Exit status: 0 if everything is as shown, 1 if not, 3 if a test comment ends with 3: something it needs is not installed.
"""
import difflib
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARK = "@@@ syncd example "
COLUMNS, LINES = 100, 30
PRELUDE = r"""
: >~/.replace.sed
real() { sed -f ~/.replace.sed; }
replace() { printf 's#%s#%s#g\n' "$1" "$2" >>~/.replace.sed; printf '@@@ replace\t%s\t%s\n' "$1" "$2"; }
"""


class Step:
    """One command with the output below it, or a test comment."""

    def __init__(self, line, command, is_hidden, indent=""):
        self.line, self.command, self.is_hidden, self.indent = line, command, is_hidden, indent
        self.shown, self.output, self.status = [], [], None


def read_steps(text):
    """The steps of a page in order. Each knows the number of its first line."""
    steps, kind, indent = [], None, ""
    for number, line in enumerate(text.split("\n")):
        if kind is None:
            fence = re.match(r"( *)```(console)?", line)
            if fence and fence.group(2):
                kind, indent = "console", fence.group(1)
            elif fence:
                kind = "other"
            elif line.lstrip().startswith("<!-- test:"):
                kind = "hidden"
                steps.append(Step(number, line.lstrip()[len("<!-- test:"):].replace("-->", "").strip(), True))
                kind = None if "-->" in line else kind
        elif kind == "hidden":
            steps[-1].command += "\n" + line.replace("-->", "")
            kind = None if "-->" in line else kind
        elif line.lstrip().startswith("```"):
            kind = None
        elif kind == "console":
            line = line.removeprefix(indent)
            if line.startswith("$ "):
                steps.append(Step(number, line[2:], False, indent))
            elif steps[-1].command.endswith("\\") and not steps[-1].shown:
                steps[-1].command += "\n" + line
            else:
                steps[-1].shown.append(line)
    return steps


def script(steps):
    """The shell script that runs the steps and marks the beginning and end of each output."""
    lines = [PRELUDE, "status=0"]
    for index, step in enumerate(steps):
        lines.append(f"printf '\\n{MARK}{index}\\n'")
        if step.is_hidden:
            lines.append(step.command)
        else:
            lines.append("command=$(real <<'END_OF_COMMAND'\n" + step.command + "\nEND_OF_COMMAND\n)")
            lines.append('(exit $status); eval "$command"')
        lines.append("status=$?; printf '\\n%s end %s\\n' '" + MARK + "' $status")
    return "\n".join(lines)


def terminal_output(command, folder, variables):
    """The output of a program whose standard output and standard error are a terminal."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    parts = []

    def read():
        try:
            while part := os.read(master, 65536):
                parts.append(part)
        except OSError:
            # The last program has closed the terminal.
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, timeout=1200,
                       check=False)
    finally:
        os.close(terminal)
        reader.join(timeout=60)
        os.close(master)
    # A progress bar appears only in a slow pass.
    return re.sub(rb"[^\n]*\r\x1b\[K", b"", b"".join(parts))


def run(page, in_terminal=False):
    """Runs the commands of a page; returns its steps with their output."""
    with open(page, encoding="utf8") as file:
        steps = read_steps(file.read())
    home = os.path.realpath(tempfile.mkdtemp(prefix="syncd-example-"))
    program = os.environ.get("SYNCD") or shutil.which("syncd")
    if not program:
        sys.exit("run-examples: cannot find syncd; set SYNCD to the program")
    os.makedirs(f"{home}/bin")
    os.symlink(os.path.realpath(program), f"{home}/bin/syncd")
    kept = {key: value for key, value in os.environ.items() if key in ("LANG", "TMPDIR", "LD_LIBRARY_PATH")}
    variables = kept | {
        "HOME": home, "USER": os.environ.get("USER", "ann"), "PATH": f"{home}/bin:{os.environ['PATH']}", "TZ": "UTC",
        "PROJECT": ROOT, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        command = ["bash", "-c", script(steps)]
        if in_terminal:
            output = terminal_output(command, home, variables | {"TERM": "xterm-256color", "PAGER": "cat", "NO_COLOR": "1"})
        else:
            output = subprocess.run(command, cwd=home, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=1200, check=False).stdout
        collect(steps, output.decode("utf8", "replace").replace(home, "/home/ann"))
    finally:
        subprocess.run(["bash", "-c", 'for pid in $(cat "$0"/*.pid 2>/dev/null); do kill "$pid"; done', home],
                       stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["chmod", "-R", "u+rwX", home], check=False)
        shutil.rmtree(home, ignore_errors=True)
    return steps


def collect(steps, output):
    """Assigns each step its part of the output."""
    current, addresses = None, []
    for line in output.split("\n"):
        if line.startswith("@@@ replace"):
            addresses.append(line.split("\t")[1:])
        elif line.startswith(MARK + " end"):
            current.status = int(line.split()[-1])
            current = None
        elif line.startswith(MARK):
            current = steps[int(line[len(MARK):])]
        elif current:
            for example, real in addresses:
                line = line.replace(real, example)
            current.output.append(line.rstrip())
    for step in steps:
        while step.output and not step.output[-1]:
            step.output.pop()
        while step.shown and not step.shown[-1].strip():
            step.shown.pop()


def normal(line):
    """The line without parts that differ from run to run."""
    line = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4})?|\d{8}T\d{6}Z", "TIME", line)
    line = re.sub(r"\b\d+(\.\d+)? (B|KiB|MiB|GiB|ms|s|bytes?)\b", "N", line)
    line = re.sub(r"SHA256:\S+|\bage1[0-9a-z]{20,}|\b[0-9a-f]{7,64}\b", "ID", line)
    return re.sub(r"(127\.0\.0\.1|localhost|port|pid)([: ])\d+", r"\1\2N", line).rstrip()


def agrees(shown, output):
    """True if the output equals the shown one, in which "…" matches any lines."""
    if not shown:
        return not output
    if shown[0].strip() == "…":
        return any(agrees(shown[1:], output[index:]) for index in range(len(output) + 1))
    return bool(output) and normal(shown[0]) == normal(output[0]) and agrees(shown[1:], output[1:])


def check(page, steps):
    """Prints every step whose output differs from the shown one; returns the exit status."""
    status = 0
    for step in steps:
        if step.is_hidden:
            if step.status == 3:
                print(f"{page}:{step.line + 1}: skipped, something is not installed:\n  " + "\n  ".join(step.output))
                return 3
            if step.status != 0:
                print(f"{page}:{step.line + 1}: the preparation failed:\n  " + "\n  ".join(step.output))
                return 1
        elif not agrees(step.shown, step.output):
            print(f"{page}:{step.line + 1}: $ {step.command}\n shown:\n  " + "\n  ".join(step.shown)
                  + "\n printed:\n  " + "\n  ".join(step.output))
            status = 1
    return status


def update(page, steps):
    """Writes the actual output into the page where it differs."""
    with open(page, encoding="utf8") as file:
        lines = file.read().split("\n")
    for step in reversed(steps):
        if step.is_hidden or agrees(step.shown, step.output):
            continue
        begin = step.line + 1 + step.command.count("\n")
        end = begin
        while not lines[end].removeprefix(step.indent).startswith(("```", "$ ")):
            end += 1
        lines[begin:end] = [(step.indent + line).rstrip() for line in step.output]
    with open(page, "w", encoding="utf8") as file:
        file.write("\n".join(lines))


def events(steps):
    """The events of a recording: each command is typed, then its output appears."""
    time, found = 0, []

    def show(text, pause):
        nonlocal time
        time += pause
        found.append([time / 1000, "o", text])

    for step in (step for step in steps if not step.is_hidden):
        show("$ ", 500)
        for character in step.command:
            show(character.replace("\n", "\r\n> "), 40)
        show("\r\n", 200)
        for line in step.output:
            show(line + "\r\n", 100)
    return found


def recorded_lines(file):
    """The lines of a recording, without colours."""
    with open(file, encoding="utf8") as recording:
        text = "".join(json.loads(line)[2] for line in recording.read().splitlines()[1:])
    return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line) for line in text.split("\r\n")]


def record(page, steps, folder, is_updating):
    """Compares a recording with the output, or writes it if they differ; returns the exit status."""
    name = os.path.splitext(os.path.basename(page))[0]
    file = os.path.join(folder, name + ".cast")
    with open(page, encoding="utf8") as text:
        title = text.readline().strip("# \n")
    header = {"version": 2, "width": COLUMNS, "height": LINES, "title": title, "env": {"TERM": "xterm-256color", "SHELL": "/bin/bash"}}
    lines = [json.dumps(part, ensure_ascii=False) for part in [header, *events(steps)]]
    with tempfile.TemporaryDirectory() as scratch:
        new = os.path.join(scratch, "new.cast")
        with open(new, "w", encoding="utf8") as recording:
            recording.write("\n".join(lines) + "\n")
        before = recorded_lines(file) if os.path.exists(file) else []
        now = recorded_lines(new)
        if [normal(line) for line in before] == [normal(line) for line in now]:
            return 0
        if is_updating:
            shutil.copyfile(new, file)
            return 0
    print(f"{file}: the recording differs; run `Scripts/run-examples.py --record {folder} --update {page}`")
    for line in difflib.unified_diff([normal(line) for line in before], [normal(line) for line in now], "recorded", "printed",
                                     lineterm=""):
        print("  " + line)
    return 1


def main(arguments):
    worst, folder, pages = 0, None, [argument for argument in arguments if argument != "--update"]
    if "--record" in pages:
        place = pages.index("--record")
        folder = pages[place + 1]
        del pages[place:place + 2]
    for page in pages:
        steps = run(page, in_terminal=folder is not None)
        if folder is not None:
            failed = [step for step in steps if step.is_hidden and step.status != 0]
            worst = max(worst, check(page, failed) if failed else record(page, steps, folder, "--update" in arguments))
        elif "--update" in arguments and all(step.status == 0 for step in steps if step.is_hidden):
            update(page, steps)
        else:
            worst = max(worst, check(page, steps))
    sys.exit(worst)


main(sys.argv[1:])
