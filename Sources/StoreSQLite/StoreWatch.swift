internal import GRDB
internal import SyncKit
import Synchronization

/// Notices the changes of a store by all processes: asks the file for the number of its last change, once a second.
///
/// The transactions of other processes cost no more than that, wherever the file is, and no system call is missed.
struct StoreWatch {
  private let database: StoreDatabase
  private let runtime: Runtime

  private static let pause = Duration.seconds(1)

  init(path: String, runtime: Runtime) {
    database = StoreDatabase(at: path)
    self.runtime = runtime
  }

  /// Returns a stream that yields after each change, until its reader is gone.
  func changes() -> AsyncStream<Void> {
    let last = Last(state())
    return AsyncStream {
      while true {
        do { try await runtime.sleep(Self.pause) } catch { return nil }
        if last.replace(by: state()) { return () }
      }
    }
  }

  /// The identity and the number of the last change; empty if the store cannot be read now, so that its return is a change.
  private func state() -> String {
    let state = try? database.turnNow(.reading) { db in "\(try StoreMeta.id(db)) \(try StoreMeta.counter(db))" }
    return state ?? ""
  }

  private final class Last: Sendable {
    private let state: Mutex<String>

    init(_ state: String) { self.state = Mutex(state) }

    /// Returns true if the state differs from the last one.
    func replace(by new: String) -> Bool {
      state.withLock { state in
        defer { state = new }
        return state != new
      }
    }
  }
}
