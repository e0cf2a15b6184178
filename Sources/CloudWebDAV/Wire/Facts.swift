internal import CurlHTTP
internal import SyncKit

/// What a server says of one file or folder.
struct Facts: Hashable, Sendable {
  var isFolder = false
  var tag: EntityTag?
  var size: Int?
  var modified: Timestamp?
  /// How many bytes may still be stored in a folder, where that was asked for. Nextcloud says so with less than nothing that
  /// it does not know, or that there is no limit.
  var room: Int?
  var locks: [Lock] = []

  /// A lock on a file, as its server shows it.
  struct Lock: Hashable, Sendable {
    var token = ""
    /// Who has it, in the owner's own words.
    var owner = ""
  }

  /// True if the answer says nothing that it would say of a file. A lock on a free name looks so (Apache).
  var isBlank: Bool { !isFolder && tag == nil && size == nil && modified == nil }

  /// True if it is a file, and not just something of which the server does not say that it is a folder.
  var isFile: Bool { !isFolder && size != nil }

  /// The version that these facts identify. It is the same from a listing and from a lookup, because both
  /// ask for the same properties.
  var revision: Revision {
    Revision("\(tag?.text ?? "")\n\(size ?? -1)\n\(modified.map { "\($0.seconds)" } ?? "")")
  }

  /// The tag in a revision, if its server gave one.
  static func tag(in revision: Revision) -> EntityTag? {
    String(decoding: revision.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first
      .flatMap { EntityTag(String($0)) }
  }

  /// The time in a revision, if its server gave one.
  static func modified(in revision: Revision) -> Timestamp? {
    String(decoding: revision.bytes, as: UTF8.self).split(separator: "\n").last.flatMap { Int64($0) }
      .map(Timestamp.init(seconds:))
  }

  init() {}

  /// What the head of an answer to GET says of the file.
  init(head: HTTPResponse) {
    tag = head.header("ETag").flatMap(EntityTag.init)
    size = head.announcedSize
    modified = head.header("Last-Modified").flatMap(HTTPDate.time)
  }

  /// True if everything is said that tells versions apart.
  var isWhole: Bool { tag != nil && size != nil && modified != nil }

  /// Returns true if the head of an answer to GET speaks of the same version. A server that leaves a header out in the one place
  /// says nothing by it (lighttpd does, for files whose type it does not know).
  func agrees(with response: HTTPResponse) -> Bool {
    if let tag, let other = response.header("ETag") { return tag.matches(served: other) }
    if let modified, let other = response.header("Last-Modified").flatMap(HTTPDate.time) { return modified == other }
    return true
  }
}

/// Facts together with the time at which the server told them, by its own clock.
struct Observation: Sendable {
  var facts: Facts
  var date: Timestamp?

  /// Times have whole seconds, so a version this young may be followed by another one with the same time.
  private static let racySeconds: Int64 = 3

  /// True if its time is long enough past that a later version has another one.
  var isAtRest: Bool {
    guard let date, let modified = facts.modified else { return false }
    return date.seconds - modified.seconds >= Self.racySeconds
  }

  /// How long until it is at rest; nil if it is, or if unknown.
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
