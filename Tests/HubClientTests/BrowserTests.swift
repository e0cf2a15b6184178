import Foundation
import ProgramTesting
import Testing

/// The web client in Chromium, with the hub of the real program, whose process is stopped and started again by the checks.
@Suite("The hub in a browser", .serialized)
struct BrowserTests {
  /// What the checks of browser-check.py require of every page: policy, installability, offline reload, accessibility, weight.
  @Test("the page is what its headers, manifest, and accessibility tree promise")
  func page() async throws {
    // Accessibility is checked on every screen by the flows.
    let names = [
      "loads", "headers", "rebinding", "forgery", "own-origin", "manifest", "service-worker", "offline-reload", "names",
      "targets", "dark", "weight",
    ]
    try await check(["--view", "phone", "--budget", "150"] + names.flatMap { ["--check", $0] })
  }

  @Test("at 320 pixels nothing is cut off, and all can be reached by keyboard")
  func small() async throws {
    try await check(["--view", "small", "--check", "loads", "--check", "keyboard", "--check", "reflow"])
  }

  @Test("what a person does reaches the files once, with and without the hub")
  func flows() async throws {
    try await check(["--no-built-in", "--flow", Self.folder + "/hub-flows.py"])
  }

  @Test("held deletions and the undo of a pass are decided by the person")
  func remote() async throws {
    // A file is written before its pass is recorded. On a busy machine, the client sees the time between them.
    let delay = ["SYNCD_FAILPOINTS": "archive.record.writing=delay(1000)"]
    try await check(["--no-built-in", "--flow", Self.folder + "/remote-flows.py"], in: HubPlace(.withRemote), delay)
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Browser").path
  private static let python = URL(filePath: #filePath).appending(path: "../../../.build/browser/bin/python")
    .standardizedFileURL.path

  private func check(_ words: [String], in place: HubPlace? = nil, _ environment: [String: String] = [:]) async throws {
    guard (try? Command([Self.python, "-c", "import playwright"]).succeed()) != nil else {
      return skip("Playwright is not installed; `make setup-tests` does it")
    }
    guard let chromium = Self.installed("chromium") else {
      return skip("Chromium is not installed; `make setup-tests` does it")
    }
    let place = try place ?? HubPlace(.withoutRemotes)
    var command = Command(
      [
        Self.python, Self.folder + "/browser-check.py", "--chromium", chromium, "--timeout", "60",
        "--serve", "\(place.program) serve --settings \(place.settings) --listen 127.0.0.1:{port}",
        "--pair", "\(place.program) pair --settings \(place.settings)",
      ] + words)
    command.environment.merge(environment) { _, new in new }
    command.environment["HUB_STORE"] = place.store
    command.environment["HUB_REMOTE"] = place.remote
    command.environment["HOME"] = place.folder.path
    command.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    let outcome = try await command.finish()
    print(outcome.text)
    let failures = outcome.text.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
    #expect(outcome.status == 0, "\(failures.joined(separator: "; "))\n\(outcome.story)")
  }

  private static func installed(_ program: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }
}

/// Says loudly that a test did nothing.
private func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }

/// A store with the entries that the flows use, and settings for a hub.
private struct HubPlace {
  enum Kind { case withRemote, withoutRemotes }

  let folder: ScratchFolder
  let store: String
  let remote: String
  let settings: String
  let program: String

  init(_ kind: Kind) throws {
    folder = ScratchFolder()
    store = folder.path + "/org"
    remote = folder.path + "/disk"
    settings = folder.path + "/settings.toml"
    program = Command.built("syncd")
    for folder in [store, remote] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try Data((Self.text + (kind == .withRemote ? Self.remoteText : "")).utf8).write(to: URL(filePath: settings))
    try Data(Self.org.utf8).write(to: URL(filePath: folder.path + "/org.json"))
    let files = kind == .withRemote ? Self.notes : Self.files
    for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(store)/\(name)")) }
  }

  private static let text = """
    [syncd]
    state = "state"
    quiet = "100ms"
    [store]
    backend = "org-files"
    path = "org"

    """

  /// Variables of Org, as Emacs would give them.
  private static let org =
    #"{"org-capture-templates": {"lisp": "((\"b\" \"Book\" entry (file \"books.org\") \"* TODO %?\"))"}}"#

  private static let remoteText = """
    [remotes.disk]
    sync = "plain-files"
    cloud = "folder"
    [remotes.disk.folder]
    path = "disk"

    """

  private static let notes = Dictionary(
    uniqueKeysWithValues: (1...6).map { ("notes-\($0).org", "* Note \($0)\nIts text.\n") })

  private static let files = [
    "actions.org": """
    * TODO Actions to try
    An old text.
    * TODO Shopping with boxes
    - [ ] Milk
    - [ ] Eggs
    * TODO Move me elsewhere
    * TODO Move me far away
    * TODO Move me after it
    * TODO Archive me please
    * TODO Done by mistake
    Leave me as I was.
    * TODO Keyboard entry
    * TODO Pressed slowly
    * TODO Deleted on both devices
    * TODO Behind it in the queue
    * TODO Edited and deleted
    * TODO Changed before its deletion
    * TODO Edited again after pairing
    * TODO Deleted in passing
    * TODO Archived in passing
    * Draft survives

    """,
    "conflict.org": "* Contested title one\nOf one.\n* Contested title two\n",
    "fields.org": "* Title of the phone\nText of the editor.\n",
    "target.org": "* Target heading\n",
    "inbox.org": "* Something captured before\n",
    "hostile.org": """
    * TODO hostile <img src=x onerror=alert(1)> \u{202e}evil\u{7} <script>alert(2)</script>
    <b>not bold</b> [[javascript:alert(1)][press]]

    """,
  ]
}
