import SyncKit
import SyncKitTesting

extension Sabotage {
  static let silence = "an unreachable storage is reported as absent"

  static let troubles = [
    Sabotage("a missing root is reported as an outage") {
      $0.onList = { memory, known in
        do { return try await memory.list(since: known) } catch {
          throw SyncError(.unavailable, "no response")
        }
      }
    },
    Sabotage("creating the root empties it") {
      $0.onCreateRoot = { memory in
        for path in await memory.contents.keys { await memory.take(path) }
        await memory.createRoot()
      }
    },
    Sabotage("recovery removes unknown files") {
      $0.onRecover = { memory in for path in await memory.contents.keys { await memory.take(path) } }
    },
    Sabotage("errors contain the password") {
      $0.onList = { memory, known in
        do { return try await memory.list(since: known) } catch {
          throw SyncError(.notFound, "there is nothing", cause: "GET memory://user:\(secret)@host")
        }
      }
    },
    Sabotage("the address contains the password") { $0.address = "memory://user:\(secret)@host" },
    Sabotage(silence) { _ in },
  ]
}

/// A storage that cannot be reached and claims to be empty.
struct LyingWhenUnreachable: StorageDefaults {
  let address = "memory:"

  func capabilities() -> Capabilities { Capabilities(replacement: .conditional) }

  func list(since known: Known) throws(SyncError) -> Snapshot { throw SyncError(.unavailable, "no response") }

  func read(_ paths: [SyncPath], into sink: any ContentSink) -> [ReadResult] { paths.map { _ in .absent } }

  func confirm(_ paths: [SyncPath]) -> [Presence] { paths.map { _ in .absent } }

  func commit(_ changes: [Change]) -> [WriteResult] { changes.map { _ in .refused(nil) } }
}
