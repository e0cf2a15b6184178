internal import SyncKit
import Synchronization

/// Holds the keys of the account, and asks for them again when they expire.
final class KeyRing: Sendable {
  private let source: CredentialSource
  private let runtime: Runtime
  private let held = Mutex<(keys: AccessKeys, expiration: Timestamp?)?>(nil)
  private let asking = LockQueue()

  /// Temporary keys are replaced this long before they expire, in seconds.
  private static let margin: Int64 = 300

  init(_ source: CredentialSource, _ runtime: Runtime) {
    self.source = source
    self.runtime = runtime
  }

  /// The present keys. Concurrent callers ask the source once.
  func keys() async throws(SyncError) -> AccessKeys {
    try await asking.withLock("keys") { () throws(SyncError) in
      if let held = held.withLock({ $0 }), !isOld(held.expiration) { return held.keys }
      let found = try await source.keys()
      held.withLock { $0 = found }
      return found.keys
    }
  }

  /// Forgets these keys, because the server says that they have expired.
  func forget(_ keys: AccessKeys) { held.withLock { if $0?.keys == keys { $0 = nil } } }

  private func isOld(_ expiration: Timestamp?) -> Bool {
    expiration.map { $0.seconds - runtime.now().seconds < Self.margin } ?? false
  }
}
