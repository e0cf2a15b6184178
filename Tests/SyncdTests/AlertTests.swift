import Foundation
import ProgramTesting
import Testing

/// Alerts of the real service, with a real command and `notify-send` of the test.
@Suite("Alerts of the service") struct AlertTests {
  /// Appends its standard input to a file.
  private static let recorder = "#!/bin/sh\ncat >>\"$0.in\"\n"

  /// A store with a date ten minutes ago, and a record of a service that ran an hour ago.
  private func sandbox(_ settings: String = "command = [\"./recorder\"]") throws -> Sandbox {
    let sandbox = try Sandbox(settings: "interval = \"1h\"\n")
    let tables = "[alerts]\n\(settings)\n".replacing("\"./", with: "\"\(sandbox.root)/")
    try sandbox.write(try #require(sandbox.read("s.toml")) + tables, to: "s.toml")
    try script(Self.recorder, as: "recorder", in: sandbox)
    let seconds = Self.minute(ago: 60)
    try sandbox.write("until \(seconds) \(seconds / 60)\n", to: "state/alerts")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: sandbox.path("state"))
    try sandbox.write("* TODO Dentist\nSCHEDULED: <\(Self.stamp(ago: 10))>\n", to: "org/a.org")
    return sandbox
  }

  private func script(_ text: String, as name: String, in sandbox: Sandbox) throws {
    try sandbox.writeProgram(text, to: name)
  }

  /// A whole minute in the past.
  private static func minute(ago minutes: Int) -> Int {
    (Int(Date().timeIntervalSince1970) / 60 - minutes) * 60
  }

  private static func stamp(ago minutes: Int) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .gmt
    format.dateFormat = "yyyy-MM-dd EEE HH:mm"
    return format.string(from: Date(timeIntervalSince1970: Double(minute(ago: minutes))))
  }

  private func service(_ sandbox: Sandbox, _ variables: [String: String] = [:]) throws -> Running {
    try sandbox.command([], environment: ["TZ": "UTC"].merging(variables) { $1 }).start()
  }

  /// Ends a service that has completed a pass, so that it obeys signals.
  private func end(_ service: Running, _ sandbox: Sandbox) throws {
    try sandbox.wait("the service") { service.errors.contains("serving") }
    _ = try sandbox.syncd("sync")
    service.kill(SIGTERM)
    let outcome = try service.wait()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  private struct Message: Decodable, Equatable { var title: String, repeated: Bool }

  private func messages(_ sandbox: Sandbox) throws -> [Message] {
    try (sandbox.read("recorder.in") ?? "").split(separator: "\n").map { line in
      let document = try JSONSerialization.jsonObject(with: Data(line.utf8))
      #expect(try JSONSchema("alert").mistakes(in: document) == [], "\(line)")
      return try JSONDecoder().decode(Message.self, from: Data(line.utf8))
    }
  }

  private func isRecorded(_ sandbox: Sandbox) -> Bool { sandbox.read("state/alerts")?.contains("handled") == true }

  @Test("an alert is shown once, also after a restart, and never if it was put off or done")
  func once() throws {
    let sandbox = try sandbox()
    let first = try service(sandbox)
    try sandbox.wait("the alert") { isRecorded(sandbox) }
    try end(first, sandbox)
    #expect(try messages(sandbox) == [Message(title: "Missed: TODO Dentist", repeated: false)])
    // A second entry proves that the restarted service has shown everything.
    try sandbox.write("* TODO Bank\nSCHEDULED: <\(Self.stamp(ago: 20))>\n", to: "org/b.org")
    let seconds = Self.minute(ago: 60)
    let record = try #require(sandbox.read("state/alerts")).split(separator: "\n").filter { !$0.hasPrefix("until") }
    try sandbox.write("until \(seconds) \(seconds / 60)\n" + record.joined(separator: "\n") + "\n", to: "state/alerts")
    let second = try service(sandbox)
    try sandbox.wait("the second alert") { (try? messages(sandbox).count) == 2 }
    try end(second, sandbox)
    #expect(try messages(sandbox).map(\.title) == ["Missed: TODO Dentist", "Missed: TODO Bank"])
  }

  @Test(
    "a service that is killed while it shows an alert shows it again as a repeated one, and not if it was recorded",
    arguments: ["entries.alert.begun", "entries.alert.shown", "entries.alert.recorded"])
  func killed(point: String) throws {
    let sandbox = try sandbox()
    let outcome = try service(sandbox, ["SYNCD_FAILPOINTS": "\(point)=kill@first"]).wait()
    #expect(outcome.status != 0, "\(outcome.story)")
    let shown = try messages(sandbox)
    #expect(shown.count == (point.hasSuffix("begun") ? 0 : 1))
    let next = try service(sandbox)
    try sandbox.wait("the record of the alert") {
      isRecorded(sandbox) && sandbox.read("state/alerts")?.contains("begun") == false
    }
    try end(next, sandbox)
    let again = Message(title: "Missed: TODO Dentist", repeated: true)
    #expect(try messages(sandbox) == shown + (point.hasSuffix("recorded") ? [] : [again]))
  }

  @Test("without a command, notify-send shows the alert in a desktop session; without a session, nothing does")
  func desktop() throws {
    let sandbox = try sandbox("")
    try script("#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"$0.arguments\"\n", as: "bin/notify-send", in: sandbox)
    let path = sandbox.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let service = try service(sandbox, ["PATH": path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"])
    try sandbox.wait("the alert") { isRecorded(sandbox) }
    try end(service, sandbox)
    let arguments = try #require(sandbox.read("bin/notify-send.arguments"))
    // Midnight may have passed since the date was written.
    let day = try #require(sandbox.read("org/a.org")?.firstMatch(of: /\d{4}-\d\d-\d\d/)).output
    #expect(arguments.contains("--\nMissed: TODO Dentist\nScheduled \(day)"), "\(arguments)")
  }

  @Test("a command that fails is reported once, and runs again later")
  func failing() throws {
    let sandbox = try sandbox("command = [\"false\"]")
    let service = try service(sandbox)
    try sandbox.wait("the error") { service.errors.contains("cannot show an alert") }
    try end(service, sandbox)
    #expect(!isRecorded(sandbox) && sandbox.read("state/alerts")?.contains("waiting") == true)
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("\"false\"", with: "\"\(sandbox.path("recorder"))\""), to: "s.toml")
    let next = try self.service(sandbox)
    try sandbox.wait("the alert") { isRecorded(sandbox) }
    try end(next, sandbox)
    #expect(try messages(sandbox) == [Message(title: "Missed: TODO Dentist", repeated: true)])
  }

  @Test("syncd alerts lists what comes, and a date that was put off comes later")
  func list() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* TODO Report\nDEADLINE: <2026-03-12 Thu>\n* Dentist\n<2026-03-11 Wed 14:30>\n", to: "org/a.org")
    let now = ["--at", "2026-03-11 09:00"]
    let list = try sandbox.command(["alerts"] + now, environment: ["TZ": "UTC"]).succeed().text
    let lines = list.split(separator: "\n").map(String.init)
    #expect(lines.map { $0.prefix(20) } == ["2026-03-11 Wed 14:15", "2026-03-11 Wed 14:30", "2026-03-12 Thu 09:00"])
    let id = try #require(lines.first?.split(separator: " ").dropFirst(3).first.map(String.init))
    for (word, mistake) in [("zzzz", 4), ("abc", 2)] {
      let outcome = try sandbox.command(["alerts", "snooze", word] + now).run()
      #expect(outcome.status == mistake, "\(outcome.story)")
    }
    let snooze = ["alerts", "snooze", id, "6h"] + now
    let put = try sandbox.command(snooze + ["--json"], environment: ["TZ": "UTC"]).succeed()
    #expect(
      try JSONSchema("alerts-snooze").mistakes(in: JSONSerialization.jsonObject(with: Data(put.text.utf8))) == [])
    let later = try sandbox.command(["alerts"] + now, environment: ["TZ": "UTC"]).succeed().text
    #expect(
      later.hasPrefix("2026-03-11 Wed 15:00  \(id)  Dentist  (timestamp 2026-03-11 14:30, put off)\n"), "\(later)")
    #expect(later.split(separator: "\n").count == 2)
    let json = try sandbox.command(["alerts", "--json"] + now).succeed()
    #expect(try JSONSchema("alerts").mistakes(in: JSONSerialization.jsonObject(with: Data(json.text.utf8))) == [])
  }
}
