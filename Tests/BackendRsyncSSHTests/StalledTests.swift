import Foundation
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// A server that stalls with pending requests, and executes them when no one waits for them any more.
@Suite("A stalled server that continues later") struct StalledTests {
  /// A device whose sftp server stalls once, as it is about to move `a.org` away, until a file `awake` exists.
  private func device(in folder: Folder, until awake: String) async throws -> TestDevice {
    let device = try await folder.device("one") { $0.exclusive = true }
    try await device.write("start\n", to: "a.org")
    await device.expectHealthyRun("first")
    let stalled = awake + "-stalled"
    let proxy = SFTPServer.proxy(
      "before", "posix-rename",
      "[ -e \(stalled) ] || { : >\(stalled); until [ -e \(awake) ]; do sleep 0.05; done; }")
    let storage = try await folder.storage(device.archive) {
      $0.exclusive = true
      $0.timeout = .seconds(5)
      // In a separate session it is not ended with the connection.
      $0.ssh.sshCommand = ["/bin/sh", "-c", Folder.shell(sftp: "setsid " + proxy), "ssh"]
    }
    return TestDevice("one", store: device.store, archive: device.archive, storage: storage)
  }

  /// Resumes the server, and waits until it has moved the file away.
  private func wake(_ folder: Folder, _ awake: String) async throws {
    try Data().write(to: URL(filePath: awake))
    for _ in 0..<3_000 where folder.read("a.org") != nil { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try folder.read("a.org") == nil && folder.texts().keys.contains { $0.hasSuffix(".old.tmp") })
  }

  @Test(
    "the next pass restores the name that the server removed, or moves its content aside",
    arguments: [true, false], [true, false])
  func wakes(isTaken: Bool, isExclusive: Bool) async throws {
    guard SFTPServer.isAvailable else { return }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid") else {
      return skip("setsid is not installed")
    }
    let folder = try await Folder()
    let awake = NSTemporaryDirectory() + "awake-\(UUID().uuidString)"
    defer { _ = FileManager.default.createFile(atPath: awake, contents: nil) }
    let device = try await device(in: folder, until: awake)
    try await device.write("ours\n", to: "a.org")
    // On a busy machine the connection may not even be made within its limit.
    for _ in 0..<20 where !FileManager.default.fileExists(atPath: awake + "-stalled") { _ = await device.sync() }
    try #require(FileManager.default.fileExists(atPath: awake + "-stalled"))
    if isTaken { try folder.write("unseen\n", to: "a.org", inPlace: false) }
    try await wake(folder, awake)
    if isTaken { try folder.write("theirs\n", to: "a.org", inPlace: false) }

    let storage = try await folder.storage(device.archive) { $0.exclusive = isExclusive }
    let back = TestDevice("one", store: device.store, archive: device.archive, storage: storage)
    for _ in 0..<3 { _ = await back.sync() }
    let texts = try folder.texts()
    for text in isTaken ? ["unseen", "theirs", "ours"] : ["ours"] {
      #expect(texts.values.contains { $0.contains(text) }, "\(text): \(texts)")
    }
    #expect(isTaken || texts == ["a.org": "ours\n"], "\(texts)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(names.allSatisfy { $0 == ReservedName.marker || !$0.contains(".syncd-") }, "\(names)")
    #expect(try await back.texts() == texts)
  }

  /// rsync links the old version to its temporary name, stalls, and continues after the client gave up.
  @Test("a previous version that remains is removed if the history has it, and gets its own name otherwise")
  func keepsVersions() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one")
    try await device.write("old\n", to: "a.org")
    try await device.write("b\n", to: "b.org")
    await device.expectHealthyRun("first")
    try await device.write("new\n", to: "a.org")
    await device.expectHealthyRun("second")
    let suffix = PreviousVersionName.suffix(for: Device(id: "one", name: "one"), .real, isExclusive: false)
    let other = PreviousVersionName.suffix(for: Device(id: "two", name: "two"), .real, isExclusive: false)
    try folder.write("b\n", to: "b.org" + suffix)
    try folder.write("unseen\n", to: "c.org" + suffix)
    try folder.write("c\n", to: "c.org")
    try folder.write("old\n", to: "a.org" + other)
    for _ in 0..<3 { _ = await device.sync() }
    var texts = try folder.texts()
    #expect(texts.removeValue(forKey: "a.org" + other) == "old\n")
    #expect(texts.values.sorted() == ["b\n", "c\n", "new\n", "unseen\n"], "\(texts)")
    #expect(texts.keys.allSatisfy { !$0.contains(".syncd-") }, "\(texts)")
    #expect(try await device.texts() == texts)
  }
}
