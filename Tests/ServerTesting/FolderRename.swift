import ProgramTesting
public import SyncKit
import SyncKitTesting

/// A device whose passes are measured.
public protocol MeasuredDevice: Sendable {
  func write(_ text: String, to path: String) async throws
  func remove(_ path: String) async throws
  /// Runs like `syncd --once`.
  func pass() async throws -> PassReport
}

/// What a remote gets when a folder of 20 files has another name, and when 20 other files of the same size take the place of them. The
/// second is what a rename costs without moves.
public struct FolderRename: Sendable {
  public static let count = 20
  /// The bytes of each file. They are random letters, so that no compression makes them much smaller.
  public static let size = 4_096
  /// The bytes of all files of the folder.
  public static let contentSize = count * size

  /// What a device sends in a pass.
  public struct Cost: Sendable {
    /// The number of requests, or of another unit of the remote.
    public var units: Int
    /// All bytes that were sent.
    public var bytes: Int
    /// The bytes of the files whose content was sent.
    public var content: Int
  }

  public let moved: Cost
  public let replaced: Cost

  /// Measures both on a device whose remote is empty, and prints them.
  ///
  /// - Parameters:
  ///   - remote: The kind of the remote.
  ///   - unit: The unit of what is counted, such as `request`.
  ///   - prepare: Runs before each of both, and before a pass that is not counted.
  ///   - sent: Returns the number of units, and of bytes, that were sent until now. Without bytes, those of the contents count.
  public init(
    _ remote: String, in unit: String, by device: some MeasuredDevice, prepare: () async throws -> Void = {},
    sent: () async throws -> (units: Int, bytes: Int?)
  ) async throws {
    func cost(_ change: () async throws -> Void) async throws -> Cost {
      try await prepare()
      _ = try await device.healthyPass()
      let before = try await sent()
      try await change()
      let content = try await device.healthyPass().bytes.up
      let after = try await sent()
      let bytes = if let end = after.bytes, let start = before.bytes { end - start } else { content }
      return Cost(units: after.units - before.units, bytes: bytes, content: content)
    }
    // Enough other files that the removals are not held.
    for number in 0..<5 * Self.count { try await device.write("* \(number)\n", to: "other/\(number).org") }
    try await device.write(Self.files("a"), in: "old")
    _ = try await device.healthyPass()
    moved = try await cost {
      try await device.write(Self.files("a"), in: "new")
      try await device.remove(from: "old")
    }
    replaced = try await cost {
      try await device.write(Self.files("b"), in: "newer")
      try await device.remove(from: "new")
    }
    guard replaced.content == Self.contentSize else { throw TestFailure("\(remote): \(replaced)") }
    let texts = [moved, replaced].map { "\($0.units.counted(unit)), \($0.bytes.counted("byte"))" }
    print("*** \(remote): a renamed folder of 20 files: \(texts[0]); 20 new files and 20 removals: \(texts[1]) ***")
  }

  /// True if the renamed files are moved: nothing of their content is sent, and fewer bytes than it has.
  public var isMove: Bool { moved.content == 0 && moved.bytes < Self.contentSize / 2 }

  private static func files(_ kind: String) -> [String] {
    (0..<count).map { number in
      var generator = SplitMix64(state: UInt64(number) << 8 | UInt64(kind.utf8.first ?? 0))
      let letters = (0..<size - 1).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] }
      return String(letters) + "\n"
    }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+ ")
}

extension MeasuredDevice {
  fileprivate func write(_ files: [String], in folder: String) async throws {
    for (number, text) in files.enumerated() { try await write(text, to: "\(folder)/\(number).org") }
  }

  fileprivate func remove(from folder: String) async throws {
    for number in 0..<FolderRename.count { try await remove("\(folder)/\(number).org") }
  }

  fileprivate func healthyPass() async throws -> PassReport {
    let report = try await pass()
    guard report.result == .synced else { throw TestFailure("\(report)") }
    return report
  }
}

extension TestDevice: MeasuredDevice {
  public func pass() async -> PassReport { await sync() }
}

extension FaultyProxy {
  /// From now on, requests of HTTP are counted.
  public func countRequests() throws {
    // The rule never fires, but counts.
    try follow([["match": #"^[A-Z]+ [^ ]+ HTTP/1\.1\r\n"#, "dir": "up", "nth": .max as Int]])
  }

  /// The number of requests since `countRequests`, and of bytes since the start.
  public func sent() throws -> (units: Int, bytes: Int?) {
    let counts = try counts()
    return (counts.matched.first ?? 0, counts.sent)
  }
}

extension EmulatedCloud {
  /// Measures a renamed folder in a new place of this cloud.
  public func renameFolder(_ name: String) async throws -> FolderRename {
    let proxy = try await FaultyProxy(to: url)
    try proxy.countRequests()
    let device = try await device("one", at: newPlace(), by: "http://127.0.0.1:\(proxy.port)")
    return try await FolderRename(name, in: "request", by: device) { try proxy.sent() }
  }
}
