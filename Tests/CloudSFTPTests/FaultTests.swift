import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudSFTP

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("Sftp over a bad connection")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let every = isSoak ? 1 : 9

  @Test("a pass survives a lost connection at any request", arguments: ["before", "after", "stall"])
  func brokenConnections(mode: String) async throws {
    let (plan, server) = (FaultPlan(), try #require(Folder.openssh))
    let count = try await FaultyPass.sweep(
      from: 1 + mode.utf8.count % Self.every, by: mode == "stall" ? Self.every * 7 : Self.every, mode
    ) {
      try plan.count()
      let folder = try Folder(servedBy: plan.command(server))
      let device = try await folder.device("one") { $0.timeout = .seconds(60) }
      let impatient = mode == "stall" ? try await folder.storage(of: device) { $0.timeout = .seconds(8) } : nil
      return try await FaultyPass(device, impatient: impatient, folder)
    } disturb: { place in
      try plan.fail(mode, at: place)
    } calm: { _ in
      let hasFired = plan.hasFired
      try plan.count()
      return (hasFired, hasFired ? 1 : 0)
    }
    #expect(count > 1, "\(mode): \(count)")
    print("\(count) connections were lost (\(mode))")
  }

  @Test(
    "a new version that another writer moves away to look at it is stored, or its result is unknown",
    arguments: [1, 2], [true, false])
  func lookedAt(looks: Int, isNew: Bool) async throws {
    let (plan, contents) = (FaultPlan(), MemoryContents())
    try plan.count()
    let folder = try Folder(servedBy: plan.command(#require(Folder.openssh)))
    try folder.make()
    let storage = try await folder.storage(contents: contents)
    let old = try await storage.write(content("* a\n"), to: path("a.org"), if: .absent).done()
    // The version is in the history before it is replaced.
    _ = try await storage.read(file: path("a.org"), into: contents.intake(keepingAtMost: 1_000))
    try plan.lookAway(looks)
    let result = try await storage.write(
      content("* new\n"), to: path(isNew ? "b.org" : "a.org"), if: isNew ? .absent : .unchanged(old.revision))
    #expect(plan.hasFired)
    switch (looks, result) {
    case (1, .done(_?)), (2, .unknown): break
    default: Issue.record("\(looks): \(result)")
    }
    try plan.count()
    // What the next pass does first.
    try await storage.recover()
    _ = try await storage.list(since: Known())
    #expect(folder.allTexts() == (isNew ? ["a.org": "* a\n", "b.org": "* new\n"] : ["a.org": "* new\n"]))
  }

  @Test("a pass survives lost connections of ssh", arguments: FaultyProxy.breaks.indices)
  func brokenTransport(kind: Int) async throws {
    guard await SFTPHost.shared(.openssh) != nil else { return }
    // Its own server, whose connections it ends.
    let host = try await SFTPHost(.openssh)
    let proxy = try await FaultyProxy(to: "ssh://127.0.0.1:\(host.port)")
    try await breakOnce(host, proxy, FaultyProxy.breaks[kind], kind)
  }

  @Test("a connection that is lost at any byte of the login is not a refused login")
  func lostLogin() async throws {
    guard let host = await SFTPHost.shared(.openssh) else { return }
    let proxy = try await FaultyProxy(to: "ssh://127.0.0.1:\(host.port)")
    let knownHosts = SettingPath(stringLiteral: try Self.knownHosts(host, proxy.port))
    let folder = Folder(on: host)
    try folder.make()
    var lost = 0
    // The host's last answer before the session is below 4,000 bytes.
    for place in stride(from: 20, to: 4_000, by: isSoak ? 1 : 67) {
      try proxy.follow([[place.isMultiple(of: 2) ? "cut_after" : "reset_after": place]])
      do {
        let storage = try await folder.storage {
          $0.port = proxy.port
          $0.timeout = .seconds(60)
          $0.ssh.knownHosts = knownHosts
        }
        _ = try await storage.list(since: Known())
      } catch let error as SyncError {
        #expect(error.code == .unavailable, "byte \(place): \(error.message)")
        if error.message.contains("during the login") { lost += 1 }
      }
    }
    #expect(lost > 0)
  }

  /// The bytes of ssh are encrypted, so the place is a number of bytes.
  private func breakOnce(
    _ host: SFTPHost, _ proxy: FaultyProxy, _ rule: [String: any Sendable], _ kind: Int
  ) async throws {
    let knownHosts = SettingPath(stringLiteral: try Self.knownHosts(host, proxy.port))
    for place in isSoak ? Array(stride(from: 0, to: 24_000, by: 400)) : [3_000 + kind * 700, 8_000 + kind * 900] {
      let folder = Folder(on: host)
      let change = { (settings: inout SFTP.Settings) in
        settings.port = proxy.port
        settings.ssh.knownHosts = knownHosts
      }
      try proxy.follow([])
      let device = try await folder.device("one", change)
      let impatient = try await folder.storage(of: device) {
        change(&$0)
        $0.timeout = .seconds(8)
      }
      let pass = try await FaultyPass(device, impatient: impatient, folder)
      // The next connection is a new one: the idle one is ended.
      try await host.hangUp()
      var once = rule.mapValues { value -> any Sendable in (value as? Int).map { $0 + place } ?? value }
      once["times"] = 1
      try proxy.follow([once])
      _ = await pass.run()
      try proxy.follow([])
      try await pass.expectNothingLost("\(rule) at byte \(place)")
      try await pass.expectHealing("\(rule) at byte \(place)")
    }
  }

  /// The known hosts with the address of the proxy.
  private static func knownHosts(_ host: SFTPHost, _ port: Int) throws -> String {
    let file = host.knownHosts + "-\(port)"
    let text = try String(contentsOfFile: host.knownHosts, encoding: .utf8)
    try Data(text.replacingOccurrences(of: ":\(host.port)", with: ":\(port)").utf8).write(to: URL(filePath: file))
    return file
  }

  @Test("a version that was moved away by an interrupted change has its name again after the next run")
  func displaced() async throws {
    let folder = try Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    try await device.expectHealthyRun("first")
    let storage = try #require(device.storage as? SFTPStorage)
    let suffix = storage.beginChange()
    storage.state.end(suffix)
    try FileManager.default.moveItem(atPath: folder.path + "/a.org", toPath: folder.path + "/a.org" + suffix)
    // Another device does not take it for a deletion.
    let other = try await folder.device("two")
    let listing = try await other.storage.list(since: Known())
    #expect(listing.isUnknown(try path("a.org")))
    #expect(listing.unread.contains { $0.path == SyncPath("a.org") })
    try await device.expectHealthyRun("second")
    #expect(folder.allTexts() == ["a.org": "one\n"])
    #expect(try await device.texts() == ["a.org": "one\n"])
  }

  @Test("a version that no pass has seen keeps a name of its own if its name was used meanwhile")
  func orphaned() async throws {
    let folder = try Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    try await device.expectHealthyRun("first")
    let storage = try #require(device.storage as? SFTPStorage)
    let suffix = storage.beginChange()
    storage.state.end(suffix)
    try folder.write("unseen\n", to: "a.org" + suffix)
    try folder.write("one\n", to: "b.org" + suffix.dropLast(8) + ".tmp")
    for _ in 0..<2 { try await device.expectHealthyRun("second") }
    let texts = folder.allTexts()
    #expect(texts["a.org"] == "one\n")
    #expect(
      texts.count == 2 && texts.contains { $0.key.hasPrefix("a.conflict-") && $0.value == "unseen\n" }, "\(texts)")
    #expect(try await device.texts() == texts)
  }
}
