internal import Crypto
internal import OrgKit
package import SyncDaemon
import SyncKit
internal import WebPush

/// Shows alerts on the devices that asked for them, by their push services. A message is queued, and sent as soon as its service
/// can be reached.
package struct PushNotifier: Notifier {
  private let database: HubDatabase
  private let signal: PushSignal

  /// The time after which a reminder that no service took is worthless, in seconds.
  private static let lifetime: Int64 = 43_200

  package init(_ hub: HubAPI) { (database, signal) = (hub.database, hub.pushSignal) }

  package var name: String { "the hub" }

  package var isReady: Bool { (try? database.hasSubscriptions()) ?? true }

  package func show(_ message: AlertMessage) async throws {
    let now = Runtime.real.now()
    let text = PushText(message)
    try database.enqueue(text.bytes, topic: text.tag, until: now.seconds + Self.lifetime, at: now)
    signal.send()
  }
}

/// A reminder as the service worker of a device gets it.
struct PushText: Sendable {
  /// The same for all messages about one alert, so that a device shows it once: 32 letters, digits, `-` and `_`, as a topic may have
  /// (RFC 8030, section 5.4).
  let tag: String
  private var json: JSON

  init(_ message: AlertMessage) {
    self.init(id: message.id, title: message.title, body: message.body)
    guard message.rings.count == 1, let alert = message.rings.first?.alert else { return }
    json.add(["entry": .string(ItemID.first(of: alert.item)), "date": .string(alert.dateID)])
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
