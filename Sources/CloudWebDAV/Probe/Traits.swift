internal import SyncKit

/// What a server was seen to do, in a folder made for that; never what it says of itself.
struct Traits: Hashable, Sendable {
  /// What the server called itself when it was probed; another answer means another server, or a newer one.
  var product: String?
  /// The classes of WebDAV that it said it has when it was asked for files (RFC 4918, 18), if it did.
  var classes: String?
  /// When it was probed, in whole seconds.
  var probed: Timestamp?
  /// True if a condition on PUT keeps out the second writer, also while the first one is still sending.
  var guardsUpdates = false
  /// The same for a PUT that wants nothing to be there.
  var guardsCreations = false
  /// True if DELETE obeys its condition.
  var guardsRemovals = false
  /// True if readers see the old version until the new one is complete, and still see it when the connection breaks.
  var replacesAtOnce = false
  /// True if a lock keeps others from writing, and lets its owner write.
  var locks = false
  /// True if the owner of a lock has to name the file to delete it: Apache wants it, and nginx does not understand it for
  /// names with escapes.
  var removalsNameTheFile = false
  /// True if the owner of a lock can move a file onto it, and still has the lock afterwards.
  var movesOntoLocks = false
  /// True if MOVE does not overwrite when so requested.
  var movesWithoutOverwriting = false
  /// True if two versions of the same size, written within a second, have different tags.
  var tagsAreFine = false
  /// True if the tag of a folder changes with everything below it.
  var tagsReachUp = false
  /// True if the head of an answer to GET says the same of a file as PROPFIND.
  var headsAgree = false
  /// True if names that begin with a dot are listed.
  var listsDotNames = false
  /// True if names that differ in case only, or in Unicode form only, are one file.
  var foldsCase = false
  var foldsUnicode = false
  /// Characters with which names do not arrive as they were sent.
  var lostCharacters = ""

  init() {}

  /// The names under which the record keeps them.
  private static let fields: [(String, any WritableKeyPath<Traits, Bool> & Sendable)] = [
    ("guards-updates", \.guardsUpdates), ("guards-creations", \.guardsCreations), ("guards-removals", \.guardsRemovals),
    ("replaces-at-once", \.replacesAtOnce), ("locks", \.locks), ("removals-name-the-file", \.removalsNameTheFile),
    ("moves-onto-locks", \.movesOntoLocks), ("moves-without-overwriting", \.movesWithoutOverwriting),
    ("tags-are-fine", \.tagsAreFine), ("tags-reach-up", \.tagsReachUp), ("heads-agree", \.headsAgree),
    ("lists-dot-names", \.listsDotNames),
    ("folds-case", \.foldsCase), ("folds-unicode", \.foldsUnicode),
  ]

  private static let format = "2"

  /// The traits as a record: what the server called itself, the time, then a line for each that is true.
  var record: [UInt8] {
    let names = [product, classes].map { $0.map { "=\($0)" } ?? "" }
    let lines =
      names + [probed.map { "\($0.seconds)" } ?? "", lostCharacters]
      + Self.fields.filter { self[keyPath: $0.1] }.map(\.0)
    return Array(([Self.format] + lines).joined(separator: "\n").utf8)
  }

  /// The traits in a record; nil if another program wrote it, or an older one.
  init?(record: [UInt8]) {
    let lines = String(decoding: record, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == Self.format[...], lines.count >= 5 else { return nil }
    product = lines[1].isEmpty ? nil : String(lines[1].dropFirst())
    classes = lines[2].isEmpty ? nil : String(lines[2].dropFirst())
    probed = Int64(lines[3]).map(Timestamp.init(seconds:))
    lostCharacters = String(lines[4])
    for (name, field) in Self.fields { self[keyPath: field] = lines.dropFirst(5).contains { $0 == name } }
  }

  /// How long it is believed that a server does what it did, in seconds: a week.
  private static let validity: Int64 = 7 * 24 * 3600

  /// Returns true if it is time to try everything again: a week has passed, or the clock was set back.
  func isOld(at now: Timestamp) -> Bool {
    guard let probed, probed <= now else { return true }
    return now.seconds - probed.seconds >= Self.validity
  }

  /// Returns true if the server that answers now is the one that was probed, as far as it has said anything.
  func isOf(_ server: Server) -> Bool {
    let (product, classes) = (server.product, server.classes)
    return (product == nil || product == self.product) && (classes == nil || classes == self.classes)
  }

  /// How an existing file is replaced: the surest way that the server was seen to support.
  enum ReplacementMethod: Hashable, Sendable {
    /// PUT with a condition that holds to the end.
    case condition
    /// Under a lock that is held from the last look to the last byte: by PUT, or by moving a complete upload in.
    case lock(moving: Bool)
    /// Moving the old version away, looking at it, and moving the new one in; nothing is ever overwritten.
    case moves
    /// Looking, then overwriting; another client may come in between.
    case unsafe
  }

  var update: ReplacementMethod {
    if replacesAtOnce, guardsUpdates, tagsAreFine { return .condition }
    if locks, replacesAtOnce { return .lock(moving: false) }
    if locks, movesOntoLocks { return .lock(moving: true) }
    return movesWithoutOverwriting ? .moves : .unsafe
  }

  var removal: ReplacementMethod {
    if guardsRemovals, guardsUpdates, tagsAreFine { return .condition }
    // Locking a name from which a version is moved away would put an empty file there.
    if locks, update != .moves { return .lock(moving: false) }
    return movesWithoutOverwriting ? .moves : .unsafe
  }

  /// True if a new file is put in its place at once; else it is uploaded beside it and moved.
  var createsDirectly: Bool { replacesAtOnce && guardsCreations }

  /// True if a change is kept from replacing an unseen version by nothing but a condition.
  var reliesOnConditions: Bool { createsDirectly || update == .condition || removal == .condition }

  /// True if every change is possible without replacing an unseen version.
  var isSafe: Bool { (createsDirectly || movesWithoutOverwriting) && update != .unsafe && removal != .unsafe }

  var replacement: Capabilities.Replacement {
    guard isSafe else { return .unsafe }
    // Where a version is moved onto another one the name may be free for a moment.
    return update == .moves || update == .lock(moving: true) || removal == .moves ? .moves : .conditional
  }

  /// Control characters and names of more than 250 bytes are refused whatever the server might do with them.
  var naming: NamingRules {
    NamingRules(
      foldsCase: foldsCase, foldsUnicode: foldsUnicode, requiresUTF8: true, maximumNameLength: 250,
      forbiddenBytes: Set(0..<0x20).union([0x7F]).union(lostCharacters.utf8))
  }
}
