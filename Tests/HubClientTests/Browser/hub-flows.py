"""What a person does with the hub's client, carried out in a browser and checked in the files of the store.

browser-check.py runs every function check_…(t) of this file. HUB_STORE names the folder with the Org files of the hub, whose
entries are those of BrowserTests.swift; every flow has entries of its own, so that none depends on another.
"""
import contextlib, datetime, json, os, pathlib, re, shutil, signal, subprocess, tempfile, time

STORE = pathlib.Path(os.environ["HUB_STORE"])
PATIENCE = int(os.environ.get("HUB_PATIENCE", "60"))  # seconds until something that must happen is called missing; nothing waits that long on a good day


def text(name):
    try:
        return (STORE / name).read_text()
    except FileNotFoundError:
        return ""


def write(name, content):
    """Writes a file of the store as an editor does: the hub never sees a part of it, or nothing."""
    fresh = STORE.parent / f"{name}.new"
    fresh.write_text(content)
    os.replace(fresh, STORE / name)


def reaches(t, name, pattern, count=1):
    """Waits until the file has the pattern exactly `count` times."""
    refused = "import('/hub.js').then(hub => hub.state.refused.map(r => `${r.patch.op}: ${r.result.detail}`))"
    t.wait(lambda: len(re.findall(pattern, text(name), re.M)) == count, PATIENCE, lambda:
        f"{name} does not have {pattern!r} {count} times: {text(name)[-1000:]!r}; the page says {status(t.page)!r}, refused: {t.page.evaluate(refused)};")


def in_sync(t, page=None):
    page = page or t.page
    t.wait(lambda: not any(word in status(page) for word in ["waiting", "Offline", "Syncing", "Connecting", "Reading"]), PATIENCE, f"it says {status(page)!r};")


def begin(t):
    """Opens the page. A busy hub may answer 503 or 429, which the browser reports; the edit has to arrive all the same."""
    t.allow("status of (503|429)")
    t.open()
    # The setting of a person who needs more time to press Undo, as a busy machine does.
    t.page.evaluate("Promise.all([import('/db.js'), import('/parts.js')]).then(([db, parts]) => { parts.setStay(20); return db.setFact('messages', 20); })")


def hold(t, message):
    """Keeps a message with Undo on the screen until its button is pressed, as the keyboard focus does, however long what comes before takes."""
    t.page.locator(".toast", has_text=message).get_by_role("button", name="Undo").focus()


def status(page):
    return page.locator("#top [role=status]").text_content()


def go(t, route, page=None):
    page = page or t.page
    page.evaluate("r => { location.hash = r; }", f"#/{route}")
    page.wait_for_timeout(50)


def address(t):
    return t.page.evaluate("location.hash")


def open_entry(t, title, page=None):
    """By the search screen, as a person would."""
    page = page or t.page
    go(t, f"search/{title.split()[0]}", page)
    page.get_by_role("link", name=re.compile(re.escape(title))).first.click()
    page.locator("#entry-title").wait_for()
    t.wait(lambda: page.locator("#entry-title").input_value() == title, PATIENCE, f"the entry {title!r} does not open;")


def capture(t, title, page=None):
    """Two taps and the words."""
    page = page or t.page
    page.get_by_role("link", name="Capture", exact=True).click()
    # Not by its label, which the title of the entry that is still shown may have, too.
    page.locator("#capture-title").fill(title)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text(f"Captured “{title}”").wait_for()


def check_capture_offline_arrives_once(t):
    begin(t)
    in_sync(t)
    t.shot("film-1-home")
    with t.offline():
        capture(t, "Offline thought")
        t.shot("film-2-captured-offline")
        t.page.reload()
        t.page.wait_for_selector("html[data-ready]", state="attached")
        require("Offline thought" in t.page.locator("main").inner_text(), "after a reload without the hub the captured entry is not on Home")
        require("1 waiting" in status(t.page), f"the state says {status(t.page)!r}")
        require("Offline thought" not in text("inbox.org"), "it was written although the hub is away")
        t.shot("film-3-reloaded-offline")
    in_sync(t)
    reaches(t, "inbox.org", r"^\* TODO Offline thought$")
    t.shot("film-4-back")


def check_every_screen_opens_without_the_service_worker(t):
    """The hub may go away before the service worker is in charge of the page."""
    begin(t)
    t.page.evaluate("navigator.serviceWorker.getRegistrations().then(all => Promise.all(all.map(one => one.unregister())))")
    t.page.add_init_script("ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('not in this flow'))")
    t.page.reload()
    t.page.wait_for_selector("html[data-ready]", state="attached")
    require(t.page.evaluate("navigator.serviceWorker.controller === null"), "the service worker is in charge")
    with t.offline():
        for route in ("agenda", "capture", "files", "search", "inbox", "tags", "habits", "status", "history", "settings"):
            go(t, route)
            t.page.get_by_role("heading", name=re.compile(route, re.I), level=1).wait_for()


def check_lost_answer_is_one_entry(t):
    """The batch reaches the hub, its answer does not reach the phone: it is sent again, and written once."""
    begin(t)
    in_sync(t)
    t.allow("ERR_FAILED|Failed to load")
    lost = []

    def lose(route):
        route.fetch()
        lost.append(route.request.url)
        route.abort()
    t.page.route("**/api/v1/batches", lose)
    capture(t, "Answered into the void")
    t.wait(lambda: lost, PATIENCE, "the batch was not sent;")
    t.page.unroute("**/api/v1/batches")
    t.page.reload()
    t.page.wait_for_selector("html[data-ready]", state="attached")
    in_sync(t)
    reaches(t, "inbox.org", r"^\* TODO Answered into the void$")


def check_what_was_sent_a_year_ago_is_decided_by_the_person(t):
    """The hub remembers the answer to a batch for little more than a year; what may have been carried out before is not repeated by itself."""
    begin(t)
    t.allow("status of 409")  # the hub expects the number of what is not repeated
    in_sync(t)
    with t.offline():
        capture(t, "Sent a year ago")
        t.page.evaluate("""import('/db.js').then(db => db.transaction('queue', async s => {
            for (const row of await s.queue.all()) await s.queue.put({ ...row, tried: true, triedAt: Date.now() - 366 * 86_400_000 }); }))""")
        capture(t, "Never sent before")
    reaches(t, "inbox.org", r"^\* TODO Never sent before$")
    require("Sent a year ago" not in text("inbox.org"), "it was repeated without a question")
    go(t, "refused")
    t.page.get_by_text("sent more than a year ago").wait_for()
    t.page.get_by_role("button", name="Send again").click()
    reaches(t, "inbox.org", r"^\* TODO Sent a year ago$")
    in_sync(t)


def processes_with(folder):
    """The processes whose command line names the folder: those of the browser that this flow started."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if folder.encode() in (entry / "cmdline").read_bytes():
                    yield int(entry.name)
            except OSError:
                pass


def check_killed_browser_loses_nothing(t):
    folder = tempfile.mkdtemp(prefix="browser-")
    start = lambda: t.browser.browser_type.launch_persistent_context(
        folder, executable_path=t.options.chromium, headless=True, viewport={"width": 390, "height": 844}, args=["--no-sandbox"] if os.geteuid() == 0 else [])
    try:
        context = start()
        page = context.new_page()
        page.goto(pairing_link(t))
        page.wait_for_selector("html[data-ready]", state="attached")
        in_sync(t, page)
        t.wait(lambda: page.evaluate("!!navigator.serviceWorker.controller"), PATIENCE, "no service worker;")
        # Chromium writes cookies to the disk after half a minute, or when it is closed: the session has to be there first.
        context.close()
        context = start()
        page = context.new_page()
        page.goto(t.hub.url)
        page.wait_for_selector("html[data-ready]", state="attached")
        in_sync(t, page)
        with t.offline():
            capture(t, "Before the battery died", page)
            go(t, "capture", page)
            page.locator("#capture-title").fill("Half a senten")
            # What is typed is kept at the next pause; the row in the database says when.
            t.wait(lambda: page.evaluate("import('/db.js').then(db => db.get('drafts', 'capture')).then(d => d?.title === 'Half a senten')"), PATIENCE, "the draft is not kept;")
            kill_processes_with(folder)
            t.wait(lambda: not list(processes_with(folder)), PATIENCE, "the browser does not end;")
            context = start()
            page = context.new_page()
            page.goto(t.hub.url + "#/capture")
            page.wait_for_selector("html[data-ready]", state="attached")
            require(page.locator("#capture-title").input_value() == "Half a senten", "the half sentence is gone")
            require("1 waiting" in status(page), f"after the kill the state says {status(page)!r}")
        in_sync(t, page)
        reaches(t, "inbox.org", r"^\* TODO Before the battery died$")
        context.close()
    finally:
        kill_processes_with(folder)
        shutil.rmtree(folder, ignore_errors=True)


def kill_processes_with(folder):
    for process in processes_with(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def pairing_link(t):
    import shlex, subprocess
    said = subprocess.run(shlex.split(t.options.pair.replace("{port}", str(t.hub.port))), capture_output=True, text=True, timeout=PATIENCE)
    return t.hub.origin + "/pair#" + re.findall(r"/pair#(\S+)", said.stdout)[-1]


def check_actions_of_an_entry(t):
    begin(t)
    t.allow("status of 404")  # the title is part of the id of an entry without :ID:, and a list may be asked for by the former one
    open_entry(t, "Actions to try")
    page = t.page
    page.get_by_role("button", name="Set schedule").click()
    page.get_by_role("button", name="Tomorrow").click()
    reaches(t, "actions.org", r"^SCHEDULED: <\d{4}-\d\d-\d\d \w+>$")
    page.get_by_role("button", name="Set priority").click()
    page.get_by_role("button", name="A highest").click()
    reaches(t, "actions.org", r"^\* TODO \[#A\] Actions to try")
    page.get_by_role("button", name="Set tags").click()
    page.get_by_label("New tag").fill("fresh")
    page.get_by_role("button", name="Save tags").click()
    reaches(t, "actions.org", r"^\* TODO \[#A\] Actions to try +:fresh:$")
    page.get_by_role("button", name="Set deadline").click()
    page.get_by_label("In words").fill("2030-01-07 10:00")
    page.get_by_role("button", name="Set", exact=True).click()
    reaches(t, "actions.org", r"DEADLINE: <2030-01-07 Mon 10:00>")
    page.get_by_role("button", name="Edit").click()
    page.locator("#text").fill("A new text.\nWith two lines.")
    page.get_by_role("button", name="Save text").click()
    reaches(t, "actions.org", r"^A new text\.\nWith two lines\.$")
    page.get_by_role("button", name="Note").click()
    page.get_by_label("Text of the note").fill("Remember the milk")
    page.get_by_role("button", name="Add note").click()
    reaches(t, "actions.org", r"Remember the milk")
    page.locator("#entry-title").fill("Actions were tried")
    page.locator("#entry-title").blur()
    reaches(t, "actions.org", r"^\* TODO \[#A\] Actions were tried")
    page.get_by_role("checkbox", name=re.compile("Done: Actions were tried")).click()
    reaches(t, "actions.org", r"^\* DONE \[#A\] Actions were tried")
    in_sync(t)


def check_a_slow_press_is_not_lost(t):
    """The screen changes while a finger is down: the click still arrives, and at what was pressed."""
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Pressed slowly")
    in_sync(t)
    tick = t.page.get_by_role("checkbox", name="Done: Pressed slowly")
    tick.evaluate("box => { box.isThatOfBefore = true; }")
    t.page.route("**/api/v1/items/*", lambda route: route.fulfill(status=404, json={"title": "Not Found", "status": 404}))
    tick.hover()
    t.page.mouse.down()
    require(tick.evaluate("box => box.matches(':active')"), "the box is not pressed")
    # As after news from the hub; the 404 puts a line above the entry. Nothing of it may depend on how fast that is.
    t.page.evaluate("import('/hub.js').then(hub => { void hub.caughtUp(); })")
    t.page.wait_for_timeout(6000)
    t.page.mouse.up()
    reaches(t, "actions.org", r"^\* DONE Pressed slowly$")
    t.page.get_by_text("The hub does not have this entry now.").wait_for()
    require(t.page.get_by_role("checkbox", name="Pressed slowly").evaluate("box => box.isThatOfBefore === true"), "the box is another one")


SUBSCRIPTION = """
const made = key => ({ endpoint: "https://fcm.googleapis.com/fcm/send/flow", options: { applicationServerKey: Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0)) },
  toJSON() { return { endpoint: this.endpoint, keys: { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }; },
  unsubscribe: async () => { own = null; return true; } });
let own = null;
PushManager.prototype.subscribe = async options => own = made(options.applicationServerKey);
PushManager.prototype.getSubscription = async () => own;
"""


class Worker:
    """The service worker of the hub: what a push service and the system's notifications do to it."""

    def __init__(self, t):
        self.t, self.registrations = t, []
        t.wait(lambda: t.page.evaluate("!!navigator.serviceWorker.controller"), PATIENCE, "the service worker is not in charge;")
        # An empty page, so that the client can be closed.
        self.page = t.context.new_page()
        self.session = t.context.new_cdp_session(self.page)
        self.session.on("ServiceWorker.workerRegistrationUpdated", lambda event: self.registrations.extend(event["registrations"]))
        self.session.send("ServiceWorker.enable")
        t.wait(lambda: self.registrations, PATIENCE, "no service worker;")

    def event(self, name, **members):
        self.session.send(f"ServiceWorker.{name}", {"origin": self.t.hub.origin, "registrationId": self.registrations[-1]["registrationId"], **members})

    def push(self, data):
        """Delivers a message until something is shown for it. On a busy machine, DevTools sometimes loses one without a word, for a reason that
        is not known; a push service would send it again."""
        tag, title = (json.loads(data)["tag"], None) if data.startswith("{") else (None, "syncd has a reminder")
        for _ in range(max(1, PATIENCE // 10)):
            self.event("deliverPushMessage", data=data)
            end = time.monotonic() + 10
            while time.monotonic() < end:
                if any(one[2] == tag if tag else one[0] == title for one in self.shown()):
                    return
                self.page.wait_for_timeout(100)
        raise Failure(f"nothing is shown for {data}: {self.run('Notification.permission')}, {self.shown()}")

    def run(self, script, argument=None):
        return self.t.context.service_workers[-1].evaluate(script, argument)

    def shown(self):
        return self.run("self.registration.getNotifications().then(all => all.map(n => [n.title, n.body, n.tag, n.actions.map(a => a.title).join()]).sort())")

    def press(self, tag, action, times=1):
        """Presses a button of a notification; returns when the worker has done what it does then."""
        return self.run("""async ({ tag, action, times }) => {
            const [notification] = await self.registration.getNotifications({ tag }), works = [];
            for (let n = 0; n < times; n++) {
                const event = new NotificationEvent("notificationclick", { notification, action });
                // Only an event of the browser itself may extend the life of the worker.
                Object.defineProperty(event, "waitUntil", { value: work => works.push(work) });
                self.dispatchEvent(event);
            }
            await Promise.all(works);
            return works.length; }""", {"tag": tag, "action": action, "times": times})


START = datetime.date.today()


def day(ahead=0):
    """The day on which the flows began, or one after it, as Org writes it: 2026-03-11 Wed."""
    return (START + datetime.timedelta(ahead)).strftime("%Y-%m-%d %a")


def alert_of(t, title):
    """The identifier of a date of today or of the next days, as the command line lists it."""
    import shlex, subprocess
    command = t.options.pair.replace(" pair ", f" alerts list --json --days 7 --at '{day()[:10]} 00:00' ")
    said = json.loads(subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=PATIENCE).stdout)
    return next(alert["id"] for alert in said["alerts"] if alert.get("title") == title)


def reminder_of(t, title, tag, dates="{}", dated=True):
    """The message of a reminder of an entry, as the hub sends it. Without its date, nothing closes it."""
    known = f"import('/db.js').then(db => db.all('items')).then(all => all.find(i => i.title === '{title}')?.id)"
    t.wait(lambda: t.page.evaluate(known), PATIENCE, f"the entry {title!r} is not on the device;")
    date = f'"date": "{alert_of(t, title)}", ' if dated else ""
    return f'{{"title": "TODO {title}", "body": "Scheduled", "tag": "{tag}", "entry": "{t.page.evaluate(known)}", {date}"finish": {{"from": "TODO", "to": "DONE", "dates": {dates}}}}}'


def pushed(t, worker, title, tag, dates="{}", dated=True):
    worker.push(reminder_of(t, title, tag, dates, dated))
    shown = [f"TODO {title}", "Scheduled", tag, "Done,In 1 hour" if dated else "Done"]
    t.wait(lambda: shown in worker.shown(), PATIENCE, lambda: f"the reminder is not shown with its buttons: {worker.shown()};")


def with_reminders(t, entries=""):
    if entries:
        write("reminders.org", entries)
    begin(t)
    in_sync(t)
    return Worker(t)


def check_done_from_a_reminder(t):
    """With the hub, and with the client in two tabs: once, however often the button is pressed."""
    stamp, later = f"<{day()} 14:30 +1w>", rf"^SCHEDULED: <{day(7)} 14:30 \+1w>$"
    worker = with_reminders(t, f"* TODO Repeating reminder\nSCHEDULED: {stamp}\n")
    other = t.context.new_page()
    t.open(page=other)
    in_sync(t, other)
    pushed(t, worker, "Repeating reminder", "done-1", f'{{"scheduled": "{stamp}"}}')
    require(worker.press("done-1", "done", times=2) == 2, "the press was not heard")
    reaches(t, "reminders.org", later)
    for page in (t.page, other):
        in_sync(t, page)
    # The same reminder again, as after a restart of the browser that has shown it.
    pushed(t, worker, "Repeating reminder", "done-1", f'{{"scheduled": "{stamp}"}}', dated=False)
    worker.press("done-1", "done")
    # And a second reminder of the same date, which comes too late: the browser says so, and the entry stays as it is.
    pushed(t, worker, "Repeating reminder", "done-2", f'{{"scheduled": "{stamp}"}}', dated=False)
    worker.press("done-2", "done")
    t.wait(lambda: ["The hub did not carry out an edit", "Decide what to do with it.", "refused", ""] in worker.shown(), PATIENCE, lambda: f"it does not say so: {worker.shown()};")
    reaches(t, "reminders.org", later)
    go(t, "refused")
    t.page.get_by_role("button", name="Keep the hub's").click()


def check_done_from_a_reminder_without_the_hub(t):
    """With the client closed: the browser sends it when it has a connection, or else the client when it is opened."""
    worker = with_reminders(t, "".join(f"* TODO {title}\nSCHEDULED: <{day()} 14:30>\n" for title in ("Reminded offline", "Reminded offline too")))
    for title, tag in (("Reminded offline", "off-1"), ("Reminded offline too", "off-2")):
        pushed(t, worker, title, tag)
    waiting = "new Promise(done => { indexedDB.open('syncd').onsuccess = e => { e.target.result.transaction('queue').objectStore('queue').getAll().onsuccess = r => { e.target.result.close(); done(r.target.result.length); }; }; })"
    t.page.close()
    t.page = worker.page
    with t.offline():
        worker.press("off-1", "done", times=2)
        require(worker.run(waiting) == 1, f"{worker.run(waiting)} edits wait")
        require("DONE Reminded offline" not in text("reminders.org"), "it was written although the hub is away")
    worker.event("dispatchSyncEvent", tag="send", lastChance=False)
    reaches(t, "reminders.org", r"^\* DONE Reminded offline$")
    t.wait(lambda: worker.run(waiting) == 0, PATIENCE, "the edit still waits;")
    with t.offline():
        worker.press("off-2", "done")
        require(worker.run(waiting) == 1, f"{worker.run(waiting)} edits wait")
    t.page = t.context.new_page()
    t.open()
    reaches(t, "reminders.org", r"^\* DONE Reminded offline too$")
    in_sync(t)


def check_a_reminder_is_shown_while_the_hub_is_silent(t):
    """It takes connections and does not answer, as a hub behind a bad connection. Chromium waits 90 seconds for the icon of a notification."""
    worker = with_reminders(t)
    message = '{"title": "TODO Dentist", "body": "Scheduled", "tag": "silent", "date": "0123456789abcdef"}'
    os.killpg(t.hub.process.pid, signal.SIGSTOP)
    try:
        worker.push(message)
        t.wait(worker.shown, 60, "it is not shown;")
        worker.press("silent", "snooze")
        require(worker.shown() == [["TODO Dentist", "Not put off: the hub cannot be reached.", "silent", "In 1 hour"]], f"what is shown: {worker.shown()}")
    finally:
        os.killpg(t.hub.process.pid, signal.SIGCONT)


def check_reminders(t):
    """A browser without a screen cannot subscribe, so the subscription is the flow's; what is pushed is shown by the browser itself."""
    t.page.add_init_script(SUBSCRIPTION)
    begin(t)
    in_sync(t)
    endpoint = lambda: t.page.evaluate("""import('/hub.js').then(async hub => { for (;;) {
        try { return (await hub.ask('GET', '/push')).value.endpoint; } catch (error) { if (error.status !== 429) throw error; await new Promise(done => setTimeout(done, 1000)); }
    } })""")
    go(t, "settings")
    t.page.get_by_role("button", name="Switch reminders on").click()
    t.wait(lambda: endpoint() == "https://fcm.googleapis.com/fcm/send/flow", PATIENCE, "the hub does not know the subscription;")
    # The browser has lost it: the client subscribes again.
    t.page.evaluate("import('/hub.js').then(hub => hub.ask('DELETE', '/push'))")
    t.page.reload()
    t.page.wait_for_selector("html[data-ready]", state="attached")
    t.wait(endpoint, PATIENCE, "the lost subscription is not renewed;")
    worker = Worker(t)
    for data in ('{"title": "TODO Dentist", "body": "Scheduled 2026-03-11 14:30", "tag": "t1", "date": "0123456789abcdef"}', "not JSON"):
        worker.push(data)
    both = [["TODO Dentist", "Scheduled 2026-03-11 14:30", "t1", "In 1 hour"], ["syncd has a reminder", "", "", ""]]
    t.wait(lambda: worker.shown() == both, PATIENCE, lambda: f"not both messages are shown, but {worker.shown()};")
    t.wait(lambda: t.page.evaluate("!!navigator.serviceWorker.controller"), PATIENCE, "the service worker is not in charge;")
    t.context.service_workers[-1].evaluate("clients.matchAll().then(pages => pages.forEach(page => page.postMessage({ route: '#/agenda' })))")
    t.wait(lambda: t.page.evaluate("location.hash") == "#/agenda", PATIENCE, "a reminder does not open its screen;")
    go(t, "settings")
    t.page.get_by_role("button", name="Switch reminders off").click()
    t.wait(lambda: endpoint() is None, PATIENCE, "the hub still has the subscription;")


def check_reminders_that_are_over_are_closed(t):
    """What is done or put off elsewhere, as soon as the open client hears of it."""
    worker = with_reminders(t)
    titles = ["Over done", "Over snoozed", "Over never"]
    write("over.org", "".join(f"* TODO {title}\nSCHEDULED: <{day(2)} 12:00>\n" for title in titles))
    for title in titles:
        worker.push(reminder_of(t, title, title))
    shown = lambda: sorted(tag for _, _, tag, _ in worker.shown())
    is_shown = lambda *wanted: t.wait(lambda: shown() == sorted(wanted), PATIENCE, lambda: f"shown are {shown()} instead of {sorted(wanted)};")
    is_shown(*titles)
    write("over.org", text("over.org").replace("TODO Over done", "DONE Over done"))
    is_shown(*titles[1:])
    other = t.another()
    t.open(page=other)
    other.evaluate(f"import('/hub.js').then(hub => hub.ask('POST', '/alerts/{alert_of(t, 'Over snoozed')}/snooze', {{ minutes: 60 }}))")
    is_shown(*titles[2:])


def check_before_and_after_an_event(t):
    """The checklist of an event: tasks are added without the hub, ticked, put back, and completed in one step."""
    begin(t)
    in_sync(t)
    page = t.page

    def add(title, side, event=None):
        page.get_by_role("button", name="Add a task").click()
        page.get_by_label("Task", exact=True).fill(title)
        page.get_by_label("When", exact=True).select_option(side)
        if event:
            page.get_by_label("Event", exact=True).fill(event)
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_text(f"Added “{title}”").wait_for()

    go(t, "bundles")
    with t.offline():
        add("Pack the charger", "Before", "go to work")
        page.get_by_role("link", name=re.compile("go to work")).click()
        page.get_by_role("heading", name="Before: go to work").wait_for()
        add("Water the plants", "Before")
        add("Close the windows", "Before")
        page.get_by_role("checkbox", name="This time: Pack the charger").click()
    reaches(t, "inbox.org", r"^\* TODO Pack the charger\n:PROPERTIES:\n:BEFORE: +go to work\n:END:$")
    reaches(t, "inbox.org", r"^:BEFORE: +go to work$", 3)
    in_sync(t)
    # What is ticked stays, although the entry has another identifier now.
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    tick = lambda title: page.get_by_role("checkbox", name=f"This time: {title}")
    t.wait(tick("Pack the charger").is_checked, PATIENCE, "the tick is gone;")
    tick("Water the plants").click()
    tick("Close the windows").click()
    page.get_by_role("button", name="Complete 3").wait_for()
    order = page.get_by_role("checkbox", name=re.compile("^This time")).evaluate_all("all => all.map(one => one.getAttribute('aria-label').slice(11))")
    require(order == ["Pack the charger", "Water the plants", "Close the windows"], f"the order is {order}")
    tick("Water the plants").click()
    page.get_by_role("button", name="Complete 2").click()
    hold(t, "2 done")
    reaches(t, "inbox.org", r"^\* DONE (Pack the charger|Close the windows)$", 2)
    reaches(t, "inbox.org", r"^\* TODO Water the plants$")
    page.get_by_role("heading", name="Done earlier").wait_for()
    page.get_by_role("button", name="Undo").click()
    reaches(t, "inbox.org", r"^\* TODO (Pack the charger|Close the windows)$", 2)
    page.get_by_role("link", name="Water the plants").click()
    page.get_by_role("button", name="Before or after: before go to work").click()
    page.get_by_label("Before", exact=True).fill("")
    page.get_by_label("After", exact=True).fill("the journey")
    page.get_by_role("button", name="Save", exact=True).click()
    reaches(t, "inbox.org", r"^:AFTER: +the journey$")
    reaches(t, "inbox.org", r"^:BEFORE: +go to work$", 2)
    go(t, "bundles")
    t.wait(lambda: re.findall("go to work|the journey", page.locator("main").inner_text()) == ["go to work", "the journey"], PATIENCE, lambda: f"the events are {page.locator('main').inner_text()!r};")
    in_sync(t)


def check_review(t):
    """The inbox one entry at a time, then the tasks of today, then one of them; without the hub, the day is counted when it is back."""
    # Before the page is opened, which keeps the targets.
    write("shelf.org", "* Review shelf\n")
    begin(t)
    t.allow("status of 404")
    page = t.page
    write("inbox.org", "".join(f"* {title}\n" for title in ("Review today", "Review later", "Review file", "Review drop", "Review next week", "Review archive")))
    write("chosen.org", "* TODO Review chosen\nDEADLINE: <2026-03-10 Tue>\n* TODO [#A] Review not chosen\nSCHEDULED: <2026-03-10 Tue>\n")
    go(t, "inbox")
    page.get_by_role("link", name="Review one by one").click()

    def asked(title):
        t.wait(lambda: page.locator(".review-title").all_inner_texts() == [title], PATIENCE, lambda: f"it asks about {page.locator('main').inner_text()!r} instead of {title};")

    asked("Review today")
    # A double click decides about one entry.
    page.get_by_role("button", name="Do it today").dblclick()
    reaches(t, "inbox.org", r"^\* TODO \[#A\] Review today\nSCHEDULED: <")
    asked("Review later")
    page.keyboard.press(page.get_by_role("button", name="Later").get_attribute("aria-keyshortcuts"))
    asked("Review file")
    page.get_by_role("button", name="File it").click()
    page.locator("dialog").get_by_label("Search").fill("review shelf")
    page.locator("dialog").get_by_role("button", name="shelf.org/Review shelf").click()
    reaches(t, "shelf.org", r"^\*\* Review file$")
    asked("Review drop")
    page.get_by_role("button", name="Drop it").click()
    hold(t, "Dropped “Review drop”")
    reaches(t, "inbox.org", "Review drop", 0)
    page.get_by_role("button", name="Undo").click()
    reaches(t, "inbox.org", r"^\* Review drop$")
    asked("Review drop")
    page.get_by_role("button", name="Drop it").click()
    asked("Review next week")
    page.get_by_role("button", name="Schedule it").click()
    page.locator("dialog").get_by_role("button", name="Next week").click()
    reaches(t, "inbox.org", r"^\* Review next week\nSCHEDULED: <")
    asked("Review archive")
    page.get_by_role("button", name="Archive it").click()
    reaches(t, "inbox.org", "Review archive|Review drop", 0)
    page.get_by_role("heading", name="What is today about?").wait_for()
    in_sync(t)
    choice = lambda title: page.get_by_role("button", name=re.compile(f"^{title}"))
    t.wait(lambda: choice("Review not chosen").get_attribute("aria-pressed") == "true" and choice("Review today").is_visible(), PATIENCE, lambda: f"the tasks of today are not listed: {page.locator('main').inner_html()[:2000]};")
    with t.offline():
        choice("Review not chosen").click()
        choice("Review chosen").click()
        page.get_by_role("button", name=re.compile("^Do th(is|ese)")).click()
        t.wait(lambda: page.get_by_role("button", name="Not now").is_visible(), PATIENCE, "it names no task to begin with;")
        require("Reviewed 1 day in a row" in page.locator("main").inner_text(), page.locator("main").inner_text())
    reaches(t, "chosen.org", r"^\* TODO \[#A\] Review chosen$")
    reaches(t, "chosen.org", r"^\* TODO Review not chosen$")
    in_sync(t)
    begun = page.locator(".review-title").inner_text()
    page.get_by_role("button", name="Done", exact=True).click()
    t.wait(lambda: page.locator(".review-title").all_inner_texts() != [begun], PATIENCE, "the first task stays;")
    # The day reaches the hub with the next start of the page.
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    counted = "import('/hub.js').then(hub => hub.ask('GET', '/review')).then(answer => [answer.value.done, answer.value.streak])"
    t.wait(lambda: page.evaluate(counted) == [True, 1], PATIENCE, "the hub does not count the day;")
    in_sync(t)


def check_nearby(t):
    """What is to be done here comes first, in words that the person can follow; the place of an entry is set by being there."""
    begin(t)
    write("places.org", "".join(f"* TODO Place {name}\n:PROPERTIES:\n:{key}: {value}\n:END:\n" for name, key, value in (
        ("far", "LOCATION", "geo:48.3000,16.3738"), ("here", "COORDINATES", "48.2085,16.3738"), ("wide", "COORDINATES", "48.2262,16.3738\n:LOCATION_RADIUS: 3000")))
        + "* TODO Place unknown\n")
    t.page.context.grant_permissions(["geolocation"], origin=t.hub.origin)
    t.page.context.set_geolocation({"latitude": 48.2082, "longitude": 16.3738})
    open_entry(t, "Place unknown")
    t.page.get_by_role("button", name="Set place").click()
    dialog = t.page.locator("dialog")
    dialog.get_by_label("Latitude and longitude").fill("here and there")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("in degrees").wait_for()
    dialog.get_by_role("button", name="Here").click()
    t.wait(lambda: dialog.get_by_label("Latitude and longitude").input_value() == "48.20820,16.37380", PATIENCE, "the position is not filled in;")
    dialog.get_by_role("button", name="Save").click()
    reaches(t, "places.org", r"^\* TODO Place unknown\n:PROPERTIES:\n:COORDINATES: +48\.20820,16\.37380\n:END:$")
    in_sync(t)
    go(t, "nearby")
    with t.offline():
        t.page.get_by_role("button", name="Find what is near").click()
        t.page.get_by_role("heading", name="Further away").wait_for()
        shown = t.page.locator("main").inner_text()
        order = list(dict.fromkeys(re.findall(r"Here|Further away|Place \w+|\d[\d.]* k?m [a-z-]+", shown)))
        require(order == ["Here", "Place unknown", "0 m north", "Place here", "30 m north", "Place wide", "2.0 km north", "Further away", "Place far", "10 km north"], f"{order}")
    words = t.page.evaluate("""import('/places.js').then(p => [[1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]].map(([latitude, longitude]) => p.direction({ latitude: 0, longitude: 0 }, { latitude, longitude }))
        .concat(['', '1', '91,0', '0,181', 'a,b', ',', '1,2,3'].map(text => !!p.placeOf({ properties: { location: text } })), [p.inWords(994), p.inWords(1234), p.inWords(12345)]))""")
    require(words == ["north-east", "east", "south", "south-west", "west", False, False, False, False, False, False, True, "990 m", "1.2 km", "12 km"], f"{words}")


def check_what_other_apps_share_becomes_a_capture(t):
    begin(t)
    in_sync(t)
    t.open("/?title=An%20article&text=Worth%20reading%0AAn%20article&url=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1")
    t.page.locator("#capture-title").wait_for()
    require(t.page.evaluate("location.pathname + location.search + location.hash") == "/#/capture", "the address still has what was shared")
    t.page.reload()
    t.page.wait_for_selector("html[data-ready]", state="attached")
    require(t.page.locator("#capture-title").input_value() == "An article", "the title is not that of the page")
    t.page.get_by_role("button", name="Save", exact=True).click()
    reaches(t, "inbox.org", r"^\* TODO An article\n\[.*\]\nWorth reading\nhttps://example\.org/a\?b=1$")
    in_sync(t)
    made = t.page.evaluate("""import('/shared.js').then(({ withShared }) => [withShared(undefined, { text: ' https://a.b ' }), withShared({ title: 'Typed', body: 'Before' }, { title: 'T', text: 'x\\ny' }), withShared({ title: 'Typed' }, {})].map(d => `${d.title}|${d.body ?? ''}`))""")
    require(made == ["https://a.b|", "Typed|Before\nT\nx\ny", "Typed|"], f"{made}")


def check_undo_of_an_entry_that_repeats(t):
    """Its state is the former one again at once, and its date has moved on."""
    begin(t)
    write("weekly.org", "* TODO Every week\nSCHEDULED: <2026-03-11 Wed 14:30 +1w>\n")
    go(t, "search/Every")
    t.page.get_by_role("checkbox", name="Done: Every week").click()
    hold(t, "Every week: DONE")
    reaches(t, "weekly.org", r"^SCHEDULED: <2026-03-18 Wed 14:30 \+1w>$")
    in_sync(t)
    t.page.get_by_role("button", name="Undo").click()
    reaches(t, "weekly.org", r"^\* TODO Every week\nSCHEDULED: <2026-03-11 Wed 14:30 \+1w>$")
    in_sync(t)


def check_capture_with_a_template(t):
    begin(t)
    t.page.get_by_role("link", name="Capture", exact=True).click()
    t.page.get_by_role("button", name="Book").click()
    t.page.locator("#capture-title").fill("Middlemarch")
    t.page.get_by_role("button", name="Save", exact=True).click()
    reaches(t, "books.org", r"^\* TODO Middlemarch")
    in_sync(t)


def confirm(t, name):
    t.page.get_by_role("dialog").get_by_role("button", name=name).click()


def delete(t):
    """Deletes the entry that is shown, and waits until its screen has left with it."""
    t.page.get_by_role("button", name="Delete", exact=True).click()
    confirm(t, "Delete")
    t.wait(lambda: not address(t).startswith("#/item/"), PATIENCE, "the screen of a deleted entry stays;")


def check_a_person_who_goes_elsewhere_while_an_edit_is_kept_stays_there(t):
    begin(t)
    for title, action in [("Deleted in passing", "delete"), ("Archived in passing", "archive")]:
        open_entry(t, title)
        in_sync(t)
        button = t.page.locator(f"[data-action={action}]")
        if action == "delete":
            button.click()
            button = t.page.get_by_role("dialog").get_by_role("button", name="Delete")
        # In one turn of the page, so that the edit can't be kept in between.
        button.evaluate("button => { button.click(); location.hash = '#/agenda'; }")
        reaches(t, "actions.org", title, 0)
        in_sync(t)
        require(address(t) == "#/agenda", f"the page went to {address(t)!r}")


def check_a_device_without_the_entries_does_not_say_that_it_is_in_sync(t):
    """The sign for which a person waits before the train enters the tunnel."""
    pages = "**/api/v1/items?limit=200*"
    t.page.route(pages, lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json={"title": "Busy", "status": 503}))
    begin(t)
    t.wait(lambda: status(t.page) == "Reading entries", PATIENCE, lambda: f"it says {status(t.page)!r};")
    require(t.page.locator("html[data-complete]").count() == 0, "the page says that it has all that it needs without the hub")
    # It asks again by itself.
    t.page.unroute(pages)
    in_sync(t)
    with t.offline():
        open_entry(t, "Target heading")


def check_a_deletion_of_what_is_gone_holds_up_nothing(t):
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Deleted on both devices")
    in_sync(t)
    go(t, "search/Deleted")
    with t.offline():
        # The hub has not said the revision of what is below it, as with an entry that is known from a list only.
        t.page.evaluate("""import('/db.js').then(db => db.transaction('items', async s => {
            for (const item of await s.items.all()) if (item.title === 'Deleted on both devices') await s.items.put({ ...item, subtreeRevision: undefined }); }))""")
        open_entry(t, "Deleted on both devices")
        delete(t)
        t.wait(lambda: "1 waiting" in status(t.page), PATIENCE, "the deletion is not kept;")
        write("actions.org", text("actions.org").replace("* TODO Deleted on both devices\n", ""))
        open_entry(t, "Behind it in the queue")
        t.page.get_by_role("checkbox", name="Done: Behind it in the queue").click()
        t.wait(lambda: "2 waiting" in status(t.page), PATIENCE, "the tick is not kept;")
    reaches(t, "actions.org", r"^\* DONE Behind it in the queue$")
    in_sync(t)


def check_an_entry_is_edited_and_deleted_without_the_hub(t):
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Edited and deleted")
    in_sync(t)
    with t.offline():
        t.page.get_by_role("checkbox", name="Done: Edited and deleted").click()
        t.wait(lambda: "1 waiting" in status(t.page), PATIENCE, "the tick is not kept;")
        delete(t)
        t.wait(lambda: "2 waiting" in status(t.page), PATIENCE, "the deletion is not kept;")
    reaches(t, "actions.org", r"Edited and deleted", 0)
    in_sync(t)


def check_a_deletion_of_what_was_changed_is_decided_by_the_person(t):
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Changed before its deletion")
    in_sync(t)
    with t.offline():
        delete(t)
        t.wait(lambda: "1 waiting" in status(t.page), PATIENCE, "the deletion is not kept;")
        write("actions.org", text("actions.org").replace("* TODO Changed before its deletion\n", "* TODO Changed before its deletion\nNews.\n"))
    go(t, "refused")
    t.page.get_by_role("button", name="Keep the entry").wait_for()
    require("News." in text("actions.org"), "it was deleted without a question")
    t.page.get_by_role("button", name="Delete it").click()
    reaches(t, "actions.org", r"Changed before its deletion", 0)
    in_sync(t)


def check_edits_wait_for_a_new_pairing(t):
    """The cookie of a browser ends after a year without an edit; what it has not sent is sent after it was paired again."""
    begin(t)
    t.allow("status of 401")
    open_entry(t, "Edited again after pairing")
    in_sync(t)
    t.page.get_by_role("button", name="Set priority").click()
    t.page.get_by_role("button", name="A highest").click()
    reaches(t, "actions.org", r"^\* TODO \[#A\] Edited again after pairing$")
    in_sync(t)
    # A batch of the former device in the second in which the new one is paired would count as one since.
    t.page.wait_for_timeout(1_500)
    t.context.clear_cookies()
    t.page.get_by_role("checkbox", name="Done: Edited again after pairing").click()
    t.page.get_by_text("This device is not paired").wait_for()
    t.page.goto(pairing_link(t))
    t.page.wait_for_selector("html[data-ready]", state="attached")
    reaches(t, "actions.org", r"^\* DONE \[#A\] Edited again after pairing$")
    in_sync(t)


def check_checkbox_in_the_text(t):
    begin(t)
    open_entry(t, "Shopping with boxes")
    t.page.get_by_label("Eggs").click()
    reaches(t, "actions.org", r"^- \[X\] Eggs$")


def check_refile_and_archive(t):
    begin(t)
    open_entry(t, "Move me elsewhere")
    t.page.get_by_role("button", name="Refile").click()
    t.page.get_by_label("Search").fill("target")
    t.page.get_by_role("button", name=re.compile("Target heading")).click()
    reaches(t, "target.org", r"^\*\* TODO Move me elsewhere$")
    reaches(t, "actions.org", r"Move me elsewhere", 0)
    open_entry(t, "Archive me please")
    t.page.get_by_role("button", name="Archive").click()
    reaches(t, "actions.org", r"Archive me please", 0)
    t.wait(lambda: "Archive me please" in "".join(p.read_text() for p in STORE.glob("*archive*")), PATIENCE, "no archive file has the archived entry;")


def check_a_target_that_is_not_on_the_device(t):
    """Of many headings, the device keeps some only; the hub finds the others."""
    begin(t)
    t.page.route("**/api/v1/targets?level=2&limit=2000", lambda route: route.fulfill(json={"targets": [], "more": True}))
    t.page.evaluate("import('/db.js').then(db => db.remove('cache', '/targets?level=2&limit=2000'))")
    open_entry(t, "Move me far away")
    t.page.get_by_role("button", name="Refile").click()
    t.page.get_by_label("Search").fill("target heading")
    t.page.get_by_role("button", name="target.org/Target heading", exact=True).click()
    reaches(t, "target.org", r"^\*\* TODO Move me far away$")
    in_sync(t)
    # It is one of the last targets now, although it is not on the list.
    open_entry(t, "Move me after it")
    t.page.get_by_role("button", name="Refile").click()
    t.page.get_by_role("button", name=re.compile("Target heading")).first.click()
    reaches(t, "target.org", r"^\*\* TODO Move me after it$")


def check_undo(t):
    begin(t)
    open_entry(t, "Done by mistake")
    before = text("actions.org")
    t.page.get_by_role("checkbox", name=re.compile("Done: Done by mistake")).click()
    hold(t, "Done by mistake: DONE")
    reaches(t, "actions.org", r"^\* DONE Done by mistake$")
    t.page.get_by_role("button", name="Undo").click()
    reaches(t, "actions.org", r"^\* TODO Done by mistake$")
    t.wait(lambda: text("actions.org") == before, PATIENCE, "undo does not give the former bytes;")
    in_sync(t)
    # An edit that was not sent leaves no trace.
    with t.offline():
        t.wait(lambda: "Offline" in status(t.page), PATIENCE, "it does not notice that the hub is away;")
        capture(t, "Never mind this")
        t.page.get_by_role("button", name="Undo").click()
        t.wait(lambda: "waiting" not in status(t.page), PATIENCE, "the queue still has the capture;")
    in_sync(t)
    require("Never mind this" not in text("inbox.org"), "an undone capture was sent")
    capture(t, "But this I want")
    reaches(t, "inbox.org", r"^\* TODO But this I want$")


def check_conflict_is_decided_by_the_person(t):
    begin(t)
    other = t.another()
    t.open(page=other)
    t.allow("status of 404")
    for title, mine in (("Contested title one", True), ("Contested title two", False)):
        open_entry(t, title)
        in_sync(t)
        t.page.context.set_offline(True)
        t.away = True
        t.page.locator("#entry-title").fill(f"Phone {title}")
        t.page.locator("#entry-title").blur()
        t.wait(lambda: "1 waiting" in status(t.page), PATIENCE, "the edit is not kept;")
        open_entry(t, title, other)
        other.locator("#entry-title").fill(f"Desktop {title}")
        other.locator("#entry-title").blur()
        reaches(t, "conflict.org", f"^\\* Desktop {title}$")
        t.page.context.set_offline(False)
        go(t, "refused")
        t.page.get_by_role("button", name="Apply my choice").wait_for(timeout=PATIENCE * 1000)
        t.away = False
        shown = t.page.locator("main").inner_text()
        require(f"Phone {title}" in shown and f"Desktop {title}" in shown, f"not both versions are shown: {shown!r}")
        if mine:
            t.shot("film-5-conflict")
        choice = t.page.get_by_role("radio", name=re.compile("^Yours" if mine else "^The hub"))
        # By its label: what is drawn again in that moment must not undo it.
        t.page.locator(".side", has=choice).click()
        t.wait(choice.is_checked, PATIENCE, "the choice is not taken;")
        capture(t, f"News beside {title}", other)
        reaches(t, "inbox.org", f"^\\* TODO News beside {title}$")
        t.page.wait_for_timeout(1_000)
        require(choice.is_checked(), "the choice is undone by news from the hub")
        t.page.get_by_role("button", name="Apply my choice").click()
        reaches(t, "conflict.org", f"^\\* {'Phone' if mine else 'Desktop'} {title}$")
        reaches(t, "conflict.org", f"{'Desktop' if mine else 'Phone'} {title}", 0)
        t.wait(lambda: "Nothing to decide" in t.page.locator("main").inner_text(), PATIENCE, "the list is not empty;")
        if mine:
            t.shot("film-6-resolved")


def check_both_sides_edit_different_fields(t):
    """The phone edits the title without the hub, an editor the text: both are kept without a question."""
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Title of the phone")
    in_sync(t)
    with t.offline():
        t.page.locator("#entry-title").fill("New title of the phone")
        t.page.locator("#entry-title").blur()
        t.wait(lambda: "1 waiting" in status(t.page), PATIENCE, "the edit is not kept;")
        write("fields.org", text("fields.org").replace("Text of the editor.", "New text of the editor."))
    reaches(t, "fields.org", r"^\* New title of the phone\nNew text of the editor\.$")
    in_sync(t)
    go(t, "refused")
    t.wait(lambda: "Nothing to decide" in t.page.locator("main").inner_text(), PATIENCE, "there is a question;")


def check_other_devices_hear_of_it(t):
    begin(t)
    other = t.another()
    t.open("/#/inbox", page=other)
    in_sync(t, other)
    capture(t, "Told to the other")
    t.wait(lambda: "Told to the other" in other.locator("main").inner_text(), PATIENCE, "the other device does not show it;")


def check_hostile_texts_are_text(t):
    t.page.add_init_script("window.alert = () => { window.struck = true; }")
    begin(t)
    for route in ("search/hostile", "files", "tags"):
        go(t, route)
        t.page.wait_for_timeout(300)
    go(t, "search/hostile")
    t.page.locator(".row-link", has_text="hostile").first.wait_for()
    shown = t.page.locator("main").inner_text()
    require("<img src=x onerror=alert(1)>" in shown, f"markup is not shown as text: {shown!r}")
    require("\u202e" not in shown and "[U+202E]" in shown, "a sign that turns the writing direction is not made visible")
    t.page.locator(".row-link", has_text="hostile").first.click()
    t.page.locator(".prose").wait_for()
    require(t.page.locator("main img, main script, main b").count() == 0, "markup became elements")
    require(t.page.locator("main a[href^=javascript]").count() == 0, "a script became a link")
    require(not t.page.evaluate("!!window.struck"), "a script ran")


def check_keyboard_only(t):
    begin(t)
    in_sync(t)
    keys = t.page.keyboard
    keys.press("c")
    t.page.locator("#capture-title:focus").wait_for()
    keys.type("Typed without a mouse")
    keys.press("Control+Enter")
    reaches(t, "inbox.org", r"^\* TODO Typed without a mouse$")
    keys.press("/")
    t.page.locator("#words:focus").wait_for()
    keys.type("Keyboard")
    # Between two letters, a slow search shows the entries that have those before.
    t.wait(lambda: address(t) == "#/search/Keyboard" and t.page.locator(".row-link").count() == 1, PATIENCE, "the search does not end;")
    t.page.locator(".row-link", has_text="Keyboard entry").wait_for()
    keys.press("Escape")
    keys.press("j")
    t.page.locator(".row-link:focus").wait_for()
    keys.press("x")
    reaches(t, "actions.org", r"^\* DONE Keyboard entry$")
    keys.press("u")
    reaches(t, "actions.org", r"^\* TODO Keyboard entry$")
    keys.press("j")
    t.page.locator(".row-link:focus").wait_for()
    keys.press("Enter")
    t.page.locator("#entry-title").wait_for()
    keys.press("s")
    t.page.locator("dialog[open] .day-choice:focus").wait_for()
    keys.press("Enter")
    reaches(t, "actions.org", r"^\* TODO Keyboard entry\nSCHEDULED: <")
    keys.press("?")
    t.page.get_by_role("heading", name="Keyboard").wait_for()
    keys.press("Escape")
    # Two keys belong together if they follow at once; for a busy machine, the clock of the page stands still between them.
    t.page.evaluate("Date.now = (now => () => now)(Date.now())")
    keys.press("g")
    keys.press("a")
    t.page.get_by_role("heading", name="Agenda", level=1).wait_for()


def check_a_text_that_is_being_typed_survives_a_reload(t):
    begin(t)
    open_entry(t, "Draft survives")
    t.page.get_by_role("button", name="Edit").click()
    t.page.locator("#text").fill("Unfinished business")
    t.wait(lambda: t.page.evaluate("import('/db.js').then(db => db.all('drafts')).then(all => all.some(d => d.text === 'Unfinished business'))"), PATIENCE, "the draft is not kept;")
    t.page.reload()
    t.page.wait_for_selector("html[data-ready]", state="attached")
    require(t.page.locator("#text").input_value() == "Unfinished business", "the typed text is gone")
    t.page.get_by_role("button", name="Save text").click()
    reaches(t, "actions.org", r"^Unfinished business$")


SCREENS = ["", "agenda", "capture", "inbox", "search/hostile", "files", "tags", "habits", "bundles", "bundles/before/leave%20the%20house", "review", "nearby", "conflicts", "holds", "status", "devices", "history", "settings", "menu"]


def check_axe_on_every_screen(t):
    import importlib.util
    spec = importlib.util.find_spec("axe_playwright_python")
    if not spec:
        raise Skipped("*** axe-core is not installed; make setup-tests installs it ***")
    script = sorted(pathlib.Path(spec.origin).parent.rglob("axe*.js"))[0].read_text() + "\n;0"
    write("events.org", "* TODO Charge the phone\n:PROPERTIES:\n:BEFORE: leave the house\n:END:\n* DONE Close the door\n:PROPERTIES:\n:BEFORE: leave the house\n:END:\n")
    begin(t)
    in_sync(t)
    found = []
    # The scheme changes colours and nothing else, so by night only the contrast is looked at.
    rules = {"light": "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']", "dark": "['color-contrast']"}
    # What is still moving or half transparent has other colours.
    still = "Promise.allSettled(document.getAnimations().filter(a => a.effect.getComputedTiming().endTime !== Infinity).map(a => a.finished))"
    look = lambda where: found.extend(f"{where}: {v['id']} {v['nodes'][0]['html'][:120]}" for v in t.page.evaluate(
        f"{still}.then(() => axe.run(document, {{runOnly: {rules[scheme]}}}))")["violations"])
    t.page.evaluate(script)
    for scheme in ("light", "dark"):
        t.page.emulate_media(color_scheme=scheme)
        for route in SCREENS:
            go(t, route)
            t.page.wait_for_timeout(150)
            look(f"{route or 'home'} {scheme}")
            wide = t.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
            require(wide <= 0, f"{route or 'home'} has to be scrolled sideways by {wide} pixels")
        open_entry(t, "Shopping with boxes")
        look(f"entry {scheme}")
        t.page.get_by_role("button", name="Set schedule").click()
        t.page.wait_for_timeout(250)
        look(f"date {scheme}")
        t.page.keyboard.press("Escape")
    require(not found, "; ".join(found[:5]))


def check_revoked_device_forgets(t):
    begin(t)
    in_sync(t)
    other = t.another()
    t.open("/#/devices", page=other)
    # The other device revokes the first one; both have the same name, and only the other says "This device".
    mine = t.page.evaluate("fetch('/api/v1/devices').then(r => r.json()).then(v => v.devices.find(d => d.current).id)")
    t.allow("401|ERR_|Failed to load")
    other.locator(f"li[data-key='{mine}']").get_by_role("button", name=re.compile("^Revoke")).click()
    other.locator("dialog").get_by_role("button", name="Revoke").click()
    t.page.get_by_role("heading", name="This device is not paired").wait_for(timeout=PATIENCE * 1000)
    t.wait(lambda: t.page.evaluate("import('/db.js').then(db => db.all('items')).then(all => all.length)") == 0, PATIENCE, "the device still keeps entries;")


def check_a_former_version_of_an_entry_is_restored(t):
    write("versions.org", "* Stays as it is\n* TODO Version one\nThe first text.\n** Below stays\n")
    begin(t)
    t.allow("status of 404")
    open_entry(t, "Version one")
    t.page.get_by_role("button", name="Edit").click()
    t.page.locator("#text").fill("The second text.")
    t.page.get_by_role("button", name="Save text").click()
    reaches(t, "versions.org", r"^The second text\.$")
    t.page.locator("#entry-title").fill("Version two")
    t.page.locator("#entry-title").blur()
    reaches(t, "versions.org", r"^\* TODO Version two$")
    in_sync(t)
    t.page.get_by_role("link", name="History", exact=True).click()
    cards = t.page.locator("main li.card")
    t.wait(lambda: cards.count() >= 2, PATIENCE, "the versions are not listed;")
    newest = cards.first.inner_text()
    require("Version one" in newest and "Version two" in newest and "edited by" in newest, f"the newest version says {newest!r}")
    require(cards.first.get_by_role("button", name=re.compile("^Restore")).count() == 0, "the present version can be restored")
    oldest = cards.last
    oldest.get_by_text("The entry then").click()
    require("The first text." in oldest.inner_text(), f"the oldest version says {oldest.inner_text()!r}")
    oldest.get_by_role("button", name=re.compile("^Restore")).click()
    hold(t, "Former version restored")
    reaches(t, "versions.org", r"^\* TODO Version one\nThe first text\.\n\*\* Below stays$")
    t.page.get_by_role("button", name="Undo").click()
    reaches(t, "versions.org", r"^\* TODO Version two\nThe second text\.\n\*\* Below stays$")


# The most presses that an action may take.
BUDGET = {"Capture": 2, "Mark as done": 1, "Schedule for tomorrow": 2, "Refile to a recent place": 2, "Start the clock": 2, "Stop the clock": 1}

# Counts presses of fingers and keys. Letters that are typed into a field are text.
COUNTER = """(() => { window.presses = { taps: 0, keys: 0 };
    addEventListener('pointerdown', event => { if (event.isTrusted) presses.taps++; }, true);
    addEventListener('keydown', event => {
        const typed = event.target.closest?.('input, textarea') && !event.ctrlKey && (event.key.length === 1 || event.key === 'Backspace');
        if (event.isTrusted && !typed && !['Control', 'Shift'].includes(event.key)) presses.keys++;
    }, true); })()"""


def documented_presses():
    """The table of the documentation: taps and keys by action."""
    page = pathlib.Path(__file__).resolve().parents[3] / "docs/web-client.md"
    section = page.read_text().split("## How many taps", 1)[-1].split("\n## ", 1)[0]
    return {action: (int(taps), int(keys)) for action, taps, keys in re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d+) \| (\d+) \|$", section, re.M)}


def check_taps_and_keys_of_each_action(t):
    """Counted where the page gets them, and compared with the budget and with the documentation."""
    names = {by: {verb: f"{verb} {by}" for verb in ("Ticked", "Planned", "Filed", "Timed")} for by in ("by finger", "by key")}
    write("presses.org", "* Shelf for presses\n* TODO Filed before all\n" + "".join(f"* TODO {title}\n" for titles in names.values() for title in titles.values()))
    t.page.add_init_script(COUNTER)
    begin(t)
    in_sync(t)
    page, counted = t.page, {}
    tap = lambda locator: locator.tap() if t.page.evaluate("navigator.maxTouchPoints") else locator.click()
    button = lambda name: page.get_by_role("button", name=name)

    def count(action, kind, act):
        page.evaluate("Object.assign(presses, { taps: 0, keys: 0 })")
        act()
        seen = page.evaluate("presses")
        other = "keys" if kind == "taps" else "taps"
        require(seen[other] == 0, f"{action} took {seen[other]} {other}, too")
        counted.setdefault(action, {})[kind] = seen[kind]

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    open_entry(t, "Filed before all")
    button("Refile").click()
    page.get_by_label("Search").fill("shelf presses")
    page.get_by_role("button", name="presses.org/Shelf for presses", exact=True).click()
    reaches(t, "presses.org", r"^\*\* TODO Filed before all$")
    for by, kind in (("by finger", "taps"), ("by key", "keys")):
        isKeys, title = kind == "keys", names[by]

        def captures():
            press("c") if isKeys else tap(page.get_by_role("link", name="Capture", exact=True))
            page.locator("#capture-title:focus").wait_for()
            page.keyboard.type(f"Captured {by}")
            press("Control+Enter") if isKeys else tap(page.get_by_role("button", name="Save", exact=True))

        go(t, "")
        page.get_by_role("heading", name="Today").wait_for()
        count("Capture", kind, captures)
        reaches(t, "inbox.org", f"^\\* TODO Captured {by}$")

        def ticks():
            press("j") if isKeys else None
            press("x") if isKeys else tap(page.get_by_role("checkbox", name=f"Done: {title['Ticked']}"))

        go(t, f"search/{title['Ticked']}")
        page.get_by_role("checkbox", name=f"Done: {title['Ticked']}").wait_for()
        page.evaluate("document.activeElement.blur()")
        count("Mark as done", kind, ticks)
        reaches(t, "presses.org", f"^\\* DONE {title['Ticked']}$")

        def plans():
            press("s") if isKeys else tap(button("Set schedule"))
            page.locator("dialog[open] .day-choice:focus").wait_for()
            press("Tab", "Enter") if isKeys else tap(button(re.compile("^Tomorrow")))

        open_entry(t, title["Planned"])
        tomorrow = page.evaluate("import('/dates.js').then(d => d.plus(d.today(), 1))")
        count("Schedule for tomorrow", kind, plans)
        reaches(t, "presses.org", f"^\\* TODO {title['Planned']}\\nSCHEDULED: <{tomorrow} ")

        def files():
            press("r") if isKeys else tap(button("Refile"))
            page.locator("dialog[open] .choice:focus").wait_for()
            press("Enter") if isKeys else tap(page.locator("dialog[open] .choice", has_text="recent"))

        open_entry(t, title["Filed"])
        count("Refile to a recent place", kind, files)
        reaches(t, "presses.org", f"^\\*\\* TODO {title['Filed']}$")

        open_entry(t, title["Timed"])
        count("Start the clock", kind, lambda: press("i") if isKeys else tap(button("Clock in")))
        reaches(t, "presses.org", f"^\\* TODO {title['Timed']}\\n(:LOGBOOK:\\n)?CLOCK: \\[[^]]*\\]$")
        in_sync(t)
        # The hub has answered, and the entry still says that its clock runs.
        button("Clock out").wait_for()
        go(t, "")
        stop = button(f"Stop the clock: {title['Timed']}")
        stop.wait_for()
        count("Stop the clock", kind, lambda: press("i") if isKeys else tap(stop))
        reaches(t, "presses.org", f"^\\* TODO {title['Timed']}\\n(:LOGBOOK:\\n)?CLOCK: \\[[^]]*\\]--\\[")
        in_sync(t)
        t.wait(lambda: stop.count() == 0, PATIENCE, "Home still shows the clock;")
    taps = {action: seen["taps"] for action, seen in counted.items()}
    over = {action: taps[action] for action, most in BUDGET.items() if taps[action] > most}
    require(not over, f"more taps than the budget {BUDGET} allows: {over}")
    measured = {action: (seen["taps"], seen["keys"]) for action, seen in counted.items()}
    require(documented_presses() == measured, f"docs/web-client.md says {documented_presses()}, counted were {measured}")


def check_a_paired_device_pairs_another_by_its_qr_code(t):
    """The code is read from the pixels of the screen, by a program that knows nothing of the page."""
    if not shutil.which("zbarimg"):
        raise Skipped("*** zbarimg is not installed; make setup-tests installs it ***")
    begin(t)
    in_sync(t)
    go(t, "devices")
    t.page.get_by_role("button", name="Show a code").click()
    drawing = t.page.get_by_role("img", name="QR code of the link")
    drawing.wait_for()
    link = t.page.locator("#pair-link").text_content()
    for scheme in ("dark", "light"):
        t.page.emulate_media(color_scheme=scheme)
        with tempfile.NamedTemporaryFile(suffix=".png") as picture:
            drawing.screenshot(path=picture.name)
            read = subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture.name], capture_output=True, text=True)
        require(read.stdout.strip() == link, f"zbarimg read {read.stdout!r} {read.stderr!r} by {scheme} instead of {link!r}")
    other = t.another(pair=False)
    other.goto(read.stdout.strip())
    other.get_by_role("link", name="Agenda", exact=True).wait_for()
    in_sync(t, other)
    # The first device shows the other one, and no longer the code, which a third one cannot use.
    t.wait(lambda: drawing.count() == 0, PATIENCE, "the code that was used is still shown;")
    mine = "fetch('/api/v1/devices').then(r => r.json()).then(v => v.devices.find(d => d.current).id)"
    theirs = other.evaluate(mine)
    t.page.locator(f"li[data-key='{theirs}']").wait_for()
    require(theirs != t.page.evaluate(mine), "the other device has the session of the first one")
    t.allow("status of 403")
    third = t.another(pair=False)
    third.goto(link)
    third.get_by_text("This link was used already").wait_for()


def check_dates_in_words(t):
    begin(t)
    said = t.page.evaluate("""async () => { const d = await import('/dates.js'); const now = '2026-11-28';
        return ['', 'today', 'tomorrow', 'fri', 'sat', 'monday 9:05', '+2d', '+1w', '3d', '24 dec', '1 jan 10:00', '2027-02-28', '2027-02-30', 'never', 'fri 25:00', '31 feb']
            .map(w => { const u = d.understood(w, now); return u && [u.day, u.time].filter(Boolean).join(' '); }); }""")
    expected = ["2026-11-28", "2026-11-28", "2026-11-29", "2026-12-04", "2026-12-05", "2026-11-30 09:05", "2026-11-30", "2026-12-05", "2026-12-01", "2026-12-24", "2027-01-01 10:00", "2027-02-28", None, None, None, None]
    require(said == expected, f"{said} instead of {expected}")
    stamps = t.page.evaluate("""async () => { const d = await import('/dates.js');
        return [d.moved('<2026-11-28 Sat 10:00-11:00 +1w -3d>', '2026-12-01'), d.moved(null, '2026-12-01'), d.moved('<2026-11-28 Sat +1w>', '2026-12-01', '09:00'), d.repeater('<2026-11-28 Sat .+1d/3d>'), d.human('2026-11-27', '2026-11-28')]; }""")
    require(stamps == ["<2026-12-01 Tue 10:00-11:00 +1w -3d>", "<2026-12-01 Tue>", "<2026-12-01 Tue 09:00 +1w>", ".+1d/3d", "Yesterday"], f"{stamps}")


def check_edits_and_their_opposites(t):
    """Every patch that has an opposite: both together give the entry as it was."""
    begin(t)
    wrong = t.page.evaluate("""async () => { const e = await import('/edits.js');
        const item = { id: 'a', title: 'Old', todo: 'TODO', done: false, tags: ['x'], priority: null, scheduled: null, body: '- [ ] Milk\\n- [X] Eggs\\n', properties: { A: '1' } };
        const edit = fields => ({ op: 'edit', id: 'a', fields });
        return [edit({ title: { old: 'Old', new: 'New' } }), edit({ todo: { old: 'TODO', new: 'DONE' } }), edit({ tags: { add: ['y'], remove: ['x'] } }),
            edit({ scheduled: { old: null, new: '<2026-12-01 Tue>' }, priority: { old: null, new: 'A' } }), edit({ properties: { A: { old: '1', new: null }, B: { old: null, new: '2' } } }),
            { op: 'check', id: 'a', item: 'Milk', old: false, new: true }]
            .filter(p => JSON.stringify(e.applied(item, [p])) === JSON.stringify(item) || !e.inverse(p)
                || JSON.stringify(Object.entries(e.applied(item, [p, e.inverse(p)])).sort()) !== JSON.stringify(Object.entries({ ...item, waiting: true }).sort())).map(p => JSON.stringify(p)); }""")
    require(not wrong, f"{wrong}")
