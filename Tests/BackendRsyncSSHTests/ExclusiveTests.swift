import Foundation
import ProgramTesting
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// Each step of the exclusive mode, with another writer's action just before or after it, and with a server that dies there.
@Suite("Exclusive mode") struct ExclusiveTests {
  /// The steps of replacing one file: the first two links belong to the test that links can be made.
  static let moments = [
    "before lstat", "before posix-rename", "after posix-rename", "after hardlink:3", "after remove:2", "after rmdir",
  ]

  /// An action of another writer on `a.org`; `theirs` is its text, wherever it was written.
  enum Deed: String, CaseIterable, Sendable {
    case putsInPlace = "echo theirs >b; mv b a.org"
    case writes = "echo theirs >a.org"
    case removes = "rm -f a.org"
    case makesFolder = "rm -f a.org; mkdir a.org; echo theirs >a.org/x.org"
    case makesLink = "rm -f a.org; ln -s theirs.org a.org; echo theirs >theirs.org"
  }

  /// The change that we were about to make.
  enum Errand: String, CaseIterable, Sendable {
    case create, replace, remove
  }

  /// A device that has agreed on `a.org`, unless that is to be created, and whose sftp server runs `script` once, at a given
  /// moment.
  private func device(
    in folder: Folder, for errand: Errand, at moment: String, _ script: String, thenDead: Bool = false
  ) async throws -> (device: TestDevice, flag: String) {
    let device = try await folder.device("one") { $0.exclusive = true }
    try await device.write("other\n", to: "other.org")
    if errand != .create { try await device.write("start\n", to: "a.org") }
    await device.expectHealthyRun("first")
    let flag = NSTemporaryDirectory() + "flag-\(UUID().uuidString)"
    let message = moment.split(separator: " ").map(String.init)
    let sftp = SFTPServer.proxy(
      message[0], message[1], "[ -e \(flag) ] || { : >\(flag); cd \(folder.path); \(script); :; }")
    let death = thenDead ? "[ -e \(flag) ] && exit 255; " : ""
    let storage = try await folder.storage(device.archive) {
      $0.exclusive = true
      $0.ssh.sshCommand = ["/bin/sh", "-c", death + Folder.shell(sftp: sftp), "ssh"]
    }
    switch errand {
    case .create, .replace: try await device.write("ours\n", to: "a.org")
    case .remove: try await device.remove("a.org")
    }
    return (TestDevice("one", store: device.store, archive: device.archive, storage: storage), flag)
  }

  /// Requires that none of our temporary files are left, that both sides are equal, and that `texts` exist there or in the
  /// history.
  private func expectPeace(
    _ device: TestDevice, _ folder: Folder, keeping texts: [String], _ comment: Comment
  ) async throws {
    let there = try folder.texts()
    let live = Array(there.values) + Array(try await device.texts().values)
    #expect(there.keys.allSatisfy { !$0.contains(".syncd-") }, comment)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.allSatisfy { $0 == ReservedName.marker || !$0.contains(".syncd-") }, comment)
    for text in texts where !live.contains(where: { $0.contains(text) }) {
      let isKept = try await device.archive.content(Digest(of: Array((text + "\n").utf8))) != nil
      #expect(isKept, "\(comment): \(text) is lost: \(there)")
    }
  }

  @Test(
    "another writer at any step loses nothing, and neither does syncd",
    arguments: moments, Deed.allCases)
  func deeds(moment: String, deed: Deed) async throws {
    guard SFTPServer.isAvailable else { return }
    for errand in Errand.allCases where isSoak || errand == .replace || deed == .putsInPlace {
      let folder = try await Folder()
      let (device, flag) = try await device(in: folder, for: errand, at: moment, deed.rawValue)
      for _ in 0..<3 { _ = await device.sync() }
      // Not every change takes every step.
      let hasHappened = FileManager.default.fileExists(atPath: flag)
      #expect(hasHappened || errand != .replace, "\(moment)")
      let theirs = deed == .removes || !hasHappened ? [] : ["theirs"]
      let ours = errand == .remove ? [] : ["ours"]
      try await expectPeace(device, folder, keeping: theirs + ours, "\(errand) \(moment) \(deed)")
      let quiet = await device.sync()
      #expect(!quiet.didSomething, "\(errand) \(moment) \(deed)")
    }
  }

  @Test("after a server dies at any step, the same or the next pass restores order", arguments: moments)
  func cuts(moment: String) async throws {
    guard SFTPServer.isAvailable else { return }
    for errand in Errand.allCases {
      let folder = try await Folder()
      let (device, _) = try await device(in: folder, for: errand, at: moment, "exit 1")
      for _ in 0..<2 { _ = await device.sync() }
      try await expectPeace(device, folder, keeping: [], "\(errand) \(moment)")
      #expect(folder.read("a.org") == (errand == .remove ? nil : "ours\n"), "\(errand) \(moment)")
    }
  }

  @Test("after a host disappears between the two steps, the name is restored and no device sees a removal")
  func gone() async throws {
    guard SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    let other = try await folder.device("two")
    let (device, _) = try await device(in: folder, for: .replace, at: "after posix-rename", "exit 1", thenDead: true)
    await other.expectHealthyRun("second device")
    #expect(await device.sync().result == .unreachable)
    #expect(folder.read("a.org") == nil)
    _ = await other.sync()
    #expect(try await other.texts()["a.org"] == "start\n")

    let back = TestDevice(
      "one", store: device.store, archive: device.archive,
      storage: try await folder.storage(device.archive) { $0.exclusive = true })
    try await back.storage.recover()
    #expect(folder.read("a.org") == "start\n")
    for device in [back, other, back] { await device.expectHealthyRun("afterwards") }
    #expect(try folder.texts() == ["a.org": "ours\n", "other.org": "other\n"])
    #expect(try await other.texts() == (try await back.texts()))
  }

  @Test("a name is also restored without sftp, after the mode was disabled")
  func withoutSFTP() async throws {
    guard SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    let (device, _) = try await device(in: folder, for: .replace, at: "after posix-rename", "exit 1", thenDead: true)
    #expect(await device.sync().result == .unreachable)
    #expect(folder.read("a.org") == nil)
    let plain = try await folder.storage(device.archive) {
      $0.ssh.sshCommand = ["/bin/sh", "-c", Folder.shell(sftp: "false"), "ssh"]
    }
    try await plain.recover()
    #expect(folder.read("a.org") == "start\n")
    let back = TestDevice("one", store: device.store, archive: device.archive, storage: plain)
    await back.expectHealthyRun("afterwards")
    try await expectPeace(back, folder, keeping: [], "without sftp")
    #expect(try folder.texts() == ["a.org": "ours\n", "other.org": "other\n"])
  }

  @Test("files keep their modes and times, new folders are created, and no content is sent twice")
  func facts() async throws {
    guard SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    let device = try await folder.device("one") { $0.exclusive = true }
    for name in ["a.org", "b/c/d.org", "empty.org"] {
      try await device.write(name == "empty.org" ? "" : "start\n", to: name)
    }
    await device.expectHealthyRun("first")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/a.org")
    // Only the time differs; it is adopted.
    try folder.write("start\n", to: "b/c/d.org", inPlace: false)
    for name in ["a.org", "b/c/d.org", "empty.org"] { try await device.write("edited \(name)\n", to: name) }
    await device.expectHealthyRun("second")
    let rights = try FileManager.default.attributesOfItem(atPath: folder.path + "/a.org")[.posixPermissions] as? Int
    #expect(rights == 0o600)
    try await expectPeace(device, folder, keeping: [], "facts")
    #expect(try folder.texts() == (try await device.texts()))
    let quiet = await device.sync()
    #expect(quiet.result == .synced && !quiet.didSomething)
  }
}
