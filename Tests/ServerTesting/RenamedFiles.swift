import ProgramTesting
import SyncKit
import SyncKitTesting

/// A device that has synced files with a remote, for tests of what becomes of files that get other names.
public struct RenamedFiles: Sendable {
  public let device: TestDevice
  public let remote: any RemoteEditor
  private let newDevice: @Sendable () async throws -> TestDevice

  /// Writes `files` on the device and syncs them.
  ///
  /// - Parameter newDevice: Makes another device that syncs with the remote.
  public init(
    _ files: [String: String], on device: TestDevice, _ remote: any RemoteEditor,
    newDevice: @escaping @Sendable () async throws -> TestDevice
  ) async throws {
    (self.device, self.remote, self.newDevice) = (device, remote, newDevice)
    for (name, text) in files { try await device.write(text, to: name) }
    let report = await device.sync()
    guard report.result == .synced else { throw TestFailure("before the renames: \(report)") }
  }

  /// Requires that, after some passes of `device`, it, the remote and a new device have these files, and no other.
  public func expect(_ files: [String: String], by device: TestDevice? = nil, _ comment: String = "") async throws {
    let device = device ?? self.device
    for _ in 0..<3 { _ = await device.sync() }
    let second = try await newDevice()
    for device in [device, second] {
      let report = await device.sync()
      guard report.result == .synced else { throw TestFailure("\(comment), \(device.name): \(report)") }
    }
    let (here, other, there) = (try await device.texts(), try await second.texts(), try await remote.texts())
    guard here == files, other == files, there == files else {
      throw TestFailure("\(comment): here \(here), another device \(other), remote \(there)")
    }
    let quiet = await device.sync()
    guard quiet.result == .synced, !quiet.didSomething else { throw TestFailure("\(comment), not quiet: \(quiet)") }
  }
}

extension TestDevice {
  /// Gives files other names in the store, one after the other.
  public func rename(_ names: KeyValuePairs<String, String>) async throws {
    for (old, new) in names {
      guard let text = try await texts()[old] else { throw TestFailure("\(name) has no file \(old)") }
      try await write(text, to: new)
      try await remove(old)
    }
  }
}

/// Files that exchange their names, a file that becomes a folder, and a name that changes only in case.
public enum NameExchange {
  public static let before = ["a.org": "* a\n", "b.org": "* b\n", "c": "* c\n", "d.org": "* d\n"]
  public static let names: KeyValuePairs = [
    "a.org": "x", "b.org": "a.org", "x": "b.org", "c": "y", "y": "c/c", "d.org": "D.org",
  ]
  public static let after = ["a.org": "* b\n", "b.org": "* a\n", "c/c": "* c\n", "D.org": "* d\n"]
}
