import SyncKit
internal import Synchronization

/// The order of records, which all copies of an archive share.
final class SharedRecordOrder: Sendable {
  private let order = Mutex(RecordOrder())

  var count: Int { order.withLock(\.count) }

  func isBefore(_ record: Record, _ remote: String, _ path: SyncPath) -> Bool {
    order.withLock { $0.isBefore(record, remote, path) }
  }

  func add(_ record: Record) { order.withLock { $0.add(record) } }
}
