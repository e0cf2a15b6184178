import SyncKit

/// Limits the rate of events with the same key: the first is sent at once; of those that follow within the limit, only the last
/// is sent, after it, with the number of those left out. Pure.
struct EventRate: Codable, Hashable, Sendable {
  private var entries: [String: Entry] = [:]

  fileprivate struct Entry: Codable, Hashable {
    /// The time of the last event that was sent, in nanoseconds since 1970.
    var sent: Int64
    var waiting: SyncEvent?
  }

  /// Returns `event` if it may be sent now; otherwise keeps it, instead of one that waits already.
  mutating func admit(_ event: SyncEvent, as key: String, limit: Duration) -> SyncEvent? {
    var event = event
    if let entry = entries[key] {
      if let waiting = entry.waiting { event.leftOut = waiting.leftOut + 1 }
      guard entry.isOver(limit, at: event.time) else {
        entries[key]?.waiting = event
        return nil
      }
    }
    entries[key] = Entry(sent: event.time.nanoseconds)
    return event
  }

  /// Returns the events with a key that begins with `prefix` that waited for the end of `limit`.
  mutating func release(prefix: String, limit: Duration, at now: Timestamp) -> [SyncEvent] {
    entries.keys.filter { $0.hasPrefix(prefix) }.sorted().compactMap { key in
      guard let entry = entries[key], let event = entry.waiting, entry.isOver(limit, at: now) else { return nil }
      entries[key] = Entry(sent: now.nanoseconds)
      return event
    }
  }
}

extension EventRate.Entry {
  /// Returns true if the limit has passed since the last event, also if the clock was set back.
  fileprivate func isOver(_ limit: Duration, at now: Timestamp) -> Bool {
    now.nanoseconds < sent || Duration.nanoseconds(now.nanoseconds - sent) >= limit
  }
}
