"""What a person decides about a remote with the hub's client: held deletions and passes to undo.

browser-check.py runs every function check_…(t) of this file. HUB_STORE names the folder with the Org files of the hub, and HUB_REMOTE
that of its only remote, whose files other devices write.
"""
import contextlib, os, pathlib, re, time

STORE, REMOTE = pathlib.Path(os.environ["HUB_STORE"]), pathlib.Path(os.environ["HUB_REMOTE"])
PATIENCE = int(os.environ.get("HUB_PATIENCE", "60"))  # seconds until something that must happen is called missing


def texts(folder):
    """The texts of the files by name. The hub may remove one at any time."""
    found = {}
    for path in folder.glob("*.org"):
        with contextlib.suppress(FileNotFoundError):
            found[path.name] = path.read_text()
    return found


def write(folder, name, content):
    """Writes a file as another device does: the hub never sees a part of it, or nothing."""
    fresh = folder.parent / f"{name}.new"
    fresh.write_text(content)
    os.replace(fresh, folder / name)


def wait_for(t, what, why):
    """Waits for the outcome of a pass, and asks for one every few seconds, as an impatient person does."""
    asked = [0.0]
    def seen():
        if not what() and time.monotonic() > asked[0] + 3:
            t.page.get_by_role("button", name=re.compile("^Sync now")).click()
            asked[0] = time.monotonic()
        return what()
    t.wait(seen, PATIENCE, why)


def begin(t):
    t.allow("status of (503|429)")
    t.open()
    wait_for(t, lambda: texts(STORE) and texts(STORE) == texts(REMOTE), "store and remote do not become equal;")


def go(t, route):
    t.page.evaluate("r => { location.hash = r; }", f"#/{route}")


def hold_all_deletions(t):
    """Another device deletes every file of the remote; the hub asks first."""
    kept = texts(STORE)
    with t.offline():  # so that no pass comes between two deletions
        for path in REMOTE.glob("*.org"):
            path.unlink()
    go(t, "")
    wait_for(t, lambda: t.page.get_by_text("Deletions are held").count(), "nothing is held;")
    require(texts(STORE) == kept, f"files are gone before anybody decided: {sorted(texts(STORE))}")
    t.page.get_by_text("Deletions are held").click()
    t.page.get_by_role("heading", name=f"{len(kept)} files on disk").wait_for(timeout=PATIENCE * 1000)
    t.page.get_by_text("Which files").click()
    shown = t.page.locator("main .paths").inner_text().split()
    require(sorted(shown) == sorted(kept), f"the list of files is {shown}")
    return kept


def check_held_deletions_are_denied(t):
    begin(t)
    kept = hold_all_deletions(t)
    t.page.get_by_role("button", name="Bring them back").click()
    wait_for(t, lambda: texts(REMOTE) == kept, "the files are not in the remote again;")
    require(texts(STORE) == kept, "the store lost files, although the deletion was denied")
    t.wait(lambda: "Nothing is held" in t.page.locator("main").inner_text(), PATIENCE, "the hold is still shown;")


def check_conflicts_are_decided(t):
    begin(t)
    sides = {}
    with t.offline():  # so that no pass comes between the two edits
        for name in ("notes-2.org", "notes-3.org"):
            sides[name] = {folder: f"* Note\nText of {folder.name} in {name}.\n" for folder in (STORE, REMOTE)}
            for folder, text in sides[name].items():
                write(folder, name, text)
    wait_for(t, lambda: all("CONFLICT" in texts(STORE)[name] for name in sides), "the edits are not marked as a conflict;")
    go(t, "conflicts")
    for name, folder, button in (("notes-2.org", STORE, "Keep the store’s"), ("notes-3.org", REMOTE, "Keep that of disk")):
        card = t.page.locator(".card", has=t.page.get_by_role("heading", name=name))
        card.get_by_text("Changes of both sides").click()
        for text in sides[name].values():
            card.locator("pre").get_by_text(text.splitlines()[1]).wait_for()
        card.get_by_role("button", name=button).click()
        t.page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
        wait_for(t, lambda: texts(STORE)[name] == texts(REMOTE)[name] == sides[name][folder], f"{name} is not that of {folder.name};")
    t.wait(lambda: "Nothing to decide" in t.page.locator("main").inner_text(), PATIENCE, "a conflict is still shown;")


def check_pass_is_undone(t):
    begin(t)
    go(t, "history")
    undo = t.page.locator(".card", has=t.page.get_by_text("notes-1.org")).first.get_by_role("button", name=re.compile("^Undo pass"))
    undo.wait_for()
    former = undo.get_attribute("aria-label")
    before, edited = texts(STORE)["notes-1.org"], "* Rewritten by another device\n"
    write(REMOTE, "notes-1.org", edited)
    wait_for(t, lambda: texts(STORE)["notes-1.org"] == edited, "the edit does not arrive;")
    # The file is written before its pass is recorded.
    t.wait(lambda: undo.get_attribute("aria-label") != former, PATIENCE, "the history does not get the pass of the edit;")
    undo.click()
    t.page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
    t.wait(lambda: texts(STORE)["notes-1.org"] == before, PATIENCE, "the store does not have the former text;")
    wait_for(t, lambda: texts(REMOTE) == texts(STORE), "the remote does not have the former text;")
    require(texts(STORE)["notes-1.org"] == before, "the undone edit is back")


def check_held_deletions_are_allowed(t):
    begin(t)
    kept = hold_all_deletions(t)
    t.page.get_by_role("button", name="Let them go").click()
    dialog = t.page.get_by_role("dialog")
    require(f"Delete {len(kept)} files?" in dialog.inner_text(), f"the question is {dialog.inner_text()!r}")
    dialog.get_by_role("button", name="Let them go").click()
    wait_for(t, lambda: not texts(STORE), "the files are still there;")
    t.wait(lambda: "Nothing is held" in t.page.locator("main").inner_text(), PATIENCE, "the hold is still shown;")
