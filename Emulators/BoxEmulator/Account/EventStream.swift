import Foundation
internal import SettingsRegistry

/// The kinds of events that a client must know.
enum EventKind: String {
  case uploaded = "ITEM_UPLOAD"
  case created = "ITEM_CREATE"
  case renamed = "ITEM_RENAME"
  case moved = "ITEM_MOVE"
  case trashed = "ITEM_TRASH"
}

/// The events of an account in order. A position can be read any number of times.
struct EventStream {
  private var events: [JSON] = []
  /// True if events come twice, or out of order.
  var isDoubled = false
  var isShuffled = false
  /// True if new events are lost.
  var isLossy = false
  /// Beyond the integers of a `Double`, as some real positions are.
  private static let first = (1 << 53) + 1

  /// The position after the last event.
  var end: Int { Self.first + events.count }

  mutating func add(_ kind: EventKind, _ source: JSON) { add(kind.rawValue, source) }

  /// Adds an event of any kind.
  mutating func add(_ kind: String, _ source: JSON) {
    guard !isLossy else { return }
    events.append(
      [
        "type": "event", "event_id": .string(UUID().uuidString), "event_type": .string(kind),
        "created_at": .string(Account.now()), "session_id": .null, "source": source,
        "created_by": ["type": "user", "id": .string(Identity.id), "name": .string(Identity.name)],
      ])
  }

  /// Returns the events after a position, which is a number or `now`.
  func page(after text: String, limit: Int) throws(APIError) -> JSON {
    guard text != "now" else { return Self.page([], end) }
    guard let position = text == "0" ? Self.first : Int(text), (Self.first...end).contains(position) else {
      throw APIError(400, "invalid_stream_position")
    }
    let start = position - Self.first
    var page = Array(events[start...].prefix(max(1, limit)))
    let next = position + page.count
    if isDoubled { page += page }
    if isShuffled { page.reverse() }
    return Self.page(page, next)
  }

  private static func page(_ entries: [JSON], _ next: Int) -> JSON {
    [
      "chunk_size": .integer(entries.count), "next_stream_position": .integer(next), "entries": .array(entries),
    ]
  }
}
