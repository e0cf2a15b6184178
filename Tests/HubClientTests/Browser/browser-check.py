#!/usr/bin/env python3
"""Looks at a page of the hub with a real Chromium and says, check by check, whether it is as promised.

    browser-check.py --serve 'syncd serve --settings t.toml --listen 127.0.0.1:{port}' --pair 'syncd pair --yes --settings t.toml' [--view phone]
    browser-check.py --url http://127.0.0.1:8484/ --check loads --check axe
    browser-check.py --serve '…' --flow hub_flows.py            # every function check_…(t) of that file, in order

Needs `apt-get install chromium` and `pip install playwright axe-playwright-python` (the wheels have all they need; nothing is
downloaded). Talks to loopback only: another address is refused, and a page that asks one fails `own-origin`.

With --serve it starts the hub itself on a free port ({port}), and *offline* is then the real thing: the process is stopped and
started again. With --url offline is Chromium's emulation, which also holds for the service worker.

With --pair the command is run for each device (each check has a fresh one, and `t.another()`), and the last link that it prints is opened
there first. Without it no session is needed.

What a page has to offer: `data-ready` on <html> once it has drawn what it knows (offline too), and `data-complete` once it has what it needs
without the hub. All else is found by role and name.

A console error, an uncaught exception, a refused resource or a violated policy fails the check in which it appears, unless the
check allowed it. Exit status: 0 all passed, 1 some failed, 2 usage. The last line is `N passed, N failed, N skipped`.

A flow gets one value `t`:
    t.page, t.context     Playwright's (sync API); a fresh context for each check, so nothing is left over from another
    t.open(path="/")      goes there and waits for data-ready
    t.offline()           `with t.offline():` the hub is away
    t.another()           a second device: a page of a context of its own (also watched); with pair=False one that is not paired
    t.api(method, path, json=None, headers={})   (status, headers, body) without a browser
    t.allow(regex)        console messages that are expected from now on
    t.shot(name)          a screenshot, if --shots
    t.wait(what, seconds=5)   until the function gives something true; `why`, a text or a function, and its last value in the failure
"""
import argparse, contextlib, importlib.util, ipaddress, json, os, pathlib, random, re, shlex, shutil, signal, socket, subprocess, sys, time
import traceback, urllib.error, urllib.parse, urllib.request

VIEWS = {  # width, height, pixels per CSS pixel, touch
    "small": (320, 568, 2, True), "phone": (390, 844, 3, True), "tablet": (820, 1180, 2, True), "desktop": (1280, 800, 1, False),
}
INTERACTIVE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]:not([tabindex='-1']), [role=button]"


class Failure(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failure(message)


def free_port():
    """A port below those that the system gives to connections and to other programs, so that it is still free when the hub comes back."""
    for _ in range(100):
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", random.randrange(20_000, 30_000)))
            return s.getsockname()[1]
    sys.exit("browser-check: none of 100 ports is free")


class Hub:
    """The hub under test: one that runs already, or a process of ours that can go away and come back."""

    def __init__(self, url, command):
        self.process, self.command = None, command
        if command:
            self.port = free_port()
            url = f"http://127.0.0.1:{self.port}/"
        parts = urllib.parse.urlsplit(url)
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
        try:
            loopback = ipaddress.ip_address(host).is_loopback
        except ValueError:
            loopback = False
        if not loopback:
            sys.exit(f"browser-check: {url} is not on this machine; only loopback addresses are looked at")
        self.origin, self.url, self.port = f"{parts.scheme}://{parts.netloc}", url, parts.port

    def start(self):
        if not self.command or self.process:
            return
        words = [w.replace("{port}", str(self.port)) for w in shlex.split(self.command)]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + 120
        while True:
            if self.process.poll() is not None:
                sys.exit(f"browser-check: the hub ended with status {self.process.returncode} before it answered")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > end:
                    self.stop()
                    sys.exit("browser-check: the hub did not answer within 120 s")
                time.sleep(0.05)

    def stop(self):
        if not self.process:
            return
        os.killpg(self.process.pid, signal.SIGTERM)  # the group that start() made, no other
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process = None


class Test:
    def __init__(self, name, hub, browser, options):
        self.name, self.hub, self.browser, self.options = name, hub, browser, options
        self.troubles, self.allowed, self.requests, self.contexts, self.was_away = [], [], [], [], False
        self.context = self._context(options.view)
        self.page = self.context.new_page()

    def _context(self, view, pair=True):
        width, height, scale, touch = VIEWS[view]
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=scale, is_mobile=touch, has_touch=touch,
            color_scheme="dark" if self.options.dark else "light", permissions=["notifications"], ignore_https_errors=True)
        context.set_default_timeout(self.options.timeout * 1000)
        context.on("console", lambda m: m.type == "error" and self._trouble(f"console: {m.text} ({m.location.get('url', '')})"))
        context.on("weberror", lambda e: self._trouble(f"uncaught: {e.error}"))
        context.on("request", lambda r: self.requests.append(r.url))
        self.contexts.append(context)
        if self.options.pair and pair:
            said = subprocess.run(shlex.split(self.options.pair.replace("{port}", str(self.hub.port))), capture_output=True, text=True, timeout=120)
            links = re.findall(r"https?://[^\s\"<>]+", said.stdout)
            require(links, f"`{self.options.pair}` printed no link (status {said.returncode}): {said.stderr[-200:]}")
            parts = urllib.parse.urlsplit(links[-1])
            page = context.new_page()
            page.goto(self.hub.origin + parts.path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else ""))
            page.wait_for_selector("html[data-ready]", state="attached")
            page.close()
        return context

    @property
    def away(self):
        return self._away

    @away.setter
    def away(self, value):
        # A request that failed meanwhile may be reported at any time later.
        self._away, self.was_away = value, self.was_away or value

    def _trouble(self, text):
        unreachable = "ERR_CONNECTION_REFUSED" in text or "ERR_INTERNET_DISCONNECTED" in text or "Failed to fetch" in text \
            or "ERR_INCOMPLETE_CHUNKED_ENCODING" in text or "ERR_EMPTY_RESPONSE" in text or "ERR_CONNECTION_RESET" in text
        if not (self.was_away and unreachable) and not any(re.search(a, text) for a in self.allowed):
            self.troubles.append(text)

    def open(self, path="/", page=None):
        page = page or self.page
        page.goto(urllib.parse.urljoin(self.hub.url, path))
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    @contextlib.contextmanager
    def offline(self):
        for page in (page for context in self.contexts for page in context.pages if page.url.startswith(self.hub.origin)):
            page.wait_for_selector("html[data-complete]", state="attached")
        self.away = True
        if self.hub.command:
            self.hub.stop()
        for context in self.contexts:
            context.set_offline(True)
        try:
            yield
        finally:
            self.hub.start()
            for context in self.contexts:
                context.set_offline(False)
            self.page.wait_for_timeout(300)  # requests in progress may still fail
            self.away = False

    def another(self, view=None, pair=True):
        return self._context(view or self.options.view, pair).new_page()

    def api(self, method, path, json_body=None, headers=None, **more):
        body = json.dumps(more.get("json", json_body)).encode() if more.get("json", json_body) is not None else None
        request = urllib.request.Request(urllib.parse.urljoin(self.hub.url, path), body, {"Content-Type": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def allow(self, pattern):
        self.allowed.append(pattern)

    def shot(self, name, page=None):
        if self.options.shots:
            pathlib.Path(self.options.shots).mkdir(parents=True, exist_ok=True)
            (page or self.page).screenshot(path=str(pathlib.Path(self.options.shots) / f"{name}-{self.options.view}{'-dark' if self.options.dark else ''}.png"))

    def wait(self, what, seconds=60, why=""):
        end = time.monotonic() + seconds
        while True:
            value = what()
            if value:
                return value
            if time.monotonic() >= end:
                raise Failure(f"{(why() if callable(why) else why) or 'waited'} {seconds} s, last seen: {value!r}")
            self.page.wait_for_timeout(50)

    def close(self):
        for context in self.contexts:
            context.close()


class Skipped(Exception):
    pass


# -- what every page must be ---------------------------------------------------------------------------------------------------

def check_loads(t):
    t.open()
    require(t.page.title().strip(), "the page has no title")
    require(t.page.evaluate("document.documentElement.lang"), "<html> names no language")
    require(t.page.locator("h1").count() == 1, f"{t.page.locator('h1').count()} elements h1 instead of one")
    t.page.wait_for_timeout(500)
    t.shot("loads")


def check_headers(t):
    status, headers, body = t.api("GET", "/")
    headers = {k.lower(): v for k, v in headers.items()}
    policy = headers.get("content-security-policy", "")
    require(status == 200, f"/ answers {status}")
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        require(part in policy, f"the policy lacks {part}: {policy!r}")
    require("unsafe-inline" not in policy and "unsafe-eval" not in policy, f"the policy allows what it should not: {policy!r}")
    require(headers.get("x-content-type-options") == "nosniff", "no X-Content-Type-Options: nosniff")
    require(headers.get("referrer-policy") in ("no-referrer", "same-origin"), "no Referrer-Policy")
    inline = re.search(rb"<script(?![^>]*\bsrc=)|\son\w+=|<style|style=", body)
    require(not inline, f"inline code or style in the page: {inline and inline[0]!r}")


def check_rebinding(t):
    import http.client
    parts = urllib.parse.urlsplit(t.hub.url)
    for path in ("/", "/api/v1/items"):
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", f"attacker.example:{parts.port}")
        connection.endheaders()
        status = connection.getresponse().status
        connection.close()
        require(status in (400, 403, 421), f"GET {path} with another Host is answered with {status}")


def check_forgery(t):
    status, _, _ = t.api("POST", "/api/v1/batches", json={}, headers={"Origin": "http://attacker.example"})
    require(status in (401, 403), f"a POST from another origin is answered with {status}")


def check_own_origin(t):
    t.open()
    t.page.wait_for_timeout(500)
    foreign = [r for r in t.requests if not r.startswith((t.hub.origin, "data:", "blob:"))]
    require(not foreign, f"asks elsewhere: {foreign[:3]}")


def check_manifest(t):
    t.open()
    link = t.page.locator("link[rel=manifest]").get_attribute("href")
    status, headers, body = t.api("GET", link)
    require(status == 200 and "manifest+json" in headers.get("Content-Type", ""), f"the manifest answers {status} as {headers.get('Content-Type')}")
    manifest = json.loads(body)
    for key in ("id", "name", "short_name", "start_url", "scope", "display", "icons"):
        require(manifest.get(key), f"the manifest has no {key}")
    sizes = {i["sizes"] for i in manifest["icons"] if i.get("type") == "image/png"}
    require({"192x192", "512x512"} <= sizes, f"PNG icons of 192 and 512 are needed to be installable, there are {sizes}")
    for icon in manifest["icons"]:
        require(t.api("GET", icon["src"])[0] == 200, f"{icon['src']} is missing")
    session = t.context.new_cdp_session(t.page)
    errors = session.send("Page.getInstallabilityErrors").get("installabilityErrors", [])
    errors = [e["errorId"] for e in errors if e["errorId"] not in ("in-incognito",)]  # every context of ours is one
    require(not errors, f"Chromium would not install it: {errors}")
    found = session.send("Page.getAppManifest")
    require(not found.get("errors"), f"Chromium on the manifest: {[e['message'] for e in found.get('errors', [])]}")


def controlled(t):
    t.open()
    t.wait(lambda: t.page.evaluate("navigator.serviceWorker.ready.then(() => !!navigator.serviceWorker.controller)"), why="no service worker took over;")


def check_service_worker(t):
    controlled(t)


def check_offline_reload(t):
    controlled(t)
    quiet(t)
    before = t.page.locator("main").inner_text()
    with t.offline():
        t.page.reload()
        t.page.wait_for_selector("html[data-ready]", state="attached")
        after = t.page.locator("main").inner_text()
        require(after == before, f"without the hub the page reads {after[:200]!r} instead of {before[:200]!r}")
        t.shot("offline-reload")


def nodes(t):
    tree = t.context.new_cdp_session(t.page).send("Accessibility.getFullAXTree")["nodes"]
    return [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in tree if not n.get("ignored") and "role" in n]


def check_names(t):
    t.open()
    found = nodes(t)
    wanting = {"button", "link", "textbox", "checkbox", "combobox", "radio", "switch", "tab", "menuitem", "option", "img", "image", "searchbox", "dialog", "slider"}
    nameless = [role for role, name in found if role in wanting and not name.strip()]
    require(not nameless, f"without a name for those who cannot see: {nameless}")
    roles = [role for role, _ in found]
    require(roles.count("main") == 1, f"{roles.count('main')} landmarks main instead of one")
    require("status" in roles, "no element of role status tells how the sync stands")


def check_axe(t):
    spec = importlib.util.find_spec("axe_playwright_python")
    scripts = sorted(pathlib.Path(spec.origin).parent.rglob("axe*.js")) if spec else []
    if not scripts:
        raise Skipped("axe-core is not there: pip install axe-playwright-python")
    for scheme in ("light", "dark"):
        t.page.emulate_media(color_scheme=scheme)
        t.open()
        t.page.evaluate(scripts[0].read_text() + "\n;0")
        result = t.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
        found = [f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:120]}" for v in result["violations"]]
        require(not found, f"axe-core {result['testEngine']['version']}, {scheme}: " + "; ".join(found))


def quiet(t, milliseconds=400):
    """Waits until the page has all that it needs and has not changed for that long, so that what is counted is what is tried."""
    t.page.wait_for_selector("html[data-complete]", state="attached")
    t.page.evaluate("""wait => new Promise(done => { let timer = setTimeout(done, wait);
        const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(() => { watch.disconnect(); done(); }, wait); });
        watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); })""", milliseconds)


def check_keyboard(t):
    t.open()
    quiet(t)
    t.page.evaluate("s => { window.__all = [...document.querySelectorAll(s)].filter(e => e.checkVisibility() && !e.disabled); document.activeElement?.blur(); }", INTERACTIVE)
    expected, seen = t.page.evaluate("window.__all.length"), set()
    for _ in range(expected + 5):
        t.page.keyboard.press("Tab")
        index, visible = t.page.evaluate(
            "() => { const e = document.activeElement, s = getComputedStyle(e); return [window.__all.indexOf(e), s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none']; }")
        if index >= 0:
            require(visible, f"focus cannot be seen on {t.page.evaluate('document.activeElement.outerHTML.slice(0, 120)')}")
            seen.add(index)
    missed = [t.page.evaluate("i => window.__all[i].outerHTML.slice(0, 120)", i) for i in sorted(set(range(expected)) - seen)]
    # A group with arrow keys inside (roving tabindex) is one stop.
    require(not missed, f"not reached by Tab: {missed[:3]}")


def check_targets(t):
    t.open()
    quiet(t)
    small = t.page.evaluate("""s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()).map(e => [e, (e.closest('label') ?? e).getBoundingClientRect()])
        .filter(([e, r]) => r.right > 0 && r.bottom > 0 && !(e.matches('a') && e.closest('p, li p')) && (r.width < 24 || r.height < 24)).map(([e, r]) => `${e.outerHTML.slice(0, 100)} ${Math.round(r.width)}x${Math.round(r.height)}`)""", INTERACTIVE)
    require(not small, f"smaller than 24 CSS pixels (WCAG 2.2, 2.5.8): {small[:3]}")


def check_reflow(t):
    t.page.set_viewport_size({"width": 320, "height": 568})
    t.open()
    wide = t.page.evaluate("document.scrollingElement.scrollWidth")
    require(wide <= 320, f"at 320 CSS pixels it is {wide} wide and must be scrolled sideways (WCAG 1.4.10)")
    t.shot("reflow")


def check_dark(t):
    def paper(scheme):
        t.page.emulate_media(color_scheme=scheme)
        t.open()
        return sum(map(int, re.findall(r"\d+", t.page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]))
    light, dark = paper("light"), paper("dark")
    t.shot("dark")
    require(light > 600 and dark < 200, f"paper is {light} of 765 by day and {dark} by night")


def check_weight(t):
    session = t.context.new_cdp_session(t.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})  # a first visit, though pairing may have been one
    session.send("Network.setBypassServiceWorker", {"bypass": True})
    # What the page loads after it is ready is not waited for. A listener of ours would hear of it late, so the page records the moment.
    t.page.add_init_script("""addEventListener('DOMContentLoaded', () => new MutationObserver(() => { window.__ready ??= performance.now(); })
        .observe(document.documentElement, { attributes: true, attributeFilter: ['data-ready'] }))""")
    session.send("Network.emulateNetworkConditions", {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8})
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    t.open()
    count, size, ready = t.page.evaluate("""() => { const all = ['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind)).filter(e => e.startTime < window.__ready);
        return [all.length, all.reduce((sum, e) => sum + e.transferSize, 0), window.__ready]; }""")
    t.note = f"{count} requests, {size / 1024:.1f} KiB, ready after {ready / 1000:.2f} s at 1.6 Mbit/s, 150 ms, a quarter of the processor"
    require(size > 1024, f"{count} requests of {size} bytes were seen, so nothing was measured")
    require(size <= t.options.budget * 1024, f"{size / 1024:.0f} KiB, the budget is {t.options.budget}")


BUILT_IN = [check_loads, check_headers, check_rebinding, check_forgery, check_own_origin, check_manifest, check_service_worker, check_offline_reload,
            check_names, check_axe, check_keyboard, check_targets, check_reflow, check_dark, check_weight]


def named(function):
    return function.__name__.removeprefix("check_").replace("_", "-")


def flows(path):
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    module.Failure, module.require, module.Skipped = Failure, require, Skipped
    spec.loader.exec_module(module)
    return [f for n, f in vars(module).items() if n.startswith("check_") and callable(f)]


def carry_out(check, hub, browser, options):
    hub.start()
    begun, test = time.monotonic(), None
    try:
        test = Test(named(check), hub, browser, options)
        check(test)
        test.page.wait_for_timeout(50)
        require(not test.troubles, " | ".join(test.troubles[:3]))
        outcome, said = "ok", getattr(test, "note", "")
    except Skipped as reason:
        outcome, said = "skip", str(reason)
    except Failure as reason:
        outcome, said = "FAIL", str(reason)
    except Exception as error:  # Playwright's time-outs and mistakes in a flow
        where = next((f"{f.name}:{f.lineno} " for f in reversed(traceback.extract_tb(error.__traceback__)) if f.name.startswith("check_")), "")
        outcome, said = "FAIL", where + str(error).split("\nCall log")[0].replace("\n", " ")
    if outcome == "FAIL" and test:
        with contextlib.suppress(Exception):
            test.shot(f"FAIL-{test.name}")
        if test.troubles:
            said += " | also: " + " | ".join(test.troubles[:3])
    if test:
        test.close()
    print(f"{outcome:4} {named(check)} ({time.monotonic() - begun:.1f} s){': ' + said if said else ''}", flush=True)
    return {"check": named(check), "outcome": outcome, "said": said, "seconds": round(time.monotonic() - begun, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url")
    parser.add_argument("--serve", metavar="COMMAND", help="starts the hub; {port} is replaced")
    parser.add_argument("--pair", metavar="COMMAND", help="prints a pairing link; run for every device")
    parser.add_argument("--check", action="append", default=[], metavar="NAME", help="only these")
    parser.add_argument("--flow", action="append", default=[], metavar="FILE")
    parser.add_argument("--no-built-in", action="store_true", help="flows only")
    parser.add_argument("--view", choices=VIEWS, default="phone")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--shots", metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--budget", type=float, default=250, metavar="KIB", help="most that the first visit may load (default 250)")
    parser.add_argument("--timeout", type=float, default=10, metavar="S")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    checks = ([] if options.no_built_in else BUILT_IN) + [f for path in options.flow for f in flows(path)]
    unknown = set(options.check) - {named(c) for c in checks}
    if unknown:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    checks = [c for c in checks if not options.check or named(c) in options.check]
    if options.list:
        return print("\n".join(map(named, checks)))
    if bool(options.url) == bool(options.serve):
        parser.error("one of --url and --serve is needed")
    if not options.chromium:
        parser.error("no chromium: apt-get install chromium, or name one with --chromium")
    from playwright.sync_api import sync_playwright
    hub = Hub(options.url, options.serve)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with sync_playwright() as playwright:
            flags = ["--disable-background-networking", "--disable-component-update", "--no-first-run"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
            browser = playwright.chromium.launch(executable_path=options.chromium, headless=True, args=flags)
            results = [carry_out(check, hub, browser, options) for check in checks]
            browser.close()
    finally:
        hub.stop()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    count = lambda outcome: sum(r["outcome"] == outcome for r in results)
    print(f"{count('ok')} passed, {count('FAIL')} failed, {count('skip')} skipped")
    return 1 if count("FAIL") or not count("ok") else 0


if __name__ == "__main__":
    sys.exit(main())
