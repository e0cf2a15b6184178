/// A service that stores objects under names and distinguishes their versions by etags: an HTTP server with conditional
/// requests, a bucket. `ObjectFiles` turns it into a `FileService`, `FileServiceStorage` turns that into a storage.
///
/// A method throws the codes of `Storage`, and `.pathFailed` for errors of one object. Methods for different objects run
/// concurrently. Writes are never repeated.
public protocol ObjectStore: Sendable {
  /// The store's name in messages, without credentials.
  var address: String { get }

  /// The names that the store can hold. Default: any.
  var naming: NamingRules { get }

  /// The maximum number of concurrent requests. Default: 8.
  var parallelism: Int { get }

  /// Returns a page of the listing: the first, or the one for the `token` of the previous page. Throws `.notFound` if the store
  /// does not exist.
  func list(page token: String?) async throws(SyncError) -> ObjectPage

  /// Writes the object's bytes into `intake` and returns their version; nil if the object does not exist.
  func get(_ path: SyncPath, into intake: any ContentIntake) async throws(SyncError) -> ObjectVersion?

  /// Returns the present version of an object; nil if there is none. Default: reads the object.
  func head(_ path: SyncPath) async throws(SyncError) -> ObjectVersion?

  /// Stores an object whole if the condition holds. The content throws instead of ending early. Throws `.unavailable` or
  /// `.timedOut` if the answer was lost; the adapter then looks the object up.
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
  /// The size in bytes, if the store reports it.
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
  /// The token of the next page; nil after the last page.
  public var next: String?

  public init(_ objects: [(name: [UInt8], version: ObjectVersion)], next: String? = nil) {
    self.objects = objects
    self.next = next
  }
}

/// The result of a conditional change of an object.
public enum ObjectChange: Hashable, Sendable {
  /// The change was made. The version is the stored one, if the store reports it; nil after a removal.
  case done(ObjectVersion?)
  /// The condition did not hold, and nothing was changed.
  case refused
}

extension Condition {
  /// The precondition of a request, for HTTP stores (RFC 9110, 13.1).
  public var header: (name: String, value: String) {
    switch self {
    case .absent: ("If-None-Match", "*")
    case .unchanged(let revision): ("If-Match", String(decoding: revision.bytes, as: UTF8.self))
    }
  }
}

/// Accepts bytes and discards them.
private final class DiscardingIntake: ContentIntake {
  func write(_ chunk: [UInt8]) {}
}
