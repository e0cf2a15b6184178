#!/usr/bin/env python3
"""Drives a server of Forgejo's REST API with pyforgejo, which was generated from Forgejo's own description of it, so that an
emulator is judged by a client that knows nothing of it. Names of blobs and trees are computed here as git computes them.

  forgejo-sdk-check.py --base http://127.0.0.1:PORT/api/v1 --folder FOLDER [--token T] [--repo owner/name]
                       [--empty-repo owner/name] [--protected BRANCH] [--only NAME,...] [-v]

The repository must exist with a branch main of at least one commit; --empty-repo one without any commit. FOLDER has the
repositories as OWNER/NAME.git, for a person who pushes with git. Each check works on a branch of its own. Loopback only.
Exit: 0 all passed, 1 something failed, 2 usage or no SDK. Last line: 'N passed, N failed'.
"""
import argparse
import base64
import concurrent.futures
import hashlib
import os
import subprocess
import sys
import tempfile
import traceback
import uuid
from urllib.parse import urlsplit

try:
    import httpx
    from pyforgejo import ChangeFileOperation, Identity, PyforgejoApi
    from pyforgejo.core.api_error import ApiError
except ImportError as error:
    print(f"the SDK is missing ({error}): pip install pyforgejo", file=sys.stderr)
    sys.exit(2)

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def want(condition, text):
    if not condition:
        raise AssertionError(text)


def same(got, expected, what):
    want(got == expected, f"{what}: got {got!r}, expected {expected!r}")


def name_of(kind, data):
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()


def blob_name(data):
    return name_of("blob", data)


def tree_name(files):
    """The name of the tree with these files: path to (mode, content)."""
    entries, folders = [], {}
    for path, (mode, data) in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(name, {})[rest] = (mode, data)
        else:
            entries.append((name, mode, blob_name(data)))
    entries += [(name, "40000", tree_name(inner)) for name, inner in folders.items()]
    entries.sort(key=lambda entry: entry[0].encode() + (b"/" if entry[1] == "40000" else b""))
    return name_of("tree", b"".join(
        mode.encode() + b" " + name.encode() + b"\0" + bytes.fromhex(sha) for name, mode, sha in entries))


class Server:
    def __init__(self, options):
        self.options = options
        self.base = options.base.rstrip("/")
        self.owner, self.name = options.repo.split("/")
        self.http = httpx.Client(trust_env=False, timeout=60)
        self.api = self.client(options.token)

    def client(self, token):
        return PyforgejoApi(base_url=self.base, api_key=f"token {token}", httpx_client=self.http)

    @property
    def repository(self):
        return self.api.repository

    def raw(self, method, path, repo=None, **arguments):
        return self.http.request(
            method, f"{self.base}/repos/{repo or self.options.repo}{path}",
            headers={"Authorization": f"token {self.options.token}"}, **arguments)

    def branch(self, files=None):
        name = "check-" + uuid.uuid4().hex[:8]
        self.repository.repo_create_branch(self.owner, self.name, new_branch_name=name, old_ref_name="main")
        if files:
            self.change(name, [create(path, data) for path, data in files.items()])
        return name

    def tip(self, branch):
        return self.repository.repo_get_branch(self.owner, self.name, branch).commit.id

    def change(self, branch, files, **arguments):
        return self.repository.repo_change_files(
            self.owner, self.name, branch=branch, files=files, message=arguments.pop("message", "test"), **arguments)

    def change_with_removals(self, branch, files, **arguments):
        """The servers answer null for a removed file, which their own description, and so the SDK, does not allow."""
        wish = {"branch": branch, "message": "test", "files": [file.model_dump(exclude_none=True) for file in files]}
        reply = self.raw("POST", "/contents", json=wish | arguments)
        same(reply.status_code, 201, "status")
        return reply.json()

    def tree_of(self, branch):
        return self.repository.repo_get_single_commit(self.owner, self.name, self.tip(branch)).commit.tree.sha

    def listing(self, branch):
        entries, page = [], 1
        while True:
            reply = self.repository.get_tree(self.owner, self.name, self.tree_of(branch), recursive=True, page=page)
            entries += reply.tree or []
            if not reply.truncated:
                return {entry.path: entry for entry in entries}
            page += 1

    def refused(self, statuses, branch, files, **arguments):
        """Requires an error, after which nothing is written."""
        before = self.tip(branch)
        statuses = statuses if isinstance(statuses, tuple) else (statuses,)
        same(error(self.change, branch, files, **arguments) in statuses, True, f"one of the statuses {statuses}")
        same(self.tip(branch), before, "the tip after a refusal")

    def git(self, *arguments, folder=None):
        environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        for role in ("AUTHOR", "COMMITTER"):
            environment.update({f"GIT_{role}_NAME": "Person", f"GIT_{role}_EMAIL": "person@example.org"})
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout

    def push_program(self, branch, path, text):
        """Pushes an executable file, as a person with git does."""
        with tempfile.TemporaryDirectory() as folder:
            self.git("clone", "--quiet", "--branch", branch, f"{self.options.folder}/{self.options.repo}.git", folder)
            with open(f"{folder}/{path}", "w") as file:
                file.write(text)
            os.chmod(f"{folder}/{path}", 0o755)
            self.git("add", "--all", folder=folder)
            self.git("commit", "--quiet", "-m", "by hand", folder=folder)
            self.git("push", "--quiet", folder=folder)


def error(function, *arguments, **options):
    """The status of the error that a call raises; None without one."""
    try:
        function(*arguments, **options)
    except ApiError as problem:
        want((problem.body or {}).get("message") if isinstance(problem.body, dict) else problem.body, "a message")
        return problem.status_code
    return None


def content(data):
    return base64.b64encode(data).decode()


def create(path, data):
    return ChangeFileOperation(operation="create", path=path, content=content(data))


def update(path, data, sha, **options):
    return ChangeFileOperation(operation="update", path=path, content=content(data), sha=sha, **options)


def delete(path, sha):
    return ChangeFileOperation(operation="delete", path=path, sha=sha)


# ---------------------------------------------------------------- users, repositories, branches

@check
def user(server):
    want(server.api.user.get_current().login, "login")


@check
def bad_token(server):
    same(error(server.client("wrong").repository.repo_get, server.owner, server.name), 401, "status")


@check
def repository(server):
    reply = server.repository.repo_get(server.owner, server.name)
    same((reply.full_name, reply.empty, reply.archived), (server.options.repo, False, False), "repository")
    same((reply.permissions.push, reply.object_format_name), (True, "sha1"), "permission, format")
    want(reply.default_branch, "default_branch")


@check
def repository_missing(server):
    same(error(server.repository.repo_get, server.owner, "nothing"), 404, "status")


@check
def branch(server):
    reply = server.repository.repo_get_branch(server.owner, server.name, "main")
    same((reply.name, len(reply.commit.id), reply.protected, reply.user_can_push), ("main", 40, False, True), "branch")


@check
def branch_missing(server):
    same(error(server.repository.repo_get_branch, server.owner, server.name, "none"), 404, "status")


@check
def branch_with_slash(server):
    name = "check/" + uuid.uuid4().hex[:8]
    server.repository.repo_create_branch(server.owner, server.name, new_branch_name=name, old_ref_name="main")
    same(server.raw("GET", f"/branches/{name}").json()["name"], name, "name")


@check
def branch_protected(server):
    reply = server.repository.repo_get_branch(server.owner, server.name, server.options.protected)
    same((reply.protected, reply.user_can_push), (True, False), "protection")
    server.refused(403, server.options.protected, [create("a.org", b"a")])


@check
def branch_twice(server):
    name = server.branch()
    same(server.tip(name), server.tip("main"), "tip")
    same(error(server.repository.repo_create_branch, server.owner, server.name, new_branch_name=name), 409, "status")


@check
def references_are_an_array(server):
    name = server.branch()
    reply = server.raw("GET", f"/git/refs/heads/{name}").json()
    same([(item["ref"], item["object"]["sha"]) for item in reply], [(f"refs/heads/{name}", server.tip(name))], "array")


@check
def objects_cannot_be_written(server):
    for method, path in [("POST", "/git/blobs"), ("POST", "/git/trees"), ("POST", "/git/commits"),
                         ("POST", "/git/refs"), ("PATCH", "/git/refs/heads/main")]:
        want(server.raw(method, path, json={}).status_code in (404, 405), f"{method} {path}")


# ---------------------------------------------------------------- commits, trees, blobs

@check
def commit(server):
    name = server.branch({"a.org": b"a"})
    reply = server.repository.repo_get_single_commit(server.owner, server.name, server.tip(name))
    same(reply.sha, server.tip(name), "sha")
    same([parent.sha for parent in reply.parents], [server.tip("main")], "parents")
    same(reply.commit.message, "test\n", "message")
    same(server.repository.repo_get_single_commit(server.owner, server.name, reply.sha[:10]).sha, reply.sha, "by digits")
    same(error(server.repository.repo_get_single_commit, server.owner, server.name, "1" * 40), 404, "missing")


@check
def commits_without_others(server):
    """A commit is an ancestor of another one if the list of its commits without those of the other is empty."""
    name = server.branch({"a.org": b"a"})
    old, new = server.tip("main"), server.tip(name)
    def missing(of, sha):
        return [item.sha for item in server.repository.repo_get_all_commits(
            server.owner, server.name, sha=of, not_=sha, page=1, limit=1, stat=False)]
    same(missing(old, new), [], "an ancestor")
    same(missing(new, old), [new], "a descendant")


@check
def tree_names(server):
    name = server.branch({"a.org": b"1", "a/x": b"2", "a.b": b"3", "a/y/z.org": b""})
    listing = server.listing(name)
    files = {path: (entry.mode, base64.b64decode(server.repository.get_blob(server.owner, server.name, entry.sha).content))
             for path, entry in listing.items() if entry.type == "blob"}
    same(tree_name(files), server.tree_of(name), "the name of the whole tree")
    same((listing["a"].type, listing["a"].mode, listing["a/y/z.org"].size), ("tree", "040000", 0), "entries")


@check
def tree_pages(server):
    name = server.branch({f"p/{number}.org": b"x" for number in range(5)})
    tree = server.tree_of(name)
    total = len(server.listing(name))
    pages = [server.repository.get_tree(server.owner, server.name, tree, recursive=True, page=page, per_page=2)
             for page in range(1, (total + 1) // 2 + 1)]
    same([page.page for page in pages], list(range(1, len(pages) + 1)), "page")
    same([page.truncated for page in pages], [True] * (len(pages) - 1) + [False], "truncated")
    same({page.sha for page in pages} | {tree}, {tree}, "sha")
    same({page.total_count for page in pages}, {total}, "total_count")
    same(sorted(entry.path for page in pages for entry in page.tree), sorted(server.listing(name)), "entries")


@check
def tree_after_the_last_page(server):
    reply = server.raw("GET", f"/git/trees/{server.tree_of('main')}?recursive=true&page=99").json()
    same((reply["tree"] or [], reply["truncated"]), ([], False), "page 99")


@check
def tree_flat(server):
    name = server.branch({"f/a.org": b"x"})
    reply = server.repository.get_tree(server.owner, server.name, server.tree_of(name))
    want("f" in [entry.path for entry in reply.tree] and "f/a.org" not in [entry.path for entry in reply.tree], "paths")


@check
def blob(server):
    for data in (b"* one\n", b"", bytes(range(256))):
        name = server.branch({"b": data})
        reply = server.repository.get_blob(server.owner, server.name, blob_name(data))
        same((reply.sha, reply.size, reply.encoding), (blob_name(data), len(data), "base64"), "blob")
        same(base64.b64decode(reply.content), data, "content")
        same(server.listing(name)["b"].sha, blob_name(data), "listed")


@check
def blob_missing(server):
    want(error(server.repository.get_blob, server.owner, server.name, "1" * 40) in (400, 404), "status")


@check
def blob_too_large(server):
    data = b"0123456789abcdef" * 700_000
    server.branch({"large": data})
    reply = server.repository.get_blob(server.owner, server.name, blob_name(data))
    same((reply.size, reply.content or ""), (len(data), ""), "size and content")


# ---------------------------------------------------------------- the request for several files

@check
def several_files(server):
    name = server.branch({"a.org": b"a", "d/b.org": b"b", "c.org": b"c"})
    base = server.tip(name)
    reply = server.change_with_removals(
        name, [create("n/new.org", b"n"), update("a.org", b"A", blob_name(b"a")), delete("d/b.org", blob_name(b"b"))],
        message="subject\n\nbody", author={"name": "Ann", "email": "ann@example.org"})
    made = reply["commit"]
    same(made["sha"], server.tip(name), "one commit is the tip")
    same([parent["sha"] for parent in made["parents"]], [base], "parents")
    same(made["tree"]["sha"], server.tree_of(name), "tree")
    same((made["author"]["name"], made["author"]["email"]), ("Ann", "ann@example.org"), "author")
    same(made["message"].strip(), "subject\n\nbody", "message")
    same([file and file["sha"] for file in reply["files"]], [blob_name(b"n"), blob_name(b"A"), None], "files")
    listing = server.listing(name)
    want("d" not in listing and listing["c.org"].sha == blob_name(b"c"), "folders and files that stay")


@check
def author(server):
    name = server.branch()
    reply = server.change(name, [create("a.org", b"a")], author=Identity(name="Ann", email="ann@example.org"))
    same((reply.commit.author.name, reply.commit.committer.name), ("Ann", "Ann"), "the author is the committer, too")


@check
def another_version(server):
    name = server.branch({"a.org": b"a"})
    server.refused((409, 422), name, [update("a.org", b"A", blob_name(b"old"))])
    server.refused((409, 422), name, [delete("a.org", blob_name(b"old"))])


@check
def no_version(server):
    name = server.branch({"a.org": b"a"})
    server.refused(422, name, [ChangeFileOperation(operation="update", path="a.org", content=content(b"A"))])


@check
def existing_file(server):
    name = server.branch({"a.org": b"a"})
    server.refused(422, name, [create("a.org", b"A")])


@check
def missing_file(server):
    name = server.branch()
    server.refused((404, 422, 500), name, [delete("none.org", blob_name(b"a"))])
    server.refused((404, 422, 500), name, [update("none.org", b"a", blob_name(b"a"))])


@check
def all_or_nothing(server):
    name = server.branch({"a.org": b"a", "b.org": b"b"})
    server.refused((409, 422), name, [
        create("n.org", b"n"), update("a.org", b"A", blob_name(b"a")), delete("b.org", blob_name(b"x"))])
    want("n.org" not in server.listing(name), "the files that could be written")


@check
def file_and_folder(server):
    name = server.branch({"f": b"f", "d/x.org": b"x"})
    server.refused(422, name, [delete("d/x.org", blob_name(b"x")), create("d", b"d")])
    server.refused(422, name, [delete("f", blob_name(b"f")), create("f/y.org", b"y")])
    server.change_with_removals(name, [delete("d/x.org", blob_name(b"x")), delete("f", blob_name(b"f"))])
    server.change(name, [create("d", b"d"), create("f/y.org", b"y")])
    want({"d", "f/y.org"} <= set(server.listing(name)), "after two commits")


@check
def executable(server):
    name = server.branch()
    server.push_program(name, "run.sh", "one")
    server.push_program(name, "old.sh", "two")
    server.change(name, [update("run.sh", b"changed", blob_name(b"one")),
                         update("new.sh", b"two", blob_name(b"two"), from_path="old.sh"), create("copy.sh", b"two")])
    listing = server.listing(name)
    same({path: listing[path].mode for path in ("run.sh", "new.sh", "copy.sh")},
         {"run.sh": "100755", "new.sh": "100755", "copy.sh": "100644"}, "modes")
    want("old.sh" not in listing, "the former name")


@check
def bad_paths(server):
    name = server.branch()
    for path in (".git/config", "a/.git/x", "../a", "x" * 501):
        server.refused(422, name, [create(path, b"x")])


@check
def bad_base64(server):
    name = server.branch()
    server.refused(422, name, [ChangeFileOperation(operation="create", path="a.org", content="%%%")])


@check
def unknown_branch(server):
    same(error(server.change, "none", [create("a.org", b"a")]), 404, "status")


@check
def writers_at_once(server):
    """Each request is a commit, or an error and nothing."""
    name = server.branch()
    before = server.tip(name)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda number: error(server.change, name, [create(f"{number}.org", b"x")]), range(16)))
    want(set(statuses) <= {None, 409, 422, 500}, f"statuses {statuses}")
    commits = server.repository.repo_get_all_commits(
        server.owner, server.name, sha=server.tip(name), not_=before, page=1, limit=50)
    same(len(commits), statuses.count(None), "commits")
    listing = server.listing(name)
    same([f"{number}.org" in listing for number in range(16)], [status is None for status in statuses], "files")


@check
def empty_repository(server):
    owner, name = server.options.empty_repo.split("/")
    same(server.repository.repo_get(owner, name).empty, True, "empty")
    same(error(server.repository.repo_get_branch, owner, name, "main"), 404, "branch")
    same(error(server.repository.repo_get_all_commits, owner, name), 409, "commits")
    reply = server.repository.repo_change_files(
        owner, name, branch="main", message="first", files=[create("a.org", b"a"), create("d/b.org", b"b")])
    same(reply.commit.parents or [], [], "parents")
    same(reply.commit.tree.sha, tree_name({"a.org": ("100644", b"a"), "d/b.org": ("100644", b"b")}), "tree")
    same(server.repository.repo_get_branch(owner, name, "main").commit.id, reply.commit.sha, "tip")
    same(server.repository.repo_get(owner, name).empty, False, "empty")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--token", default="test-token")
    parser.add_argument("--repo", default="owner/notes")
    parser.add_argument("--empty-repo", default="owner/empty")
    parser.add_argument("--protected", default="protected")
    parser.add_argument("--only")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    host = urlsplit(options.base).hostname or ""
    if host not in ("localhost", "::1") and not host.startswith("127."):
        parser.error("only loopback hosts")
    server = Server(options)
    passed = failed = 0
    for function in CHECKS:
        if options.only and function.__name__ not in options.only.split(","):
            continue
        try:
            function(server)
            passed += 1
        except Exception as problem:
            failed += 1
            print(f"fail  {function.__name__:30} {type(problem).__name__}: {str(problem)[:300]}", flush=True)
            if options.v:
                traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
