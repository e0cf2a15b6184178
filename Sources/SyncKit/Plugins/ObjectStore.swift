/// A service that stores objects under names and tells their versions apart by etags: an HTTP server with conditional
/// requests, a bucket. `ObjectFiles` makes it a `FileService`, `FileServiceStorage` makes that a storage.
///
/// A verb throws the codes of `Storage`, and `.pathFailed` for what is about one object. Verbs for different objects run at
/// the same time. Nothing that writes is ever repeated.
public protocol ObjectStore: Sendable {
  /// What the store is called in messages, without credentials.
  var address: String { get }

  /// Which names the store can hold. Default: any.
  var naming: NamingRules { get }

  /// Maximum number of requests at a time. Default: 8.
  var parallelism: Int { get }

  /// Returns a page of the listing: the first, or the one that `token` of the page before it leads to. Throws `.notFound`
  /// if the store is not there.
  func list(page token: String?) async throws(SyncError) -> ObjectPage

  /// Writes the object's bytes into `intake` and returns which version they are; nil if there is no such object.
  func get(_ path: SyncPath, into intake: any ContentIntake) async throws(SyncError) -> ObjectVersion?

  /// Returns which version of an object is there; nil if there is none. Default: reads the object.
  func head(_ path: SyncPath) async throws(SyncError) -> ObjectVersion?

  /// Stores an object whole if the condition holds. The content throws instead of ending early. Throws `.unavailable` or
  /// `.timedOut` if the answer was lost; the adapter then looks.
  func put(_ content: Content, at path: SyncPath, if condition: Condition) async throws(SyncError) -> ObjectChange

  /// Removes an object if it has this etag. Throws like `put`.
  func delete(_ path: SyncPath, if etag: Revision) async throws(SyncError) -> ObjectChange

  /// Creates the store if it is missing. Default: it always exists.
  func create() async throws(SyncError)
}

extension ObjectStore {
  public var naming: NamingRules { NamingRules() }

  public var parallelism: Int { 8 }

  public func create() async throws(SyncError) {}

  public func head(_ path: SyncPath) async throws(SyncError) -> ObjectVersion? {
    try await get(path, into: DiscardingIntake())
  }
}

/// One version of an object.
public struct ObjectVersion: Hashable, Sendable {
  /// The etag as the store sends it, quotes included (RFC 9110, 8.8.3). A weak one, `W/"…"`, does not prove that an object
  /// is unchanged.
  public var etag: String
  /// The size in bytes, if the store tells it.
  public var size: Int?
  /// The time of the last change, if the store reports one.
  public var modified: Timestamp?

  public init(etag: String, size: Int? = nil, modified: Timestamp? = nil) {
    self.etag = etag
    self.size = size
    self.modified = modified
  }
}

/// A page of a listing.
public struct ObjectPage: Sendable {
  /// The objects by name. A name that is not a `SyncPath` was not written by syncd and is ignored.
  public var objects: [(name: [UInt8], version: ObjectVersion)]
  /// What the next page is asked for with; nil after the last page.
  public var next: String?

  public init(_ objects: [(name: [UInt8], version: ObjectVersion)], next: String? = nil) {
    self.objects = objects
    self.next = next
  }
}

/// How a conditional change of an object ended.
public enum ObjectChange: Hashable, Sendable {
  /// It was made. The version is the one that was stored, if the store tells it; nil after a removal.
  case done(ObjectVersion?)
  /// The condition did not hold, and nothing was changed.
  case refused
}

extension Condition {
  /// The precondition of a request, for stores that speak HTTP (RFC 9110, 13.1).
  public var header: (name: String, value: String) {
    switch self {
    case .absent: ("If-None-Match", "*")
    case .unchanged(let revision): ("If-Match", String(decoding: revision.bytes, as: UTF8.self))
    }
  }
}

/// Takes bytes in and keeps nothing of them.
private final class DiscardingIntake: ContentIntake {
  func write(_ chunk: [UInt8]) {}
}
