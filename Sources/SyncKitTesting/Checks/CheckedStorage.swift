import SyncKit

/// The storage under test, with the operations and requirements that checks use.
struct CheckedStorage: Sendable {
  let storage: any Storage
  /// Another handle for the same place.
  let other: any Storage
  let bench: StorageBench
  private let contents = MemoryContents()

  init(storage: any Storage, other: any Storage, bench: StorageBench) {
    self.storage = storage
    self.other = other
    self.bench = bench
  }

  /// The same place through the other handle.
  var seenFromOther: CheckedStorage { CheckedStorage(storage: other, other: storage, bench: bench) }

  /// Alternates between the handles.
  func handle(of writer: Int) -> any Storage { writer / 2 % 2 == 0 ? storage : other }

  /// Lists and reads a file, as an engine does before it changes a file that another device wrote. Returns its entry; nil if
  /// the file does not exist.
  @discardableResult
  func meet(_ path: SyncPath) async throws -> Entry? {
    let listed = try await list()[path]
    guard listed != nil, case .read(let entry) = try await storage.read(file: path, into: sink) else { return listed }
    return entry
  }

  /// Creates a file; retries while the place asks for it, and fails unless it succeeds.
  func createAmongWriters(_ path: String, _ text: String) async throws {
    let (path, content) = (try syncPath(path), Content(Array(text.utf8)))
    for _ in 0..<20 {
      let result = try await storage.write(content, to: path, if: .absent)
      guard case .postponed = result else {
        _ = try result.entry(whenCreating: path)
        return
      }
    }
    throw CheckFailure("writing \(path) was postponed 20 times")
  }

  /// Creates a file; fails unless it succeeds.
  @discardableResult
  func create(_ path: String, _ text: String = "one\n") async throws -> Entry {
    try await create(try syncPath(path), Content(Array(text.utf8)))
  }

  @discardableResult
  func create(_ path: SyncPath, _ content: Content) async throws -> Entry {
    try await storage.write(content, to: path, if: .absent).entry(whenCreating: path)
  }

  /// Replaces a file with a known revision; fails unless it succeeds.
  func replace(_ entry: Entry, _ text: String) async throws -> Entry {
    let content = Content(Array(text.utf8))
    return try await storage.write(content, to: entry.path, if: .unchanged(entry.revision))
      .entry(whenCreating: entry.path)
  }

  /// Removes a file with a known revision; fails unless it succeeds.
  func remove(_ entry: Entry) async throws {
    let result = try await storage.remove(entry.path, if: .unchanged(entry.revision))
    guard case .done = result else { throw CheckFailure("removing \(entry.path) returned \(result)") }
  }

  func write(_ text: String, to path: String, if condition: Condition) async throws -> WriteResult {
    try await storage.write(Content(Array(text.utf8)), to: try syncPath(path), if: condition)
  }

  /// The text of a file; nil if it does not exist.
  func text(of path: String) async throws -> String? {
    try await bytes(of: try syncPath(path)).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(of path: SyncPath) async throws -> [UInt8]? {
    let result = try await storage.read(file: path, into: sink)
    switch result {
    case .absent: return nil
    case .read(let entry): return try await content(of: entry)
    case .postponed, .failed: throw CheckFailure("reading \(path) returned \(result)")
    }
  }

  /// The content that the sink received for an entry that was read.
  func content(of entry: Entry) async throws -> [UInt8] {
    guard let digest = entry.digest else { throw CheckFailure("reading \(entry.path) returned no digest") }
    guard let content = await contents.content(digest) else {
      throw CheckFailure("reading \(entry.path) returned a digest that does not match the content")
    }
    return try await content.bytes()
  }

  var sink: any ContentSink { contents.intake(keepingAtMost: .max) }

  /// All entries by path; fails unless the listing is complete.
  func list(since known: Known = Known()) async throws -> [SyncPath: Entry] {
    let snapshot = try await storage.list(since: known)
    try require(snapshot.isComplete, "the listing is not declared complete")
    try require(snapshot.unread.isEmpty, "the listing could not read \(snapshot.unread)")
    return Dictionary(snapshot.entries.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
  }

  /// The names of all files, in folder order.
  func names() async throws -> [String] { try await list().keys.sorted().map(\.description) }

  /// The texts of all files.
  func texts() async throws -> Set<String> {
    var texts: Set<String> = []
    for name in try await names() { texts.formUnion([try await text(of: name)].compactMap(\.self)) }
    return texts
  }

  /// Looks up the entry of a path; nil if it does not exist.
  func entry(at path: String) async throws -> Entry? {
    switch try await storage.confirm(file: try syncPath(path)) {
    case .present(let entry): return entry
    case .absent: return nil
    case .postponed(let reason), .unknown(let reason):
      throw CheckFailure("the lookup of \(path) returned no result: \(reason)")
    }
  }

  /// Requires that a file has this text; nil means that it must not exist.
  func expect(_ path: String, holds text: String?) async throws {
    let found = try await self.text(of: path)
    try require(
      found == text, "expected \(text?.debugDescription ?? "nothing") in \(path), found \(found ?? "nothing")")
  }

  func expectNames(_ expected: [String]) async throws {
    let found = try await names()
    try require(found == expected, "expected \(expected) in the listing, found \(found)")
  }
}

/// Parses a path; fails if it is invalid.
func syncPath(_ text: String) throws -> SyncPath {
  guard let path = SyncPath(text) else { throw CheckFailure("\(text) is not a path") }
  return path
}

extension WriteResult {
  /// Returns the entry of a file; fails unless it was written.
  func entry(whenCreating path: SyncPath) throws -> Entry {
    guard case .done(let entry?) = self else { throw CheckFailure("writing \(path) returned \(self)") }
    try require(entry.path == path, "writing \(path) returned the entry of \(entry.path)")
    return entry
  }

  /// Requires a refusal that reports the present revision.
  func expectRefused(becauseOf revision: Revision?, _ what: String) throws {
    guard case .refused(let entry) = self else { throw CheckFailure("\(what) must be refused, but returned \(self)") }
    try require(
      entry?.revision == revision,
      "\(what) was refused with \(entry?.revision.description ?? "nothing") instead of the current revision")
  }

  var isDone: Bool { if case .done = self { true } else { false } }

  /// True if the change may have happened or not.
  var isUnknown: Bool { if case .unknown = self { true } else { false } }

  /// True if the storage reports that it cannot store the path, now or ever.
  var declines: Bool {
    switch self {
    case .cannot: true
    case .failed(let error): error.code == .pathFailed
    default: false
    }
  }
}
