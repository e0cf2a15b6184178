#!/usr/bin/env python3
"""Write random calls of Org commands, in the form of the cases in verbs/.

Usage: random-verbs.py SEED COUNT FOLDER [VERB,...]

FOLDER is replaced. The same seed gives the same cases.
"""
import json
import os
import random
import shutil
import sys

seed = int(sys.argv[1])
n = int(sys.argv[2])
out = sys.argv[3]
verbs_only = sys.argv[4].split(",") if len(sys.argv) > 4 else None
R = random.Random(seed)
shutil.rmtree(out, ignore_errors=True)
os.makedirs(out)
KWS = [
    ("", ["TODO", "DONE"]),
    ("#+TODO: TODO(t) NEXT(n) WAIT(w@/!) | DONE(d!) CANCELLED(c@)", ["TODO", "NEXT", "WAIT", "DONE", "CANCELLED"]),
    ("#+TODO: TODO | DONE\n#+TODO: BUG(b!) KNOWN | FIXED(f@/!)", ["TODO", "DONE", "BUG", "KNOWN", "FIXED"]),
    ("#+SEQ_TODO: A B(/!) C", ["A", "B", "C"]),
]


def ts(active=True, rep=True, timed=None):
    import datetime

    d = datetime.date(2026, R.randint(1, 4), R.randint(1, 28))
    if R.random() < 0.15:
        d = datetime.date(2026, 1, 31)
    s = d.strftime("%Y-%m-%d %a")
    if R.random() < 0.4:
        s += " %02d:%02d" % (R.randint(0, 23), R.choice([0, 15, 30, 45, 7])) + (
            ("-%02d:%02d" % (R.randint(0, 23), R.choice([0, 30]))) if R.random() < 0.3 else ""
        )
    if rep and R.random() < 0.5:
        u = R.choice("dwmy") if ":" not in s else R.choice("hdwmy")
        s += " " + R.choice(["+", "++", ".+"]) + str(R.choice([1, 1, 2, 3])) + u
        if u != "h" and R.random() < 0.15:
            s += "/%dd" % R.randint(2, 9)
    if rep and R.random() < 0.2:
        s += " " + R.choice(["-", "--"]) + str(R.randint(1, 5)) + "d"
    return ("<%s>" if active else "[%s]") % s


def para():
    return R.choice(
        [
            "Some text.",
            "   indented text",
            "Text with " + ts() + " inside.",
            "- [ ] open item\n- [X] done item\n  - [ ] nested",
            "1. one\n2. two\n3. three",
            "- plain\n  continued\n- second",
            "| a | b |\n|---+---|\n| 1 | 2 |",
            "#+begin_src sh\necho " + ts() + "\n* no\n#+end_src".replace("* no", "x"),
            "# comment " + ts(),
            "",
            "会議 text",
            '- State "DONE"       from "TODO"       [2026-02-01 Sun 09:00]\n- Note taken on [2026-02-01 Sun 09:00] \\\\\n  note text',
            ": fixed " + ts(),
        ]
    )


titles = [
    "Task",
    "Buy milk",
    "会議の準備",
    "Call *Bob* [[https://x.org][link]]",
    "Projekt [1/3]",
    "List [50%]",
    "x",
    "long title word word word word word word word word word word word word end",
    "é ü",
    "Item [/]",
    "T" + "x" * 60,
]


def entry(level, kws, names):
    t = R.choice(titles)
    base = t
    i = 2
    while t in names:
        t = base + " %d" % i if not base.endswith("]") else base.replace(" [", " %d [" % i)
        i += 1
    names.add(t)
    h = "*" * level + " "
    if R.random() < 0.6:
        h += R.choice(kws) + " "
    if R.random() < 0.2:
        h += "[#%s] " % R.choice("ABC")
    if R.random() < 0.04:
        h += "COMMENT "
    h += t
    if R.random() < 0.1:
        h += " " + ts()
    if R.random() < 0.35:
        h += (
            R.choice([" ", "      ", " " * 30])
            + ":"
            + ":".join(R.sample(["work", "home", "a", "仕事", "x_y", "@q"], R.randint(1, 2)))
            + ":"
        )
    L = [h]
    ind = R.choice(["", "", "", "   "]) if R.random() < 0.2 else ""
    if R.random() < 0.4:
        parts = []
        if R.random() < 0.25:
            parts.append("CLOSED: " + "[2026-02-0%d %s 10:00]" % (R.randint(1, 9), "Sun"))
        if R.random() < 0.5:
            parts.append("DEADLINE: " + ts())
        if R.random() < 0.6:
            parts.append("SCHEDULED: " + ts())
        if parts:
            L.append(ind + " ".join(parts))
    if R.random() < 0.3:
        props = R.sample(
            [
                ":ID:       id%d" % R.randint(1, 99999),
                ":Effort:   0:30",
                ":CATEGORY: cat",
                ":ORDERED:  t",
                ":LOGGING:  nil",
                ":LOG_INTO_DRAWER: t",
                ":LOG_INTO_DRAWER: HIST",
                ":VAR: a b",
                ":VAR+: c",
                ":COOKIE_DATA: todo recursive",
                ":COOKIE_DATA: checkbox",
                ":NOBLOCKING: t",
                ":REPEAT_TO_STATE: TODO",
                ":STYLE:    habit",
                ":ARCHIVE:  %s_x::* Old",
            ],
            R.randint(1, 2),
        )
        L += [ind + ":PROPERTIES:"] + [ind + p for p in props] + [ind + ":END:"]
    if R.random() < 0.2:
        L += [
            ":LOGBOOK:",
            R.choice(
                [
                    "CLOCK: [2026-03-09 Mon 10:00]--[2026-03-09 Mon 11:05] =>  1:05",
                    '- State "DONE"       from "TODO"       [2026-02-01 Sun 09:00]',
                    "- Note taken on [2026-02-01 Sun 09:00] \\\\\n  hi",
                ]
            ),
            ":END:",
        ]
    elif R.random() < 0.1:
        L += ["CLOCK: [2026-03-09 Mon 10:00]--[2026-03-09 Mon 11:05] =>  1:05"]
    for _ in range(R.choice([0, 0, 1, 1, 2])):
        L.append(para())
    if R.random() < 0.15:
        L.append("")
    return L, t


def doc(kwline, kws):
    L = []
    if kwline:
        L += kwline.split("\n")
    if R.random() < 0.15:
        L.append(
            "#+STARTUP: "
            + R.choice(
                [
                    "logdone",
                    "lognotedone",
                    "logdrawer",
                    "logreschedule",
                    "lognoteredeadline",
                    "logrepeat",
                    "nologrepeat",
                    "logstatesreversed",
                    "nologstatesreversed",
                    "logrefile",
                    "lognoterepeat",
                ]
            )
        )
    if R.random() < 0.1:
        L.append("#+FILETAGS: :ft:")
    if R.random() < 0.05:
        L.append("#+PROPERTY: VAR glob")
    if R.random() < 0.05:
        L.append("#+PRIORITIES: A E C")
    if R.random() < 0.2:
        L.append("preamble text")
    if R.random() < 0.1:
        L.append("")
    paths = []
    stack = []
    names = set()
    level = 0
    for i in range(R.randint(2, 6)):
        level = R.randint(1, min(level + 1, 3)) if level else 1
        e, t = entry(level, kws, names)
        stack = stack[: level - 1]
        paths.append(stack + [t])
        stack = stack + [t]
        L += e
    text = "\n".join(L)
    if R.random() < 0.85:
        text += "\n"
    if R.random() < 0.03:
        text = text.replace("\n", "\r\n")
    import re

    paths = [[re.sub(r" \[(\d+/\d+|\d+%|/|%)\]", "", x) for x in p] for p in paths]
    return text, paths


SET = [
    ("org-log-done", ["'time", "'note"]),
    ("org-log-into-drawer", [True, "NOTES"]),
    ("org-log-states-order-reversed", [None]),
    ("org-log-repeat", [None, "'note", "'time"]),
    ("org-log-reschedule", ["'time", "'note"]),
    ("org-log-redeadline", ["'time", "'note"]),
    ("org-tags-column", [0, 40, -60]),
    ("org-auto-align-tags", [None]),
    ("org-adapt-indentation", [True]),
    ("org-enforce-todo-dependencies", [True]),
    ("org-enforce-todo-checkbox-dependencies", [True]),
    ("org-todo-repeat-to-state", [True, "TODO"]),
    ("org-closed-keep-when-no-todo", [True]),
    ("org-clock-into-drawer", [None, "CL", 2]),
    ("org-reverse-note-order", [True]),
    ("org-log-refile", ["'time", "'note"]),
    ("org-archive-location", ["::* Old", "%s_arch::* X", "a.org::datetree/", "a.org::datetree/* T", "::"]),
    ("org-hierarchical-todo-statistics", [None]),
    ("org-checkbox-hierarchical-statistics", [None]),
    ("org-clock-out-when-done", [None]),
    ("org-log-note-clock-out", [True]),
    ("org-clock-out-remove-zero-time-clocks", [True]),
    ("org-tags-sort-function", ["'org-string<"]),
    ("org-log-state-notes-insert-after-drawers", [True]),
    ("org-archive-mark-done", [True]),
    ("org-odd-levels-only", []),
    ("org-archive-reversed-order", [True]),
    (
        "org-blank-before-new-entry",
        [
            [{"cons": ["'heading", None]}, {"cons": ["'plain-list-item", "'auto"]}],
            [{"cons": ["'heading", True]}, {"cons": ["'plain-list-item", True]}],
        ],
    ),
]
dates = [
    "2026-03-20",
    "+2d",
    "fri",
    "2026-03-12 10:00",
    "2026-03-12 10:00-11:30",
    "++1w",
    "15",
    "15 feb",
    "sep 12",
    "w12",
    "tomorrow",
    "+1m",
    "-1d 9am",
    "2026-02-30",
    "11am-1:15pm",
    "3/29 02:30",
    "2026-03-29 02:30",
    "+2tue",
    "9:30",
    "<2026-03-20 Fri +1w>",
    "1.5.",
    "2026-W20-3",
    "++2d 14:00",
    "10:00+1:30",
    "oct 5 2027",
]


def call(kws, paths, text):
    at = {"path": R.choice(paths)}
    v = R.choice(
        verbs_only
        or ["todo"] * 6
        + ["schedule"] * 2
        + ["deadline"] * 2
        + [
            "priority",
            "tags",
            "tags",
            "property",
            "property",
            "note",
            "title",
            "shift-timestamp",
            "shift-timestamp",
            "checkbox",
            "checkbox",
            "checkbox",
            "insert-item",
            "update-cookies",
            "repair-list",
            "toggle-comment",
            "toggle-ordered",
            "capture",
            "capture",
            "capture",
            "refile",
            "refile",
            "archive",
            "archive",
            "clock-in",
            "clock",
            "sort",
            "sort",
            "promote",
            "demote",
            "move",
            "move",
            "insert-heading",
            "insert-heading",
            "duplicate",
            "datetree",
            "id",
            "get-property",
            "clock-sum",
            "sort-list",
            "toggle-timestamp-type",
            "delete",
            "paste",
            "toggle-heading",
        ]
    )
    c = {"verb": v, "at": at, "args": {}}
    a = c["args"]
    if v == "todo":
        r = R.random()
        if r < 0.7:
            a["state"] = R.choice(kws + [""])
        else:
            a["to"] = R.choice(["next", "previous", "nextset", "previousset", "cycle"])
        if a.get("to") == "cycle":
            a.clear()
            a["to"] = "next"
    elif v in ("schedule", "deadline"):
        r = R.random()
        if r < 0.15:
            a["remove"] = True
        elif r < 0.25:
            a["delay"] = True
            c["answers"] = [R.choice(["2026-03-11", "+5d"])]
        else:
            a["time"] = R.choice(dates)
    elif v == "priority":
        a["value"] = R.choice(["A", "B", "up", "down", "", "C", "D"])
    elif v == "tags":
        a.update(
            R.choice(
                [
                    {"set": ["home", "shop"]},
                    {"add": ["c"]},
                    {"remove": ["work"]},
                    {"toggle": "a"},
                    {"set": []},
                    {"align": True},
                ]
            )
        )
    elif v == "property":
        a.update(
            R.choice(
                [
                    {"name": "EFFORT", "value": "1:00"},
                    {"name": "New", "value": "v"},
                    {"delete": "ID"},
                    {"delete": "Effort"},
                    {"append": "VAR", "value": "z z"},
                    {"drop": "VAR", "value": "a"},
                    {"name": "VAR", "value": ""},
                    {"effort": "2:00"},
                    {"name": "TODO", "value": R.choice(kws)},
                    {"name": "PRIORITY", "value": "B"},
                    {"name": "DEADLINE", "value": "2026-04-01"},
                    {"name": "VERYLONGNAME", "value": "x"},
                    {"name": "SCHEDULED", "value": "later"},
                ]
            )
        )
    elif v == "note":
        pass
    elif v == "title":
        a["title"] = R.choice(["New title", "会議", "x :notatag"])
    elif v == "shift-timestamp":
        a["by"] = R.choice([1, -1, 2, 45, -3])
        a["unit"] = R.choice(["minute", "hour", "day", "month", "year"])
    elif v == "checkbox":
        it = R.choice(["open", "done", "nested", "plain", "second", "one", "two"])
        at["item"] = it
        a.update(R.choice([{}, {}, {}, {"add": True}, {"partial": True}, {"radio": True}]))
        if R.random() < 0.1:
            c["at"] = {"path": at["path"]}
            a.clear()
            a["reset"] = True
    elif v == "insert-item":
        at["item"] = R.choice(["open", "done", "nested", "plain", "second", "one", "two"])
        a["text"] = "new item"
    elif v in ("repair-list",):
        at["item"] = R.choice(["open", "plain", "one"])
    elif v == "sort-list":
        at["item"] = R.choice(["open", "plain", "one"])
        a["by"] = R.choice("anxANt")
    elif v == "update-cookies":
        if R.random() < 0.5:
            a["all"] = True
    elif v == "capture":
        a.update({"key": "t", "text": "Captured"})
    elif v == "refile":
        a["target"] = (
            "notes.org/" + "/".join(x.replace("/", "\\/") for x in R.choice(paths)) if R.random() < 0.8 else "notes.org"
        )
    elif v == "archive":
        r = R.random()
        if r < 0.25:
            a["to"] = "sibling"
        elif r < 0.35:
            a["to"] = "tag"
    elif v == "sort":
        a["by"] = R.choice("antsdpockANTSDPO")
    elif v in ("promote", "demote"):
        a.update(R.choice([{}, {"alone": True}]))
    elif v == "move":
        a["to"] = R.choice(["up", "down"])
    elif v == "insert-heading":
        a["where"] = R.choice(["after", "before", "child", "todo", "first-todo"])
        a["title"] = "New"
    elif v == "duplicate":
        a["times"] = R.randint(1, 2)
        a["shift"] = R.choice(["+1w", "+1d", "", "+1m"])
    elif v == "datetree":
        a["date"] = [3, 10, 2026]
        a["text"] = "text"
        c["at"] = {}
    elif v == "get-property":
        a["name"] = R.choice(["VAR", "Effort", "CATEGORY", "TODO", "ID"])
        a["inherit"] = R.choice([True, None])
    elif v == "paste":
        a["to"] = {"path": R.choice(paths)}
        a["below"] = R.choice([True, False])
    c["notes"] = ["a note\n\nmore"]
    return c


TPL = [
    ["t", "T", "'entry", ["'file+headline", "notes.org", "Tasks"], "* TODO %?\n%U"],
    ["t", "T", "'entry", ["'file", "notes.org"], "* %?\n  %t"],
    ["t", "T", "'item", ["'file+headline", "notes.org", "Tasks"], "- %?"],
    ["t", "T", "'checkitem", ["'file", "notes.org"], "- [ ] %?"],
    ["t", "T", "'plain", ["'file+headline", "notes.org", "Tasks"], "%U %?"],
    ["t", "T", "'table-line", ["'file+headline", "notes.org", "Tasks"], "| %u | %? |"],
    ["t", "T", "'entry", ["'file+olp+datetree", "notes.org"], "* %?"],
]
i = 0
while i < n:
    kwline, kws = R.choice(KWS)
    text, paths = doc(kwline, kws)
    s = {}
    for k, vs in SET:
        if vs and R.random() < 0.09:
            s[k] = R.choice(vs)
    calls = []
    for _ in range(R.choice([1, 1, 2])):
        c = call(kws, paths, text)
        if c["verb"] == "clock":
            calls.append({"verb": "clock-in", "at": c["at"]})
            calls.append({"verb": R.choice(["clock-out", "clock-cancel"]), "now": "2026-03-10 16:05:00"})
            if s.get("org-log-note-clock-out"):
                calls[-1]["notes"] = ["a note"]
        else:
            calls.append(c)
    if any(c["verb"] == "capture" for c in calls):
        t = json.loads(json.dumps(R.choice(TPL)))
        if R.random() < 0.3:
            t += ["':prepend", True]
        if R.random() < 0.2:
            t += ["':empty-lines", 1]
        if "Tasks" in t[3]:
            t[3][2] = R.choice(["Tasks", paths[0][0]])
        s["org-capture-templates"] = [t]
    if any(c["verb"] == "refile" for c in calls):
        s["org-refile-targets"] = [{"cons": ["'org-agenda-files", {"cons": ["':maxlevel", 3]}]}]
        s["org-refile-use-outline-path"] = "'file"
        s["org-outline-path-complete-in-steps"] = None
    d = "%s/%05d-%s" % (out, i, calls[0]["verb"])
    os.makedirs(d + "/before")
    open(d + "/before/notes.org", "w", newline="").write(text)
    json.dump(
        {
            "now": R.choice(["2026-03-10 14:30:00", "2026-03-28 22:10:00", "2026-01-31 00:05:00"]),
            "tz": R.choice(["UTC", "Europe/Berlin"]),
            "calls": calls,
        },
        open(d + "/call.json", "w"),
        ensure_ascii=False,
    )
    if s:
        json.dump(s, open(d + "/settings.json", "w"), ensure_ascii=False)
    i += 1
