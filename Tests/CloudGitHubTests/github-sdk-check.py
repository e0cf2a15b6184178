#!/usr/bin/env python3
"""Drives a server of GitHub's REST API at a base URL with PyGithub, so that an emulator is judged by a client that knows
nothing of it. Names of objects are computed here as git computes them: every blob, tree and commit must have its own.

  github-sdk-check.py --base http://127.0.0.1:PORT[/api/v3] [--web http://127.0.0.1:PORT] [--token T] [--repo owner/name]
                      [--empty-repo owner/name] [--protected BRANCH] [--client-id I] [--only NAME,...] [--list] [--json FILE]
                      [--require-control] [-v]

--base is what api.github.com is for github.com, and https://HOST/api/v3 for an Enterprise server; --web is what github.com is
(/login/device/code, /login/oauth/access_token), by default scheme, host and port of --base. Needs `PyGithub` 2.6 or newer.
The repository must exist with a branch main of at least one commit; --empty-repo one without any commit.

Some checks need the server to misbehave on demand. They talk to POST WEB/emulator/control with a JSON body:
  {"op":"reset"}                                   as after the start: the repositories, the token, no planned faults
  {"op":"fail","route":R,"count":N,"status":403|429|500|502,"retry_after":S|null,"remaining":N|null,"reset":T|null,"message":M}
  {"op":"fail","route":R,"count":N,"drop":"before"|"after"}   cut the connection before / after the work is done
  {"op":"fail","route":R,"count":N,"body":TEXT[,"status":N]}  answer this text instead
  {"op":"fail","route":"GET /git/blobs/:sha","count":1,"spoil":true}      one bit of the content is wrong
  {"op":"truncate","entries":N|null}               recursive trees tell N entries at most and say truncated
  {"op":"push","files":{PATH:TEXT|null}[,"force":true,"parent":SHA]}   somebody else commits; force with parent rewrites
  {"op":"lag","count":N}                           the next N reads of the ref tell the tip before the last change
  {"op":"device","state":"pending"|"slow"|"granted"|"denied"|"expired"}   what the user has done with the code
  {"op":"revoke"}                                  the token answers 401
R is 'METHOD /path' below /repos/OWNER/NAME ('GET /git/ref/:ref', 'PATCH /git/refs/:ref', 'POST /git/trees') or '*'.
A server without it (404) has these checks skipped, or failed with --require-control.

Each check works on a branch of its own, sdk-check-XXXX. Loopback only unless --any-host.
Exit: 0 all passed, 1 something failed, 2 usage or no SDK. Last line: 'N passed, N failed, N skipped'.
"""
import argparse, base64, concurrent.futures, hashlib, json, os, sys, time, traceback, uuid
from datetime import datetime, timezone
from urllib.parse import quote, urlsplit
try:
    import requests, github
    from github import Auth, Github, GithubException, InputGitAuthor, InputGitTreeElement as Element, UnknownObjectException, BadCredentialsException
    from importlib.metadata import version as package_version
except ImportError as e:
    if __name__ == "__main__": print("the SDK is missing (%s): pip install %s" % (e, "PyGithub"), file=sys.stderr); sys.exit(2)
    raise

CHECKS = []
class Skip(Exception): pass
class Fail(AssertionError): pass
def check(f): CHECKS.append(f); return f
def want(cond, msg):
    if not cond: raise Fail(msg)
def same(got, expected, what):
    if got != expected: raise Fail("%s: got %r, expected %r" % (what, got, expected))
def name_of(kind, data): return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()
def blob_name(b): return name_of("blob", b)
def tree_name(entries):
    """entries: (name, mode, sha)"""
    e = sorted(entries, key=lambda x: x[0].encode() + (b"/" if x[1] == "040000" else b""))
    return name_of("tree", b"".join(m.lstrip("0").encode() + b" " + n.encode() + b"\0" + bytes.fromhex(s) for n, m, s in e))


class Ctx:
    def __init__(self, o):
        self.o = o; self.base = o.base.rstrip("/"); u = urlsplit(self.base); self.web = (o.web or "%s://%s" % (u.scheme, u.netloc)).rstrip("/")
        self.http = requests.Session(); self.http.trust_env = False; self.gh = self.client(); self._repo = None; self.made = []
    def client(self, token=None): return Github(auth=Auth.Token(token or self.o.token), base_url=self.base, retry=None, timeout=30, seconds_between_requests=None, seconds_between_writes=None)
    @property
    def repo(self):
        if self._repo is None: self._repo = self.gh.get_repo(self.o.repo)
        return self._repo
    def raw(self, method, path, repo=None, token=True, **kw):
        h = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}; h.update(kw.pop("headers", {}))
        if token: h.setdefault("Authorization", "Bearer " + self.o.token)
        return self.http.request(method, self.base + "/repos/" + (repo or self.o.repo) + path, headers=h, timeout=30, allow_redirects=False, **kw)
    def control(self, **d):
        if self.o.no_control: raise Skip("no control endpoint")
        r = self.http.post(self.web + "/emulator/control", json=d, timeout=20)
        if r.status_code == 404: raise Skip("no control endpoint")
        want(r.status_code == 200, "control %r answered %d %s" % (d, r.status_code, r.text[:100])); return r.json() if r.text else {}
    def branch(self, files=None):
        b = "sdk-check-" + uuid.uuid4().hex[:8]; tip = self.repo.get_git_ref("heads/main").object.sha; self.repo.create_git_ref("refs/heads/" + b, tip); self.made.append(b)
        if files: self.commit(b, files)
        return b
    def tip(self, b): return self.repo.get_git_ref("heads/" + b).object.sha
    def tree(self, files, base=None):
        return self.repo.create_git_tree([Element(p, "100644", "blob", sha=None) if v is None else Element(p, "100644", "blob", content=v) if isinstance(v, str) else Element(p, "100644", "blob", sha=v) for p, v in files.items()], *([self.repo.get_git_tree(base)] if base else []))
    def commit(self, b, files, parent=None, move=True, repo=None):
        parent = parent or self.tip(b); p = self.repo.get_git_commit(parent); c = self.repo.create_git_commit("test", self.tree(files, p.tree.sha), [p])
        if move: self.repo.get_git_ref("heads/" + b).edit(c.sha, force=False)
        return c
    def listing(self, b): t = self.repo.get_git_tree(self.repo.get_git_commit(self.tip(b)).tree.sha, recursive=True); want(not t.raw_data.get("truncated"), "truncated"); return {e.path: e for e in t.tree}
    def text(self, b, path): return base64.b64decode(self.repo.get_git_blob(self.listing(b)[path].sha).content)
    def error(self, status, fn, *a, **k):
        try: r = fn(*a, **k)
        except GithubException as e:
            if status is not None: want(e.status in (status if isinstance(status, tuple) else (status,)), "status %s (%s), expected %s" % (e.status, str(e.data)[:150], status))
            return e
        raise Fail("no error, but %r" % (r,))

# ------------------------------------------------------------------ who, the repository, refs
@check
def user(c): want(c.gh.get_user().login, "login")
@check
def bad_token(c): c.error(401, lambda: c.client("wrong").get_user().login); r = c.raw("GET", "", headers={"Authorization": "Bearer wrong"}); same((r.status_code, r.json().get("message")), (401, "Bad credentials"), "answer")
@check
def repository(c): r = c.repo; same(r.full_name.lower(), c.o.repo.lower(), "full_name"); want(r.default_branch, "default_branch"); want(r.permissions.push, "permissions.push"); same(r.archived, False, "archived")
@check
def repository_missing(c): e = c.error(404, c.gh.get_repo, "nobody/nothing"); same(e.data.get("message"), "Not Found", "message"); want("documentation_url" in e.data, "documentation_url")
@check
def ref(c): r = c.repo.get_git_ref("heads/main"); same(r.ref, "refs/heads/main", "ref"); same(r.object.type, "commit", "type"); same(len(r.object.sha), 40, "sha")
@check
def ref_missing(c): same(c.raw("GET", "/git/ref/heads/none").status_code, 404, "status"); b = c.branch(); same(c.raw("GET", "/git/ref/heads/" + b[:-2]).status_code, 404, "a part of a name is not a name")
@check
def ref_create(c):
    b = c.branch(); e = c.error(422, c.repo.create_git_ref, "refs/heads/" + b, c.tip("main")); same(e.data.get("message"), "Reference already exists", "message"); c.error(422, c.repo.create_git_ref, "refs/heads/x" + b, "0" * 40)
@check
def ref_conditional(c):
    b = c.branch(); r = c.raw("GET", "/git/ref/heads/" + b); t = r.headers.get("ETag"); want(t, "ETag"); n = int(r.headers["X-RateLimit-Remaining"]); r = c.raw("GET", "/git/ref/heads/" + b, headers={"If-None-Match": t}); same((r.status_code, r.content), (304, b""), "unchanged")
    same(int(r.headers["X-RateLimit-Remaining"]), n, "a 304 costs nothing"); c.commit(b, {"a.org": "x"}); r = c.raw("GET", "/git/ref/heads/" + b, headers={"If-None-Match": t}); same(r.status_code, 200, "changed"); want(r.headers.get("ETag") != t, "another ETag")
@check
def limits_told(c): r = c.raw("GET", "/git/ref/heads/main"); [want(r.headers.get("X-RateLimit-" + k, "").isdigit(), k) for k in ("Limit", "Remaining", "Reset", "Used")]
@check
def branch_tells_protection(c):
    b = c.repo.get_branch("main"); same(b.commit.sha, c.tip("main"), "commit.sha"); want(b.protected in (True, False), "protected")

# ------------------------------------------------------------------ objects
@check
def blob(c):
    for d in (b"* one\n", b"", bytes(range(256)), "ä".encode()):
        b = c.repo.create_git_blob(base64.b64encode(d).decode(), "base64"); same(b.sha, blob_name(d), "sha of %r" % d[:10]); g = c.repo.get_git_blob(b.sha); same((g.encoding, g.size, base64.b64decode(g.content)), ("base64", len(d), d), "blob")
@check
def blob_utf8(c): same(c.repo.create_git_blob("* \u00e4\n", "utf-8").sha, blob_name("* \u00e4\n".encode()), "sha")
@check
def blob_raw(c): d = bytes(range(256)) * 10; s = c.repo.create_git_blob(base64.b64encode(d).decode(), "base64").sha; r = c.raw("GET", "/git/blobs/" + s, headers={"Accept": "application/vnd.github.raw+json"}); same(r.content, d, "the raw media type")
@check
def blob_missing(c): c.error(404, c.repo.get_git_blob, "1" * 40)
@check
def blob_bad_base64(c): c.error(422, c.repo.create_git_blob, "%%%", "base64")
@check
def tree_inline(c):
    t = c.tree({"a.org": "* a\n", "d/b.org": "* b\n"}); sub = tree_name([("b.org", "100644", blob_name(b"* b\n"))]); same(t.sha, tree_name([("a.org", "100644", blob_name(b"* a\n")), ("d", "040000", sub)]), "sha")
@check
def tree_order(c):
    f = {"a": "1", "a.b": "2", "a/x": "3"}; f.pop("a"); f["a0"] = "4"; f["a-"] = "5"; t = c.tree(f); sub = tree_name([("x", "100644", blob_name(b"3"))]); same(t.sha, tree_name([("a.b", "100644", blob_name(b"2")), ("a", "040000", sub), ("a0", "100644", blob_name(b"4")), ("a-", "100644", blob_name(b"5"))]), "folders sort as if they ended in /")
@check
def tree_base(c):
    b = c.branch({"k.org": "keep", "d/x.org": "x", "d/y.org": "y"}); p = c.repo.get_git_commit(c.tip(b)).tree.sha; t = c.tree({"d/x.org": None, "n/new.org": "n"}, p); g = {e.path: e for e in c.repo.get_git_tree(t.sha, recursive=True).tree}; want("k.org" in g and "d/y.org" in g and "n/new.org" in g and "d/x.org" not in g, "paths: %r" % sorted(g))
@check
def tree_last_file_of_folder(c): b = c.branch({"d/x.org": "x"}); t = c.tree({"d/x.org": None}, c.repo.get_git_commit(c.tip(b)).tree.sha); g = [e.path for e in c.repo.get_git_tree(t.sha, recursive=True).tree]; want("d" not in g, "an empty folder is none: %r" % g)
@check
def tree_delete_missing(c): b = c.branch(); c.error(422, c.tree, {"none.org": None}, c.repo.get_git_commit(c.tip(b)).tree.sha)
@check
def tree_unknown_blob(c): c.error(422, c.repo.create_git_tree, [Element("a.org", "100644", "blob", sha="1" * 40)])
@check
def tree_bad_names(c):
    for n in ("/a", "a//b", "../a", "a/../b", ".git/config", "a/.GIT/x", "", "a/"): c.error((404, 422), c.tree, {n: "x"})
@check
def tree_modes(c):
    x = c.repo.create_git_blob("target", "utf-8").sha; t = c.repo.create_git_tree([Element("run.sh", "100755", "blob", sha=x), Element("link", "120000", "blob", sha=x), Element("sub", "160000", "commit", sha="2" * 40)]); m = {e.path: (e.mode, e.type, e.size) for e in t.tree}; same(m, {"run.sh": ("100755", "blob", 6), "link": ("120000", "blob", 6), "sub": ("160000", "commit", None)}, "modes")
    same(c.tree({"a": "1"}, t.sha).tree and {e.path: e.mode for e in c.tree({"a": "1"}, t.sha).tree}, {"a": "100644", "link": "120000", "run.sh": "100755", "sub": "160000"}, "what is not named stays as it is")
@check
def tree_names(c):
    n = ["a b.org", "ä.org", "日本/ö.org", "e\u0301.org", "100%.org", "q?#&.org", "a'b\"c.org", "tab\t.org", "Case.org", "case.org", "x" * 250 + ".org"]; b = c.branch({p: p for p in n}); g = c.listing(b); same(sorted(p for p in g if g[p].type == "blob" and p in n), sorted(n), "names")
    for p in n: same(c.text(b, p), p.encode(), p)
@check
def tree_file_over_folder(c): b = c.branch({"d/x.org": "x"}); t = c.tree({"d": "now a file"}, c.repo.get_git_commit(c.tip(b)).tree.sha); same([e.type for e in t.tree if e.path == "d"], ["blob"], "d")
@check
def tree_truncated(c):
    b = c.branch({"t/%02d.org" % i: "x" for i in range(12)}); c.control(op="truncate", entries=5)
    try:
        s = c.repo.get_git_commit(c.tip(b)).tree.sha; t = c.repo.get_git_tree(s, recursive=True); same(t.raw_data["truncated"], True, "truncated"); want(len(t.tree) <= 5, "entries"); u = c.repo.get_git_tree(s); same(u.raw_data["truncated"], False, "a single level is whole"); same(len(c.repo.get_git_tree([e.sha for e in u.tree if e.path == "t"][0]).tree), 12, "the folder by itself")
    finally: c.control(op="truncate", entries=None)
@check
def commit(c):
    b = c.branch(); p = c.tip(b); when = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc); who = InputGitAuthor("Ä B", "a@example.org", when.isoformat().replace("+00:00", "Z")); t = c.tree({"a.org": "x"}); k = c.repo.create_git_commit("subject\n\nbody ä", t, [c.repo.get_git_commit(p)], who, who)
    line = "Ä B <a@example.org> %d +0000" % when.timestamp(); body = "tree %s\nparent %s\nauthor %s\ncommitter %s\n\nsubject\n\nbody ä" % (t.sha, p, line, line); same(k.sha, name_of("commit", body.encode()), "sha"); g = c.repo.get_git_commit(k.sha); same((g.message, g.tree.sha, [x.sha for x in g.parents], g.author.name), ("subject\n\nbody ä", t.sha, [p], "Ä B"), "read back")
@check
def commit_unknown(c): r = c.raw("POST", "/git/commits", json={"message": "x", "tree": "1" * 40, "parents": []}); same(r.status_code, 422, "unknown tree"); r = c.raw("POST", "/git/commits", json={"message": "x", "tree": c.tree({"a": "1"}).sha, "parents": ["1" * 40]}); same(r.status_code, 422, "unknown parent")

# ------------------------------------------------------------------ the compare-and-swap
@check
def batch_is_one_commit(c):
    b = c.branch({"old.org": "o", "gone.org": "g"}); p = c.tip(b); k = c.commit(b, {"old.org": "new", "gone.org": None, "d/%s.org" % ("é"): "x"}); same(c.tip(b), k.sha, "tip"); same([x.sha for x in c.repo.get_git_commit(k.sha).parents], [p], "parents"); g = c.listing(b); want("gone.org" not in g and g["old.org"].sha == blob_name(b"new"), "files")
@check
def not_fast_forward(c):
    b = c.branch({"a.org": "1"}); p = c.tip(b); mine = c.commit(b, {"a.org": "mine"}, p, move=False); theirs = c.commit(b, {"a.org": "theirs"}, p); e = c.error(422, c.repo.get_git_ref("heads/" + b).edit, mine.sha, force=False); same(e.data.get("message"), "Update is not a fast forward", "message"); same(c.tip(b), theirs.sha, "tip"); same(c.text(b, "a.org"), b"theirs", "content")
@check
def race(c):
    b = c.branch({"a.org": "0"}); p = c.tip(b); ks = [c.commit(b, {"a.org": "v%d" % i}, p, move=False).sha for i in range(6)]
    def one(s): return c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": s, "force": False}).status_code
    with concurrent.futures.ThreadPoolExecutor(6) as pool: r = list(pool.map(one, ks))
    same(sorted(r), [200] + [422] * 5, "answers"); same(c.tip(b), ks[r.index(200)], "tip")
@check
def patch_same_again(c): b = c.branch(); k = c.commit(b, {"a.org": "1"}); c.repo.get_git_ref("heads/" + b).edit(k.sha, force=False); same(c.tip(b), k.sha, "moving to where it is")
@check
def patch_missing_ref(c): k = c.tip("main"); r = c.raw("PATCH", "/git/refs/heads/none-" + uuid.uuid4().hex[:6], json={"sha": k, "force": False}); same((r.status_code, r.json().get("message")), (422, "Reference does not exist"), "answer")
@check
def patch_unknown_object(c): b = c.branch(); r = c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": "1" * 40, "force": False}); same((r.status_code, r.json().get("message")), (422, "Object does not exist"), "answer")
@check
def patch_default_is_not_forced(c): b = c.branch({"a.org": "1"}); p = c.tip(b); mine = c.commit(b, {"a.org": "m"}, p, move=False); c.commit(b, {"a.org": "t"}, p); same(c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": mine.sha}).status_code, 422, "without force")
@check
def rewound_branch_is_a_fast_forward(c):
    """what force:false does not see: another writer took commits back in between; ours brings them back"""
    b = c.branch({"a.org": "1"}); p = c.tip(b); mine = c.commit(b, {"a.org": "2"}, p, move=False); old = c.repo.get_git_commit(p).parents[0].sha; c.repo.get_git_ref("heads/" + b).edit(old, force=True); r = c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": mine.sha, "force": False}); same(r.status_code, 200, "status")
@check
def compare(c):
    b = c.branch({"a.org": "1"}); p = c.tip(b); k = c.commit(b, {"a.org": "2"}); j = c.raw("GET", "/compare/%s...%s" % (p, k.sha)).json(); same((j["status"], j["ahead_by"], j["behind_by"]), ("ahead", 1, 0), "forward"); side = c.commit(b, {"x": "1"}, p, move=False); same(c.raw("GET", "/compare/%s...%s" % (k.sha, side.sha)).json()["status"], "diverged", "beside"); same(c.raw("GET", "/compare/%s...%s" % (k.sha, p)).json()["status"], "behind", "back")
@check
def push_of_others(c):
    tip = c.tip("main"); j = c.control(op="push", files={"others-%s.org" % uuid.uuid4().hex[:6]: "by others"}); n = c.tip("main"); want(n != tip and n == j.get("sha"), "the tip moved")
@check
def lagging_read(c):
    c.control(op="reset"); c._repo = None; a = c.tip("main"); c.control(op="push", files={"lag.org": "x"}); c.control(op="lag", count=1); same(c.tip("main"), a, "the tip before"); want(c.tip("main") != a, "and the new one then")
@check
def answer_lost(c):
    b = c.branch({"a.org": "1"}); k = c.commit(b, {"a.org": "2"}, move=False); c.control(op="fail", route="PATCH /git/refs/:ref", count=1, drop="after")
    try: c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": k.sha, "force": False})
    except requests.exceptions.ConnectionError: pass
    else: raise Fail("the connection was not cut")
    same(c.tip(b), k.sha, "it was done")
@check
def request_lost(c):
    b = c.branch({"a.org": "1"}); p = c.tip(b); k = c.commit(b, {"a.org": "2"}, move=False); c.control(op="fail", route="PATCH /git/refs/:ref", count=1, drop="before")
    try: c.raw("PATCH", "/git/refs/heads/" + b, json={"sha": k.sha, "force": False})
    except requests.exceptions.ConnectionError: pass
    same(c.tip(b), p, "nothing was done")

# ------------------------------------------------------------------ protected, empty, contents
@check
def protected_branch(c):
    if not c.o.protected: raise Skip("no --protected")
    want(c.repo.get_branch(c.o.protected).protected, "protected"); k = c.commit(c.o.protected, {"a.org": uuid.uuid4().hex}, move=False); e = c.error((403, 409, 422), c.repo.get_git_ref("heads/" + c.o.protected).edit, k.sha, force=False); want("rotected" in e.data.get("message", "") or "rule violations" in e.data.get("message", ""), "message %r" % e.data.get("message"))
@check
def empty_repository(c):
    if not c.o.empty_repo: raise Skip("no --empty-repo")
    c.control(op="reset"); c._repo = None; r = c.gh.get_repo(c.o.empty_repo); same(r.size, 0, "size")
    for m, p, j in (("GET", "/git/ref/heads/main", None), ("POST", "/git/blobs", {"content": "x", "encoding": "utf-8"}), ("POST", "/git/trees", {"tree": [{"path": "a", "mode": "100644", "type": "blob", "content": "x"}]}), ("GET", "/git/trees/main?recursive=1", None)):
        a = c.raw(m, p, repo=c.o.empty_repo, json=j); same((a.status_code, a.json().get("message")), (409, "Git Repository is empty."), "%s %s" % (m, p))
    k = r.create_file(".syncd-root", "first", "marker\n", branch="main")["commit"].sha; same(r.get_git_ref("heads/main").object.sha, k, "the first commit makes the branch"); same([e.path for e in r.get_git_tree(k).tree], [".syncd-root"], "tree"); c.control(op="reset"); c._repo = None
@check
def contents_sha(c):
    b = c.branch({"a.org": "1"}); f = c.repo.get_contents("a.org", ref=b); same((f.sha, f.decoded_content), (blob_name(b"1"), b"1"), "contents"); c.error((409, 422), c.repo.create_file, "a.org", "m", "2", branch=b); e = c.error(409, c.repo.update_file, "a.org", "m", "2", blob_name(b"other"), branch=b); want("does not match" in e.data.get("message", ""), "message %r" % e.data.get("message")); c.repo.update_file("a.org", "m", "2", f.sha, branch=b); same(c.text(b, "a.org"), b"2", "content"); c.error(409, c.repo.delete_file, "a.org", "m", f.sha, branch=b)

# ------------------------------------------------------------------ limits and faults
def answer_of(c, **fault): c.control(op="fail", route="GET /git/ref/:ref", count=1, **fault); return c.raw("GET", "/git/ref/heads/main")
@check
def primary_limit(c):
    t = int(time.time()) + 30; r = answer_of(c, status=403, remaining=0, reset=t, message="API rate limit exceeded for user ID 1."); same((r.status_code, r.headers.get("X-RateLimit-Remaining"), r.headers.get("X-RateLimit-Reset"), r.headers.get("Retry-After")), (403, "0", str(t), None), "answer")
    c.control(op="fail", route="GET /git/ref/:ref", count=1, status=403, remaining=0, reset=t, message="API rate limit exceeded for user ID 1."); e = c.error(403, c.tip, "main"); want(isinstance(e, github.RateLimitExceededException), "PyGithub takes it for a limit: %r" % e)
@check
def secondary_limit(c):
    r = answer_of(c, status=403, retry_after=7, message="You have exceeded a secondary rate limit. Please wait a few minutes before you try again."); same((r.status_code, r.headers.get("Retry-After")), (403, "7"), "answer"); want(r.headers.get("X-RateLimit-Remaining") != "0", "quota is left")
    r = answer_of(c, status=429, retry_after=2, message="You have exceeded a secondary rate limit."); same((r.status_code, r.headers.get("Retry-After")), (429, "2"), "429")
@check
def forbidden_is_no_limit(c): r = answer_of(c, status=403, message="Resource not accessible by personal access token"); same((r.status_code, r.headers.get("Retry-After")), (403, None), "answer"); want(r.headers.get("X-RateLimit-Remaining") != "0", "quota is left")
@check
def server_error(c): same(answer_of(c, status=502, message="Server Error").status_code, 502, "status"); same(c.raw("GET", "/git/ref/heads/main").status_code, 200, "and then")
@check
def odd_bodies(c):
    for body in ("", "<html>portal</html>", "[]", '{"object":{}}', '{"ref":"refs/heads/other","object":{"type":"commit","sha":"%s"}}' % ("1" * 40)): same(answer_of(c, body=body, status=200).text, body, "the planned answer")
@check
def spoiled_blob(c): s = c.repo.create_git_blob("abc", "utf-8").sha; c.control(op="fail", route="GET /git/blobs/:sha", count=1, spoil=True); want(blob_name(base64.b64decode(c.repo.get_git_blob(s).content)) != s, "wrong once"); same(blob_name(base64.b64decode(c.repo.get_git_blob(s).content)), s, "right then")
@check
def revoked(c):
    c.control(op="revoke"); r = c.raw("GET", ""); same(r.status_code, 401, "status"); c.control(op="reset"); c._repo = None

# ------------------------------------------------------------------ device flow
def device(c): r = c.http.post(c.web + "/login/device/code", data={"client_id": c.o.client_id}, headers={"Accept": "application/json"}, timeout=20); same(r.status_code, 200, "status"); return r.json()
def poll(c, code, **kw): r = c.http.post(c.web + "/login/oauth/access_token", data={"client_id": c.o.client_id, "device_code": code, "grant_type": "urn:ietf:params:oauth:grant-type:device_code", **kw}, headers={"Accept": "application/json"}, timeout=20); same(r.status_code, 200, "the status is 200 whatever it says"); return r.json()
@check
def device_code(c): j = device(c); same(sorted(j), ["device_code", "expires_in", "interval", "user_code", "verification_uri"], "keys"); same(len(j["user_code"]), 9, "user_code"); want(j["interval"] >= 1 and j["expires_in"] == 900, "interval, expires_in")
@check
def device_pending_then_granted(c):
    d = device(c)["device_code"]; c.control(op="device", state="pending"); same(poll(c, d).get("error"), "authorization_pending", "pending"); c.control(op="device", state="slow"); j = poll(c, d); same(j.get("error"), "slow_down", "slow_down"); want(j.get("interval", 0) >= 5, "the new interval"); c.control(op="device", state="granted"); j = poll(c, d); want(j.get("access_token"), "access_token"); same(j.get("token_type"), "bearer", "token_type"); want(c.client(j["access_token"]).get_user().login, "it works"); want(poll(c, d).get("error") in ("incorrect_device_code", "expired_token", "bad_verification_code"), "a code works once")
@check
def device_denied(c):
    d = device(c)["device_code"]; c.control(op="device", state="denied"); same(poll(c, d).get("error"), "access_denied", "denied"); d = device(c)["device_code"]; c.control(op="device", state="expired"); same(poll(c, d).get("error"), "expired_token", "expired"); same(poll(c, "wrong").get("error"), "incorrect_device_code", "unknown code")
@check
def device_refresh(c):
    """user tokens of a GitHub App end after 8 hours; the refresh token rotates"""
    d = device(c)["device_code"]; c.control(op="device", state="granted"); j = poll(c, d)
    if "refresh_token" not in j: raise Skip("tokens do not expire")
    def again(t): return c.http.post(c.web + "/login/oauth/access_token", data={"client_id": c.o.client_id, "grant_type": "refresh_token", "refresh_token": t}, headers={"Accept": "application/json"}, timeout=20).json()
    k = again(j["refresh_token"]); want(k.get("access_token") and k.get("refresh_token") not in (None, j["refresh_token"]), "a new pair"); same(again(j["refresh_token"]).get("error"), "bad_refresh_token", "used once")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--base"); ap.add_argument("--web"); ap.add_argument("--token", default="test-token"); ap.add_argument("--repo", default="owner/notes"); ap.add_argument("--empty-repo", default="owner/empty"); ap.add_argument("--protected", default="protected"); ap.add_argument("--client-id", default="test-client")
    ap.add_argument("--only"); ap.add_argument("--list", action="store_true"); ap.add_argument("--json"); ap.add_argument("--no-control", action="store_true")
    ap.add_argument("--require-control", action="store_true"); ap.add_argument("--any-host", action="store_true"); ap.add_argument("-v", action="store_true")
    o = ap.parse_args()
    if o.list:
        for f in CHECKS: print(f.__name__)
        return 0
    if not o.base: ap.error("--base is needed")
    for u in (o.base, o.web):
        host = urlsplit(u or o.base).hostname or ""
        if not (host in ("localhost", "::1") or host.startswith("127.") or o.any_host): ap.error("only loopback hosts unless --any-host is given")
    c = Ctx(o); res = {}; count = {"pass": 0, "fail": 0, "skip": 0}; print("PyGithub %s against %s" % (package_version("PyGithub"), o.base))
    for f in CHECKS:
        if o.only and f.__name__ not in o.only.split(","): continue
        t = time.time()
        try: f(c); st, msg = "pass", ""
        except Skip as e: st, msg = ("fail" if o.require_control else "skip"), str(e)
        except Exception as e:
            st, msg = "fail", "%s: %s" % (type(e).__name__, str(e)[:400].replace("\n", " "))
            if o.v: traceback.print_exc()
        count[st] += 1; res[f.__name__] = {"result": st, "message": msg, "seconds": round(time.time() - t, 3)}
        print("%-5s %-34s %5.2f s  %s" % (st, f.__name__, time.time() - t, msg), flush=True)
    for b in c.made:
        try: c.raw("DELETE", "/git/refs/heads/" + quote(b))
        except Exception: pass
    if o.json: json.dump(res, open(o.json, "w"), indent=1)
    print("%d passed, %d failed, %d skipped" % (count["pass"], count["fail"], count["skip"]))
    return 1 if count["fail"] or not count["pass"] else 0


if __name__ == "__main__":
    sys.exit(main())
