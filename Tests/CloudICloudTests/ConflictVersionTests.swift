import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudICloud

@Suite("Conflict versions in iCloud Drive")
struct ConflictVersionTests {
  let icloud: TestICloud
  let archive = MemoryArchive()
  let path: SyncPath
  let base = "* one\n* two\n* three\n* four\n* five\n"

  init() throws {
    icloud = try TestICloud()
    path = try #require(SyncPath("a.org"))
  }

  private func synced() async throws -> TestDevice {
    let device = TestDevice("laptop", archive: archive, storage: try await icloud.storage(archive))
    try await device.write(base, to: "a.org")
    #expect(await device.sync().result == .synced)
    return device
  }

  @Test("versions of several devices are merged once, resolved, and kept in the history")
  func merged() async throws {
    let device = try await synced()
    try icloud.write(base.replacing("* one\n", with: "* one of the Mac\n"), to: "a.org")
    let versions = [
      base.replacing("* three\n", with: "* three of the phone\n"),
      base.replacing("* five\n", with: "* five of the tablet\n"),
    ]
    for version in versions { icloud.conflicts.add(version, to: path) }
    #expect(await device.sync().counts.failed == 0)
    let all = "* one of the Mac\n* two\n* three of the phone\n* four\n* five of the tablet\n"
    #expect(icloud.text("a.org") == all && icloud.conflicts.unresolved(path) == 0)
    #expect(try await device.texts() == ["a.org": all])
    for version in versions { #expect(await archive.library.holds(Digest(of: Array(version.utf8)))) }
    #expect(await device.sync().actions.isEmpty)
  }

  /// A device that was offline has edited an older version than the one that this device wrote last.
  @Test(
    "an edit of an older version reverts nothing, whichever version iCloud prefers", arguments: [false, true],
    [0, 1, 3])
  func older(losesToOffline: Bool, laterEdits: Int) async throws {
    let device = try await synced()
    var ours = base.replacing("* one\n", with: "* one of the laptop\n").replacing("* two\n", with: "")
    try await device.write(ours, to: "a.org")
    #expect(await device.sync().result == .synced)
    for number in 0..<laterEdits {
      ours += "* later \(number)\n"
      try await device.write(ours, to: "a.org")
      #expect(await device.sync().result == .synced)
    }
    let offline = base.replacing("* four\n", with: "* four of the iPad\n")
    if losesToOffline { try icloud.write(offline, to: "a.org") }
    icloud.conflicts.add(losesToOffline ? ours : offline, to: path)
    for _ in 0..<2 { #expect(await device.sync().counts.failed == 0) }
    let both = ours.replacing("* four\n", with: "* four of the iPad\n")
    #expect(try await device.texts() == ["a.org": both], "\(icloud.names)")
    #expect(icloud.text("a.org") == both && icloud.conflicts.unresolved(path) == 0)
  }

  @Test("two edits of one line, of which one is of an older version, are both kept", arguments: [false, true])
  func contested(losesToOffline: Bool) async throws {
    let device = try await synced()
    let ours = base.replacing("* two\n", with: "* two of the laptop\n")
    try await device.write(ours, to: "a.org")
    #expect(await device.sync().result == .synced)
    let offline = base.replacing("* two\n", with: "* two of the iPad\n")
    if losesToOffline { try icloud.write(offline, to: "a.org") }
    icloud.conflicts.add(losesToOffline ? ours : offline, to: path)
    for _ in 0..<2 { #expect(await device.sync().counts.failed == 0) }
    let texts = try await device.texts().values.joined()
    #expect(texts.contains("two of the laptop") && texts.contains("two of the iPad"), "\(texts)")
  }

  @Test("a version that was not edited, or was made from the last agreed one, causes no conflict")
  func unedited() async throws {
    let device = try await synced()
    let ours = base.replacing("* two\n", with: "* two of the laptop\n")
    try await device.write(ours, to: "a.org")
    #expect(await device.sync().result == .synced)
    icloud.conflicts.add(base, to: path)
    icloud.conflicts.add(ours.replacing("* four\n", with: ""), to: path)
    for _ in 0..<3 { #expect(await device.sync().counts.failed == 0) }
    #expect(try await device.texts() == ["a.org": ours.replacing("* four\n", with: "")])
    #expect(icloud.names == ["a.org"] && icloud.conflicts.unresolved(path) == 0)
  }

  @Test("a merge that was not marked as resolved because the program ended is repeated without effect")
  func interrupted() async throws {
    let device = try await synced()
    try icloud.write(base.replacing("* one\n", with: "* one of the Mac\n"), to: "a.org")
    icloud.conflicts.add(base + "* six of the phone\n", to: path)
    icloud.conflicts.setBroken(true)
    #expect(await device.sync().failure?.code == .cancelled)
    let merged = "* one of the Mac\n* two\n* three\n* four\n* five\n* six of the phone\n"
    #expect(icloud.text("a.org") == merged && icloud.conflicts.unresolved(path) == 1)
    icloud.conflicts.setBroken(false)
    #expect(await device.sync().counts.failed == 0)
    #expect(icloud.text("a.org") == merged && icloud.conflicts.unresolved(path) == 0 && icloud.names == ["a.org"])
    #expect(try await device.texts() == ["a.org": merged])
  }

  @Test("versions that a person has to compare are kept side by side")
  func sideBySide() async throws {
    let device = try await synced()
    let theirs = base.replacing("* two\n", with: "* two of the phone\n")
    try icloud.write(base.replacing("* two\n", with: "* two of the Mac\n"), to: "a.org")
    icloud.conflicts.add(theirs, to: path)
    icloud.conflicts.setBroken(true)
    _ = await device.sync()
    icloud.conflicts.setBroken(false)
    _ = await device.sync()
    #expect(icloud.text("a.org")?.contains("two of the Mac") == true && icloud.conflicts.unresolved(path) == 0)
    let copies = icloud.names.filter { $0.hasPrefix("a.conflict-") }
    #expect(copies.count == 1 && icloud.text(copies.first ?? "") == theirs, "\(icloud.names)")
    #expect(try await device.texts().count == 2)
  }

  // The listing does not rely on a file that was changed just now.
  @Test("a version waits while it, or its file, is not on this machine", arguments: [0, 3])
  func notLocal(secondsLater: Int) async throws {
    let device = try await synced()
    icloud.conflicts.add(nil, to: path)
    var report = await device.sync()
    #expect(report.actions.map(\.detail) == ["iCloud has not fetched its conflict version yet"])
    icloud.conflicts.fetch(base + "* six\n", of: path)
    try icloud.evict("a.org", as: .dataless)
    try await Task.sleep(for: .seconds(secondsLater))
    report = await device.sync()
    #expect(report.counts.waiting == 1 && icloud.requests == ["a.org"] && icloud.conflicts.unresolved(path) == 1)
    try icloud.fetchRequested(as: .dataless)
    _ = await device.sync()
    #expect(icloud.text("a.org") == base + "* six\n" && icloud.conflicts.unresolved(path) == 0)
  }

  @Test("a version that is not text is left to the user, and its file is synced")
  func notText() async throws {
    let device = try await synced()
    let picture = try #require(SyncPath("a.png"))
    try icloud.write("one", to: "a.png")
    icloud.conflicts.add("two", to: picture)
    let report = await device.sync()
    #expect(report.actions.contains { $0.detail.hasSuffix("choose one in the Finder") && $0.result == .waiting })
    #expect(try await device.texts()["a.png"] == "one" && icloud.conflicts.unresolved(picture) == 1)
  }

  @Test("a dry run merges nothing")
  func dryRun() async throws {
    _ = try await synced()
    icloud.conflicts.add(base + "* six\n", to: path)
    _ = try await icloud.storage(archive).list(since: Known())
    #expect(icloud.text("a.org") == base && icloud.conflicts.unresolved(path) == 1)
  }
}
