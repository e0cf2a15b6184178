#!/usr/bin/env python3
"""Run a program over the verb cases and compare byte for byte with what Emacs made.

    run-verbs-corpus.py [--only REGEX] [--diff] COMMAND [CASES]

COMMAND runs in a folder that holds the Org files, and changes them there. %C is
call.json, %S settings.json (may not exist), %D the folder. It prints a JSON array
with one object a call: {} or {"value": …} or {"error": TEXT}. Any error text is
right where Emacs failed; the files must be as Emacs left them.
Exit status: 0 all right, 1 some wrong, 2 usage.
"""

import argparse, collections, difflib, json, os, re, shlex, shutil, subprocess, sys, tempfile


def tree(root):
    out = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            out[os.path.relpath(path, root)] = open(path, "rb").read()
    return out


def answers(path):
    return json.load(open(path)) if os.path.exists(path) else None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("command")
    ap.add_argument("cases", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    ap.add_argument("--only", default="")
    ap.add_argument("--diff", action="store_true")
    ap.add_argument("--timeout", type=float, default=20)
    a = ap.parse_args()
    count = collections.Counter()
    area = collections.defaultdict(lambda: [0, 0])
    names = sorted(
        n for n in os.listdir(a.cases) if os.path.exists(os.path.join(a.cases, n, "call.json")) and re.search(a.only, n)
    )
    if not names:
        print("no cases")
        return 2
    for name in names:
        case = os.path.join(a.cases, name)
        work = tempfile.mkdtemp()
        org = os.path.join(work, "org")
        if os.path.isdir(os.path.join(case, "before")):
            shutil.copytree(os.path.join(case, "before"), org)
            want = tree(os.path.join(case, "after"))
        else:
            os.mkdir(org)
            shutil.copy(os.path.join(case, "before.org"), os.path.join(org, "notes.org"))
            want = {"notes.org": open(os.path.join(case, "after.org"), "rb").read()}
        command = (
            a.command.replace("%C", shlex.quote(os.path.join(case, "call.json")))
            .replace("%S", shlex.quote(os.path.join(case, "settings.json")))
            .replace("%D", shlex.quote(org))
        )
        tz = json.load(open(os.path.join(case, "call.json"))).get("tz", "UTC")
        try:
            p = subprocess.run(
                command,
                shell=True,
                cwd=org,
                capture_output=True,
                timeout=a.timeout,
                env=dict(os.environ, HOME=work, TZ=tz),
            )
            out, crashed = p.stdout, p.returncode < 0 or p.returncode > 125
        except subprocess.TimeoutExpired:
            out, crashed = b"", True
        got = {k: v.replace(work.encode(), b"~") for k, v in tree(org).items()}
        wanted = answers(os.path.join(case, "out.json"))
        problems = ["crashed or too slow"] if crashed else []
        if got != want:
            problems.append("files differ")
        if wanted is not None and not crashed:
            try:
                given = json.loads(out)
            except ValueError:
                given = []
            if len(given) != len(wanted):
                problems.append("no answer")
            else:
                for g, w in zip(given, wanted):
                    if ("error" in w) != ("error" in g) or ("value" in w and g.get("value") != w["value"]):
                        problems.append("answer differs")
                        break
        kind = "right" if not problems else problems[0]
        count[kind] += 1
        key = name.split("-")[1]
        area[key][1] += 1
        area[key][0] += not problems
        if problems:
            print(f"{name}: {', '.join(problems)}")
            if a.diff:
                for k in sorted(set(got) | set(want)):
                    sys.stdout.writelines(
                        "    " + l
                        for l in difflib.unified_diff(
                            want.get(k, b"").decode("utf8", "replace").splitlines(True),
                            got.get(k, b"").decode("utf8", "replace").splitlines(True),
                            "emacs/" + k,
                            "ours/" + k,
                        )
                    )
        shutil.rmtree(work)
    print(" ".join(f"{k} {r}/{n}" for k, (r, n) in sorted(area.items())))
    print(dict(count))
    return 0 if count["right"] == len(names) else 1


sys.exit(main())
