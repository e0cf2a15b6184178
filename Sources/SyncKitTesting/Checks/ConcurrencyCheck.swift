public import SyncKit

/// A requirement for replicas that several devices write to without waiting for each other, and a test of it; see
/// `Entry.concurrent`.
///
/// Such a replica also passes the checks of `ReplicaCheck`, which know one device only.
public struct ConcurrencyCheck: Sendable {
  /// Two devices that have never met, each with its own replica.
  public struct Devices: Sendable {
    /// The replica of the first device.
    public var one: any Replica
    /// The replica of the second device.
    public var other: any Replica
    /// Lets each device have what the other one has.
    public var meet: @Sendable () async throws -> Void

    public init(one: any Replica, other: any Replica, meet: @escaping @Sendable () async throws -> Void) {
      self.one = one
      self.other = other
      self.meet = meet
    }
  }

  /// The requirement, as a claim.
  public let name: String
  private let body: @Sendable (Devices) async throws -> Void

  /// Runs the check; throws a `CheckFailure` if the claim does not hold.
  /// - Parameter fresh: Returns two devices without files.
  public func run(on fresh: @Sendable () async throws -> Devices) async throws {
    let devices = try await fresh()
    for replica in [devices.one, devices.other] { _ = try await replica.claim() }
    try await body(devices)
  }

  /// All checks.
  public static let all = [
    ConcurrencyCheck(name: "a version that one device wrote is listed by the other after they have met") { devices in
      let file = try await Version("one\n", on: devices.one)
      try await devices.meet()
      try await devices.other.expect(file.entry.revision, "one\n", nil)
    },
    ConcurrencyCheck(name: "each device lists the other's version as concurrent, with the common ancestor") { devices in
      let (one, other) = try await edits(on: devices)
      for (replica, agreed, text) in [(devices.one, one, "two\n"), (devices.other, other, "one\n")] {
        try await replica.expect(
          nil, text, Concurrency(ancestor: Digest(of: Array("old\n".utf8))), agreed: agreed)
      }
    },
    ConcurrencyCheck(name: "a change under the revision of a concurrent version replaces both, everywhere") { devices in
      let (one, _) = try await edits(on: devices)
      let found = try await devices.one.entry(agreed: one)
      let merged = try await Version("both\n", on: devices.one, replacing: found)
      try await devices.meet()
      for replica in [devices.one, devices.other] { try await replica.expect(merged.entry.revision, "both\n", nil) }
    },
    ConcurrencyCheck(name: "a removal removes what it has seen, and nothing else") { devices in
      let file = try await Version("old\n", on: devices.one)
      try await devices.meet()
      try await devices.one.change(nil, replacing: file.entry)
      let edited = try await Version("two\n", on: devices.other, replacing: file.entry)
      try await devices.meet()
      for replica in [devices.one, devices.other] { try await replica.expect(edited.entry.revision, "two\n", nil) }
      try await devices.one.change(nil, replacing: edited.entry)
      try await devices.meet()
      for replica in [devices.one, devices.other] {
        try require(try await replica.entry() == nil, "a removed file is still listed")
      }
    },
    ConcurrencyCheck(name: "a change of a version that another device has replaced is refused") { devices in
      let file = try await Version("old\n", on: devices.one)
      try await devices.meet()
      let edited = try await Version("one\n", on: devices.one, replacing: file.entry)
      try await devices.meet()
      let result = try await devices.other.commit(change: file.change(to: "two\n"))
      guard case .refused = result else { throw CheckFailure("a write on a replaced version returned \(result)") }
      try await devices.other.expect(edited.entry.revision, "one\n", nil)
    },
  ]

  /// Both devices edit a file that both have, and meet.
  private static func edits(on devices: Devices) async throws -> (one: Version, other: Version) {
    let file = try await Version("old\n", on: devices.one)
    try await devices.meet()
    let one = try await Version("one\n", on: devices.one, replacing: file.entry)
    let other = try await Version("two\n", on: devices.other, replacing: file.entry)
    try await devices.meet()
    return (one, other)
  }
}

extension ConcurrencyCheck: CustomStringConvertible {
  /// The claim.
  public var description: String { name }
}

/// A version that a check has written.
private struct Version: Sendable {
  static let path = SyncPath(trusted: Array("a.org".utf8))

  let entry: Entry
  private let content: Content

  init(_ text: String, on replica: any Replica, replacing former: Entry? = nil) async throws {
    content = Content(Array(text.utf8))
    entry = try await replica.change(content, replacing: former).required("a write returned no entry")
  }

  func change(to text: String) -> Change {
    Change(
      path: Self.path, content: Content(Array(text.utf8)), condition: .unchanged(entry.revision), replaced: content)
  }

  /// What the engine knows once store and replica have agreed on this version.
  var known: Known {
    Known(
      Base([Agreement(path: Self.path, digest: content.digest, local: Revision("1"), remote: entry.revision)]),
      on: .remote)
  }
}

extension Replica {
  /// Returns the entry of the file in a listing after an agreement on `agreed`.
  fileprivate func entry(agreed: Version? = nil) async throws -> Entry? {
    try await list(since: agreed?.known ?? Known())[Version.path]
  }

  @discardableResult
  fileprivate func change(_ content: Content?, replacing former: Entry?) async throws -> Entry? {
    let result = try await commit(
      change: Change(
        path: Version.path, content: content, condition: former.map { .unchanged($0.revision) } ?? .absent))
    guard case .done(let entry) = result else { throw CheckFailure("a change returned \(result)") }
    return entry
  }

  /// - Parameter revision: The expected revision; nil for any.
  fileprivate func expect(
    _ revision: Revision?, _ text: String, _ concurrent: Concurrency?, agreed: Version? = nil
  ) async throws {
    let entry = try await entry(agreed: agreed).required("the file is not listed")
    try require(revision == nil || entry.revision == revision, "the file has another revision than its writer got")
    try require(entry.concurrent == concurrent, "the file is listed as \(entry)")
    let sink = MemorySink(limit: 100)
    guard case .read(let read) = try await read(file: Version.path, into: sink) else {
      throw CheckFailure("the file cannot be read")
    }
    try require(sink.bytes == Array(text.utf8), "the file is \(String(decoding: sink.bytes, as: UTF8.self))")
    try require(read.revision == entry.revision, "reading the file returned another revision than listing it")
  }
}

extension Optional {
  fileprivate func required(_ what: String) throws -> Wrapped {
    guard let self else { throw CheckFailure(what) }
    return self
  }
}
