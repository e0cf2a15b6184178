internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// The properties of one file or folder on a server.
struct Facts: Hashable, Sendable {
  var isFolder = false
  var tag: EntityTag?
  var size: Int?
  var modified: Timestamp?
  /// The free space in a folder in bytes, if it was requested. Nextcloud reports negative numbers for unknown or unlimited
  /// space.
  var room: Int?
  var locks: [Lock] = []

  /// A lock on a file.
  struct Lock: Hashable, Sendable {
    var token = ""
    /// The owner, as given by its client.
    var owner = ""
  }

  /// True if no file property is set, as for a lock on an unused name (Apache).
  var isBlank: Bool { !isFolder && tag == nil && size == nil && modified == nil }

  /// True if it is certainly a file, and not just an item that the server does not call a folder.
  var isFile: Bool { !isFolder && size != nil }

  /// The revision of a file. It is the same from a listing and from a lookup, because both request the same properties.
  var revision: Revision {
    Revision("\(tag?.text ?? "")\n\(size ?? -1)\n\(modified.map { "\($0.seconds)" } ?? "")")
  }

  /// The tag in a revision, if there is one.
  static func tag(in revision: Revision) -> EntityTag? {
    String(decoding: revision.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first
      .flatMap { EntityTag(String($0)) }
  }

  /// The time in a revision, if there is one.
  static func modified(in revision: Revision) -> Timestamp? {
    String(decoding: revision.bytes, as: UTF8.self).split(separator: "\n").last.flatMap { Int64($0) }
      .map(Timestamp.init(seconds:))
  }

  init() {}

  /// Reads the properties in the head of an answer to GET.
  init(head: HTTPResponse) {
    tag = head.header("ETag").flatMap(EntityTag.init)
    size = head.announcedSize
    modified = head.header("Last-Modified").flatMap(HTTPDate.time)
  }

  /// True if all properties that distinguish versions are present.
  var isWhole: Bool { tag != nil && size != nil && modified != nil }

  /// Returns true if the head of an answer to GET does not contradict these properties. A server may omit a header (lighttpd
  /// does for files of unknown type).
  func agrees(with response: HTTPResponse) -> Bool {
    if let tag, let other = response.header("ETag") { return tag.matches(served: other) }
    if let modified, let other = response.header("Last-Modified").flatMap(HTTPDate.time) { return modified == other }
    return true
  }
}

/// Properties together with the time of the answer by the server's clock.
struct Observation: Sendable {
  var facts: Facts
  var date: Timestamp?

  /// Times have whole seconds, so a version this young may be followed by another with the same time.
  private static let racySeconds: Int64 = 3

  /// True if the version's time is old enough that a later version has another one.
  var isAtRest: Bool {
    guard let date, let modified = facts.modified else { return false }
    return date.seconds - modified.seconds >= Self.racySeconds
  }

  /// The seconds until it is at rest; nil if it is, or if unknown.
  var secondsToRest: Int64? {
    guard let date, let modified = facts.modified else { return nil }
    let rest = Self.racySeconds - (date.seconds - modified.seconds)
    return rest > 0 && rest <= Self.racySeconds ? rest : nil
  }

  /// The entry at `path`.
  func entry(at path: SyncPath, _ traits: Traits?) -> Entry {
    let tellsVersionsApart = traits?.tagsAreFine == true && facts.tag != nil
    return Entry(
      path: path, revision: facts.revision, isFirm: tellsVersionsApart || isAtRest, size: facts.size ?? 0,
      modified: facts.modified)
  }
}
