import Foundation
import ProgramTesting
import RsyncWire
import SSHConnection
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

/// Each moment at which another writer can interfere, simulated by an rsync that does it: a wrapper around the real one that
/// writes just before or after the real one's work.
@Suite("A version that was replaced unseen") struct RestoringTests {
  /// An rsync that runs a script on the remote host after it received files, simulating an edit just before they were put in
  /// place: the file that it kept is exchanged for another writer's version.
  private static func wrapper(_ folder: Folder, _ script: String) throws -> String {
    let path = NSTemporaryDirectory() + "rsync-\(UUID().uuidString)"
    let text = """
      #!/bin/sh
      cd '\(folder.path)' 2>/dev/null
      case "$*" in
        *--suffix=*) rsync "$@"; status=$?; \(script); exit $status ;;
        *) exec rsync "$@" ;;
      esac
      """
    try writeProgram(text, to: path)
    return path
  }

  /// A device with an agreed `a.org`, whose next write meets an edit of another writer, once, followed by `more`.
  private func racingDevice(in folder: Folder, _ more: String = "") async throws -> TestDevice {
    let device = try await folder.device("one")
    try await device.write("start\n", to: "a.org")
    await device.expectHealthyRun("first")
    let flag = NSTemporaryDirectory() + "flag-\(UUID().uuidString)"
    let rsync = try Self.wrapper(
      folder,
      "[ -e \(flag) ] || { : >\(flag); for kept in a.org.syncd-*.tmp; do rm \"$kept\"; echo unseen >\"$kept\"; done; \(more) }"
    )
    return TestDevice(
      "one", store: device.store, archive: device.archive,
      storage: try await folder.storage(device.archive) { $0.rsyncPath = rsync })
  }

  @Test("the version is put back, and the next pass merges it")
  func moveBack() async throws {
    let folder = try await Folder()
    let racing = try await racingDevice(in: folder)
    try await racing.write("ours\n", to: "a.org")
    _ = await racing.sync()
    _ = await racing.sync()
    let texts = try folder.texts()
    #expect(
      texts.values.contains { $0.contains("unseen") } && texts.values.contains { $0.contains("ours") }, "\(texts)")
    #expect(texts.keys.allSatisfy { !$0.contains(".syncd-") }, "\(texts)")
    #expect(try await racing.texts() == texts)
    // One file contains both versions: the foreign one was put back and then merged like any edit.
    #expect(texts.count == 1, "\(texts)")
  }

  @Test("the version gets its own name if another file has the original name")
  func setAside() async throws {
    let folder = try await Folder()
    let racing = try await racingDevice(in: folder, "echo later >a.org;")
    try await racing.write("ours\n", to: "a.org")
    for _ in 0..<3 { _ = await racing.sync() }
    let texts = try folder.texts()
    for text in ["unseen", "ours", "later"] {
      #expect(texts.values.contains { $0.contains(text) }, "\(text): \(texts)")
    }
    #expect(texts.keys.allSatisfy { !$0.contains(".syncd-") }, "\(texts)")
  }

  @Test("the version is also found after a crash")
  func crash() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one")
    try await device.write("start\n", to: "a.org")
    await device.expectHealthyRun("first")
    // The final lookup never happens: the host disappears after it received the files.
    let flag = NSTemporaryDirectory() + "flag-\(UUID().uuidString)"
    let rsync = try Self.wrapper(
      folder, ": >\(flag); for kept in a.org.syncd-*.tmp; do rm \"$kept\"; echo unseen >\"$kept\"; done")
    let dying = try await folder.storage(device.archive) {
      $0.rsyncPath = rsync
      $0.ssh.sshCommand = ["/bin/sh", "-c", "[ -e \(flag) ] && exit 255; " + Folder.shell, "ssh"]
    }
    try await device.write("ours\n", to: "a.org")
    let report = await TestDevice("one", store: device.store, archive: device.archive, storage: dying).sync()
    #expect(report.result == .unreachable)
    #expect(try folder.texts().keys.contains { $0.contains(".syncd-") })
    for _ in 0..<2 { _ = await device.sync() }
    let texts = try folder.texts()
    #expect(
      texts.values.contains { $0.contains("unseen") } && texts.values.contains { $0.contains("ours") }, "\(texts)")
    #expect(texts.keys.allSatisfy { !$0.contains(".syncd-") }, "\(texts)")
  }
}
