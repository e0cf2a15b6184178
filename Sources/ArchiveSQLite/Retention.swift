import SyncKit

/// How long previous versions stay in the history. In any case, the last three versions of each file, those of the last seven
/// days and those that an undo of the last three passes needs stay.
public struct Retention: Hashable, Sendable {
  /// The time after which versions are removed.
  public var age: Duration
  /// The maximum number of versions of a file; nil for no limit.
  public var versions: Int?
  /// The maximum size of all previous versions in bytes; the oldest are removed first. Nil for no limit.
  public var bytes: Int?
  /// True to keep only one version a day after the first week, and one a week after 30 days, as Syncthing's staggered
  /// versioning does.
  public var isStaggered: Bool

  public init(age: Duration, versions: Int? = nil, bytes: Int? = nil, isStaggered: Bool = false) {
    self.age = age
    self.versions = versions
    self.bytes = bytes
    self.isStaggered = isStaggered
  }

  /// Seven days are guaranteed regardless of the setting, plus one in case the clock was wrong once.
  static let floor = 8 * ArchiveClock.day
  /// The number of versions of a path that are kept regardless of age.
  static let minimum = 3
  /// The number of passes that can be undone regardless of age.
  static let undoable = 3
}

/// A previous version, as far as the retention needs it.
struct RetainedVersion {
  var digest: Digest
  var pass: Int
  /// The age of the archive when the version was replaced.
  var age: Int
}

/// What the retention decides about a version.
enum RetentionDecision {
  /// It stays, whatever the limits.
  case protected
  /// It stays unless the size limit is exceeded.
  case kept
  case expired
}

extension Retention {
  /// Decides about all versions of a path, newest first. Pure.
  ///
  /// - Parameters:
  ///   - now: the present age of the archive.
  ///   - lastPass: the number of the last pass.
  func decide(_ versions: [RetainedVersion], at now: Int, lastPass: Int) -> [RetentionDecision] {
    var newest: Set<Digest> = []
    var distinct: Set<Digest> = []
    var decisions = versions.map { version -> RetentionDecision in
      distinct.insert(version.digest)
      if newest.count < Self.minimum { newest.insert(version.digest) }
      let isProtected =
        newest.contains(version.digest) || version.age > now - Self.floor || version.pass > lastPass - Self.undoable
      if isProtected { return .protected }
      let isTooOld = version.age <= now - max(Self.floor, nanoseconds)
      return isTooOld || self.versions.map { distinct.count > $0 } == true ? .expired : .kept
    }
    if isStaggered { thinOut(versions, &decisions, at: now) }
    return decisions
  }

  /// Keeps the oldest version, and after it only those that are at least a day, or after 30 days a week, younger than the last
  /// one that is kept.
  private func thinOut(_ versions: [RetainedVersion], _ decisions: inout [RetentionDecision], at now: Int) {
    var last: Int?
    for index in versions.indices.reversed() where decisions[index] != .expired {
      let age = versions[index].age
      let step = now - age > 30 * ArchiveClock.day ? 7 * ArchiveClock.day : ArchiveClock.day
      if let last, age - last < step, decisions[index] == .kept { decisions[index] = .expired } else { last = age }
    }
  }
}

extension Retention {
  /// The age in nanoseconds, clamped to the representable range.
  var nanoseconds: Int {
    let (seconds, attoseconds) = age.components
    let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow || product > .max / 2 ? .max / 2 : product + Int(attoseconds / 1_000_000_000)
  }
}
