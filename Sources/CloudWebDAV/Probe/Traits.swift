internal import SyncKit

/// The observed behaviour of a server, probed in a temporary folder; never its own claims.
struct Traits: Hashable, Sendable {
  /// The server's name in its answers when it was probed; another name means another server, or a newer one.
  var product: String?
  /// The WebDAV classes in its answers for files (RFC 4918, 18), if any.
  var classes: String?
  /// The time of the probe, in whole seconds.
  var probed: Timestamp?
  /// True if PUT checks a condition when it begins. The condition may not hold to the end of the upload.
  var guardsUpdates = false
  /// The same for a PUT that requires that no file exists.
  var guardsCreations = false
  /// True if DELETE checks its condition.
  var guardsRemovals = false
  /// True if readers see the old version until the new one is complete, and still do if the connection breaks.
  var replacesAtOnce = false
  /// True if a lock excludes other writers, and not its owner.
  var locks = false
  /// True if a lock's owner must name the file to delete it: Apache requires it, and nginx does not understand it for names
  /// with escapes.
  var removalsNameTheFile = false
  /// True if a lock's owner can move a file onto the locked one, and keeps the lock.
  var movesOntoLocks = false
  /// True if MOVE does not overwrite when so requested.
  var movesWithoutOverwriting = false
  /// True if two versions of the same size, written within a second, have different tags.
  var tagsAreFine = false
  /// True if the tag of a folder changes with everything below it.
  var tagsReachUp = false
  /// True if the head of an answer to GET has the same properties as PROPFIND.
  var headsAgree = false
  /// True if names that begin with a dot are listed.
  var listsDotNames = false
  /// True if names that differ only in case, or only in Unicode normalisation, are one file.
  var foldsCase = false
  var foldsUnicode = false
  /// True if the server lists names as they were sent, apart from their Unicode form.
  var keepsNames = false
  /// True if the server lists every name in composed form, or in decomposed form.
  var composesNames = false
  var decomposesNames = false
  /// Characters that change in names.
  var lostCharacters = ""

  init() {}

  /// The names of the traits in the record.
  private static let fields: [(String, any WritableKeyPath<Traits, Bool> & Sendable)] = [
    ("guards-updates", \.guardsUpdates), ("guards-creations", \.guardsCreations), ("guards-removals", \.guardsRemovals),
    ("replaces-at-once", \.replacesAtOnce), ("locks", \.locks), ("removals-name-the-file", \.removalsNameTheFile),
    ("moves-onto-locks", \.movesOntoLocks), ("moves-without-overwriting", \.movesWithoutOverwriting),
    ("tags-are-fine", \.tagsAreFine), ("tags-reach-up", \.tagsReachUp), ("heads-agree", \.headsAgree),
    ("lists-dot-names", \.listsDotNames),
    ("folds-case", \.foldsCase), ("folds-unicode", \.foldsUnicode), ("keeps-names", \.keepsNames),
    ("composes-names", \.composesNames), ("decomposes-names", \.decomposesNames),
  ]

  private static let format = "3"

  /// The encoded traits: the server's name, the time, then a line for each that is true.
  var record: [UInt8] {
    let names = [product, classes].map { $0.map { "=\($0)" } ?? "" }
    let lines =
      names + [probed.map { "\($0.seconds)" } ?? "", lostCharacters]
      + Self.fields.filter { self[keyPath: $0.1] }.map(\.0)
    return Array(([Self.format] + lines).joined(separator: "\n").utf8)
  }

  /// Decodes a record; returns nil if another or older program wrote it.
  init?(record: [UInt8]) {
    let lines = String(decoding: record, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == Self.format[...], lines.count >= 5 else { return nil }
    product = lines[1].isEmpty ? nil : String(lines[1].dropFirst())
    classes = lines[2].isEmpty ? nil : String(lines[2].dropFirst())
    probed = Int64(lines[3]).map(Timestamp.init(seconds:))
    lostCharacters = String(lines[4])
    for (name, field) in Self.fields { self[keyPath: field] = lines.dropFirst(5).contains { $0 == name } }
  }

  /// The time in seconds for which traits are valid: a week.
  private static let validity: Int64 = 7 * 24 * 3600

  /// Returns true if a new probe is due: a week has passed, or the clock was set back.
  func isOld(at now: Timestamp) -> Bool {
    guard let probed, probed <= now else { return true }
    return now.seconds - probed.seconds >= Self.validity
  }

  /// Returns true if the server that answers now is the one that was probed, as far as its answers show.
  func isOf(_ server: Server) -> Bool {
    let (product, classes) = (server.product, server.classes)
    return (product == nil || product == self.product) && (classes == nil || classes == self.classes)
  }

  /// The method of replacing an existing file: the safest one that the server supports.
  ///
  /// A server may check a condition only when an upload begins, and a lock excludes only WebDAV clients. Therefore the old version
  /// is moved aside and checked there if MOVE does not overwrite, which one answer proves without timing.
  enum ReplacementMethod: Hashable, Sendable {
    /// Moving the old version away, checking it, and moving the new one in; nothing is ever overwritten.
    case moves
    /// Under a lock that is held from the last check to the last byte: by PUT, or by moving a complete upload in.
    case lock(moving: Bool)
    /// PUT with a condition; a write of another client during the upload may be lost.
    case condition
    /// Checking, then overwriting; a write of another client in between is lost.
    case unsafe
  }

  var update: ReplacementMethod {
    if movesWithoutOverwriting { return .moves }
    if locks, replacesAtOnce { return .lock(moving: false) }
    if locks, movesOntoLocks { return .lock(moving: true) }
    return replacesAtOnce && guardsUpdates && tagsAreFine ? .condition : .unsafe
  }

  var removal: ReplacementMethod {
    if movesWithoutOverwriting { return .moves }
    if locks { return .lock(moving: false) }
    return guardsRemovals && guardsUpdates && tagsAreFine ? .condition : .unsafe
  }

  /// True if a new file is created by PUT with a condition; otherwise it is uploaded beside its path and moved.
  var createsDirectly: Bool { !movesWithoutOverwriting && replacesAtOnce && guardsCreations }

  /// True if only a condition prevents a change from replacing an unseen version.
  var reliesOnConditions: Bool { createsDirectly || update == .condition || removal == .condition }

  /// True if no change can replace an unseen version.
  var isSafe: Bool { movesWithoutOverwriting }

  var replacement: Capabilities.Replacement { isSafe ? .moves : .unsafe }

  /// Control characters and names of more than 250 bytes are rejected regardless of the server.
  var naming: NamingRules {
    NamingRules(
      foldsCase: foldsCase, foldsUnicode: foldsUnicode || unicodeForm != nil, requiresUTF8: true,
      maximumNameLength: 250, forbiddenBytes: Set(0..<0x20).union([0x7F]).union(lostCharacters.utf8),
      unicodeForm: unicodeForm)
  }

  private var unicodeForm: UnicodeForm? {
    if composesNames { return .composed }
    return decomposesNames ? .decomposed : nil
  }

  /// Returns true if the server is known to list every part of a path as it was sent: plain ASCII on a server that keeps names.
  func surelyKeeps(_ path: SyncPath) -> Bool {
    keepsNames && path.bytes.allSatisfy(Self.plain.contains) && !path.parts.contains { $0.last == UInt8(ascii: ".") }
  }

  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./".utf8)
}
