internal import Crypto
internal import OrgKit
package import SyncDaemon
import SyncKit
internal import WebPush

/// Shows alerts on the devices that asked for them, by their push services. A message is queued, and sent as soon as its service
/// can be reached.
package struct PushNotifier: Notifier {
  private let hub: HubAPI

  /// The time after which a reminder that no service took is worthless, in seconds.
  private static let lifetime: Int64 = 43_200

  package init(_ hub: HubAPI) { self.hub = hub }

  package var name: String { "the hub" }

  package var isReady: Bool { (try? hub.database.hasSubscriptions()) ?? true }

  package func show(_ message: AlertMessage) async throws {
    let now = Runtime.real.now()
    let text = PushText(message, finish: try await finish(message))
    try hub.database.enqueue(text.bytes, topic: text.tag, until: now.seconds + Self.lifetime, at: now)
    hub.pushSignal.send()
  }

  /// How a device marks the entry of a message as done; nil if it cannot.
  private func finish(_ message: AlertMessage) async throws -> FinishedEntry? {
    guard let item = message.single?.item, item.isOpenTask else { return nil }
    let file = try await HubReader(hub.configuration, hub.files).file(item.file)
    return file.flatMap { FinishedEntry(item, states: $0.document.doneKeywords) }
  }
}

/// A reminder as the service worker of a device gets it.
struct PushText: Sendable {
  /// The same for all messages about one alert, so that a device shows it once: 32 letters, digits, `-` and `_`, as a topic may have
  /// (RFC 8030, section 5.4).
  let tag: String
  private var json: JSON

  /// - Parameter finish: how the device marks the entry as done; nil if it cannot.
  init(_ message: AlertMessage, finish: FinishedEntry? = nil) {
    self.init(id: message.id, title: message.title, body: message.body)
    guard let alert = message.single else { return }
    json.add(["entry": .string(ItemID.first(of: alert.item)), "date": .string(alert.dateID)])
    guard let finish else { return }
    var whole = self
    whole.json.add(["finish": finish.json])
    if whole.bytes.count <= PushEncryption.largest { self = whole }
  }

  /// - Parameter id: tells this message from others.
  init(id: String, title: String, body: String) {
    tag = String(Base64URL.text(of: SHA256.hash(data: Array(id.utf8))).prefix(32))
    json = [
      "tag": .string(tag), "title": .string(Self.cut(title, to: 300)), "body": .string(Self.cut(body, to: 1_400)),
    ]
  }

  var bytes: [UInt8] { Array(json.line.utf8) }

  /// At most this many bytes, without a torn character. Both texts fit into a message, even if each of their characters is escaped.
  private static func cut(_ text: String, to count: Int) -> String {
    guard text.utf8.count > count else { return text }
    var text = text.prefix(count)
    while text.utf8.count > count - 3 { text.removeLast() }
    return text + "…"
  }
}

/// The edit that marks the entry of a reminder as done, under the condition that it still has the state and dates of the reminder, so
/// that an entry that repeats is done once, on however many devices it is pressed.
struct FinishedEntry: Sendable, Hashable {
  private let from: String
  private let to: String
  private let dates: [String: String]

  /// Returns nil for an entry without a state to leave, and for one whose only repeater is in a timestamp of its text: a second device
  /// could not tell that it is done for this time.
  ///
  /// - Parameter states: the states of the file in which an entry is done.
  init?(_ item: OrgItem, states: [String]) {
    guard item.isOpenTask, let from = item.keyword, let to = states.first else { return nil }
    let planned = ["scheduled": item.scheduled?.timestamp, "deadline": item.deadline?.timestamp].compactMapValues { $0 }
    guard planned.values.contains(where: { $0.repeater != nil }) || item.dates.allSatisfy({ $0.first.repeater == nil })
    else { return nil }
    (self.from, self.to, dates) = (from, to, planned.mapValues(\.description))
  }

  var json: JSON {
    [
      "from": .string(from), "to": .string(to),
      "dates": .object(dates.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }),
    ]
  }
}
