import Foundation
import ProgramTesting
import Testing

/// The names of devices, with the real program.
@Suite struct DeviceTests {
  /// A laptop and a phone with the remote `home`.
  private func devices(_ first: String = "laptop", _ second: String = "phone") throws -> Sandbox {
    let sandbox = try Sandbox(settings: "device = \"\(first)\"\naudit-log = \"audit.jsonl\"")
    try sandbox.writeSettings(
      settings: "device = \"\(second)\"", state: "state2", storePath: "org2", file: "second.toml")
    try FileManager.default.createDirectory(atPath: sandbox.path("org2"), withIntermediateDirectories: true)
    return sandbox
  }

  private struct Overview: Decodable {
    var remotes: [Remote]
    struct Remote: Decodable { var devices: [Device] }
    struct Device: Decodable { var name: String, this: Bool }
  }

  private func listed(_ sandbox: Sandbox, settings: String = "s.toml") throws -> [String] {
    try sandbox.syncd("status", "--json", settings: settings).json(Overview.self).remotes[0].devices.map {
      $0.name + ($0.this ? "*" : "")
    }
  }

  @Test("status lists the devices of a remote, and the audit log has the name of its device")
  func listed() throws {
    let sandbox = try devices()
    #expect(try listed(sandbox).isEmpty)
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    #expect(try listed(sandbox) == ["laptop*"])
    try sandbox.once(settings: "second.toml")
    #expect(try listed(sandbox, settings: "second.toml") == ["laptop", "phone*"])
    try sandbox.once()
    #expect(try sandbox.syncd("status").text.contains("\n  devices: laptop (this device), phone\n"))
    #expect(sandbox.read("audit.jsonl")?.contains("\"device\": \"laptop\"") == true)
    try sandbox.write("* B\n", to: "org/b.org")
    let settings = try #require(sandbox.read("s.toml"))
    try sandbox.write(settings.replacing("\"laptop\"", with: "\"desk\""), to: "s.toml")
    try sandbox.once()
    #expect(try listed(sandbox) == ["desk*", "phone"])
  }

  @Test("two devices of one name are reported, and their conflict copies have different names")
  func namesakes() throws {
    let sandbox = try devices("twin", "twin")
    try sandbox.write("one\n", to: "org/a.txt")
    try sandbox.once()
    try sandbox.once(settings: "second.toml")
    #expect(try sandbox.syncd("status", settings: "second.toml").text.contains("several devices are named twin"))
    for (name, text) in [("org/a.txt", "mine\n"), ("org2/a.txt", "yours\n"), ("home/a.txt", "theirs\n")] {
      try sandbox.write(text, to: name)
      try Command(["touch", "-d", "2026-01-02T03:04:05Z", sandbox.path(name)]).succeed()
    }
    try sandbox.once(status: 3)
    try sandbox.once(status: 3, settings: "second.toml")
    try sandbox.once(status: 3)
    let texts = sandbox.store.names.compactMap { sandbox.store[$0] }
    #expect(Set(texts) == ["mine\n", "yours\n", "theirs\n"], "\(sandbox.store.names)")
    #expect(sandbox.store == sandbox.tree("home"))
    let copies = sandbox.store.names.filter { $0.contains(".conflict-20260102T030405Z-") }
    #expect(copies.count == 2 && copies.contains { $0.contains("Z-twin-") }, "\(copies)")
  }

  @Test("a name with other characters is refused", arguments: ["lap top", "", "-x", "a/b", "é", "\\u001b[1m"])
  func refused(name: String) throws {
    let sandbox = try Sandbox(settings: "device = \"\(name)\"")
    let outcome = try sandbox.syncd("settings", "check")
    #expect(outcome.status == 8 && outcome.err.contains("letters, digits, hyphens and underscores"), "\(outcome.story)")
  }

  @Test("git commits name the device, and status lists those of a branch")
  func git() throws {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    for device in ["laptop", "phone"] {
      try sandbox.write(
        """
        [syncd]
        state = "state-\(device)"
        device = "\(device)"
        [store]
        path = "org-\(device)"
        [remotes.hub]
        sync = "git"
        [remotes.hub.git]
        url = "hub.git"
        """, to: "\(device).toml")
      try sandbox.write("* \(device)\n", to: "org-\(device)/\(device).org")
    }
    try Command(["git", "init", "-q", "--bare", "-b", "main", sandbox.path("hub.git")]).succeed()
    let nobody = ["HOME": sandbox.root, "XDG_CONFIG_HOME": sandbox.root]
    for device in ["laptop", "phone", "laptop"] {
      let outcome = try sandbox.syncd("--once", environment: nobody, settings: "\(device).toml")
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    let log = try Command(["git", "-C", sandbox.path("hub.git"), "log", "--format=%an", "main"]).run().text
    #expect(log.split(separator: "\n").sorted() == ["syncd on laptop", "syncd on phone"])
    #expect(try listed(sandbox, settings: "laptop.toml") == ["laptop*", "phone"])
  }
}
