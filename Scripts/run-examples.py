#!/usr/bin/env python3
"""Run the commands that a document shows, and compare their output with what the document shows.

Usage: run-examples.py [--update] PAGE.md ...

The blocks ```console of a page are typed into one shell, in a home folder of its own: lines that begin with "$ " are
commands, the lines below are their output. A line "…" stands for any lines. Times, sizes, durations and digests may differ.
An HTML comment that begins with "test:" is typed, too, and its output is ignored; it prepares what the page takes for
granted. There `replace EXAMPLE REAL` stands an example address for the one of a test server, in commands and output.
With --update, write the output into the page instead of comparing. The program is $SYNCD, else `syncd` in the PATH.
Exit status: 0 if everything is as shown, 1 if not, 3 if a test comment ends with 3: something it needs is not installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARK = "@@@ syncd example "
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


def run(page):
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
        done = subprocess.run(["bash", "-c", script(steps)], cwd=home, env=variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, check=False)
        collect(steps, done.stdout.decode("utf8", "replace").replace(home, "/home/ann"))
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


def main(arguments):
    worst = 0
    for page in arguments:
        if page == "--update":
            continue
        steps = run(page)
        if "--update" in arguments and all(step.status == 0 for step in steps if step.is_hidden):
            update(page, steps)
        else:
            worst = max(worst, check(page, steps))
    sys.exit(worst)


main(sys.argv[1:])
