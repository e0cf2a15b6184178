internal import HTTPStorage
internal import SyncKit

/// Reports changes with Dropbox's long poll: waits on a cursor until there is a change.
struct LongPoll: Sendable {
  static let route = "files/list_folder/longpoll"
  /// The longest and shortest time that one call may block, in seconds; some networks cut idle connections.
  static let longest = 480
  private static let shortest = 60
  private static let pauses = (first: Duration.seconds(1), longest: Duration.seconds(300))

  struct Answer: Decodable, Sendable {
    var changes: Bool
    /// The pause before the next call in seconds.
    var backoff: Int?
  }

  let service: Service
  let feed: Feed

  /// Calls `ring` for each change until the task is cancelled.
  func run(_ ring: @Sendable () -> Void) async {
    var (timeout, pause) = (Self.longest, Self.pauses.first)
    while !Task.isCancelled {
      await feed.signal.wait(after: 0)
      guard let (cursor, listings) = feed.position else { continue }
      do throws(CallError) {
        let answer = try await service.wait(["cursor": .string(cursor), "timeout": .integer(timeout)])
        pause = Self.pauses.first
        // Changes that were listed meanwhile are known; most often this device made them.
        if answer.changes, feed.position?.cursor == cursor {
          ring()
          await feed.signal.wait(after: listings)
        }
        if let backoff = answer.backoff { try await service.sleep(for: .seconds(min(max(0, backoff), 3_600))) }
      } catch {
        if error.refusal != nil {
          // The cursor is invalid, or the folder is gone; a listing finds out.
          ring()
          await feed.signal.wait(after: listings)
          continue
        }
        timeout = max(Self.shortest, timeout / 2)
        guard (try? await service.sleep(for: pause)) != nil else { return }
        pause = min(pause * 2, Self.pauses.longest)
      }
    }
  }
}
