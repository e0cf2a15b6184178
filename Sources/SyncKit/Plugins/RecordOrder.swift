/// The order in which an archive writes the records of several remotes, for as long as it is open.
///
/// Passes over several remotes may run at the same time. What a pass records of a path that another remote has recorded since the
/// pass began is neither later nor earlier than that: each pass has listed the store at its own time. An archive that tells
/// `agreedLater` from the order of records asks this one first.
public struct RecordOrder: Sendable {
  /// The number of records that were added.
  public private(set) var count = 0
  /// The number of the last record of each path, by remote.
  private var numbers: [String: [SyncPath: Int]] = [:]
  private var size = 0
  /// The number of the last record that may be forgotten here.
  private var known = 0

  /// The number of paths that are kept. Beyond it, all records so far count as made during every pass that runs then.
  private static let limit = 10_000

  /// An order without records.
  public init() {}

  /// Adds the agreements and forgotten paths of a record, once it is certain to be written.
  public mutating func add(_ record: Record) {
    count += 1
    for path in record.agreements.map(\.path) + record.forgotten {
      if size >= Self.limit { (numbers, size, known) = ([:], 0, count) }
      if numbers[record.remote, default: [:]].updateValue(count, forKey: path) == nil { size += 1 }
    }
  }

  /// Returns true if everything that a remote has recorded of a path was recorded before the pass of a record began.
  public func isBefore(_ record: Record, _ remote: String, _ path: SyncPath) -> Bool {
    guard let start = record.follows else { return true }
    return max(known, numbers[remote]?[path] ?? 0) <= start
  }
}
