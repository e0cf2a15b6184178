import SyncDaemon
import SyncKit
internal import WebPush

extension HubRoute {
  /// The routes for reminders.
  static let reminders: [HubRoute] = [
    HubRoute(
      method: "GET", path: "/push", scope: .read,
      summary: "The key with which a browser subscribes to reminders, and where this device gets them"
    ) { hub, call in
      let endpoint = try hub.database.endpoint(of: call.device.id)
      return HubResponse([
        "key": .string(try hub.database.senderKey().publicText), "endpoint": endpoint.map(JSON.string) ?? .null,
      ])
    },
    HubRoute(
      method: "POST", path: "/push", scope: .read, summary: "Send the reminders of this device to a subscription"
    ) {
      hub, call in
      try hub.database.subscribe(call.device.id, subscription(call.request.body, hub.pushServices))
      return HubResponse(["status": "subscribed"])
    },
    HubRoute(method: "DELETE", path: "/push", scope: .read, summary: "Send this device no more reminders") {
      hub, call in
      try hub.database.unsubscribe(call.device.id)
      return HubResponse(["status": "unsubscribed"])
    },
    HubRoute(
      method: "POST", path: "/push/test", scope: .read, summary: "Send a message to this device, to see that it arrives"
    ) {
      hub, call in
      guard try hub.database.endpoint(of: call.device.id) != nil else {
        throw Problem(409, "unsubscribed", "This device gets no reminders. Switch them on first.")
      }
      let (text, now) = (
        PushText(id: "test \(call.device.id)", title: "Reminders arrive here", body: hub.configuration.storeName),
        Runtime.real.now()
      )
      try hub.database.enqueue(
        text.bytes, topic: text.tag, for: call.device.id, until: now.seconds + 600, at: now)
      hub.pushSignal.send()
      return HubResponse(["status": "queued"], status: 202)
    },
    HubRoute(
      method: "POST", path: "/alerts/{date}/snooze", scope: .all,
      summary: "Put the alerts of a date off, as `syncd alerts snooze` does"
    ) { hub, call in
      let minutes = try minutes(call.request.body)
      let date = call.values[0]
      guard date.utf8.count == 16, date.allSatisfy(\.isHexDigit) else { throw Problem.notFound }
      let end = Int(Runtime.real.now().seconds) + 60 * minutes
      try StateFolder(path: hub.configuration.stateFolder).snooze(date.lowercased(), until: end)
      hub.events.send(HubEvent(name: "alert", data: ["date": .string(date.lowercased())]))
      return HubResponse(["until": .string("\(CivilTime(Timestamp(seconds: Int64(end))))")])
    },
    HubRoute(
      method: "POST", path: "/alerts/over", scope: .read,
      summary: "Which of the reminders that a device shows are over: done, moved, removed or put off"
    ) { hub, call in
      let over = try await hub.over(shown(call.request.body), at: Runtime.real.now())
      return HubResponse(["over": .array(over.map { .string($0.date) })])
    },
  ]

  /// Reads `{"shown": [{"date": …, "entry": …}]}`.
  private static func shown(_ body: [UInt8]) throws -> [ShownReminder] {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let elements = reader.array("shown", isRequired: true)
    if elements.count > 100 { reader.mistake("shown", "Expected at most 100 reminders.") }
    reader.refuseOthers()
    var mistakes = reader.mistakes
    let shown = elements.enumerated().map { number, value in
      ShownReminder(value, at: "/shown/\(number)", &mistakes)
    }
    guard mistakes.isEmpty else { throw Problem.invalid(mistakes) }
    return shown
  }

  /// Reads `{"endpoint": …, "keys": {"p256dh": …, "auth": …}}`, as a browser gives it.
  private static func subscription(_ body: [UInt8], _ services: PushServices) throws -> PushSubscription {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let endpoint = reader.text("endpoint", isRequired: true, limit: 2_000)
    var keys = MemberReader(reader.value("keys") ?? .null, at: "/keys")
    let key = keys.text("p256dh", isRequired: true, limit: 200).flatMap(Base64URL.bytes)
    let secret = keys.text("auth", isRequired: true, limit: 200).flatMap(Base64URL.bytes)
    keys.refuseOthers()
    reader.refuseOthers()
    if let endpoint, !services.allow(endpoint) {
      reader.mistake(
        "endpoint",
        "The hub does not know this push service. If it is yours, add its host to `hosts` in [hub.push] of the settings."
      )
    }
    reader.add(keys.mistakes)
    guard reader.mistakes.isEmpty, let endpoint else { throw Problem.invalid(reader.mistakes) }
    guard let key, let secret,
      let subscription = PushSubscription(endpoint: endpoint, key: key, secret: secret)
    else { throw Problem.invalid("/keys", "Expected the keys of a push subscription in base64url.") }
    return subscription
  }

  /// Reads `{"minutes": 60}`.
  private static func minutes(_ body: [UInt8]) throws -> Int {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let minutes = reader.number("minutes", isRequired: true)
    reader.refuseOthers()
    if let minutes, !(1...10_080).contains(minutes) { reader.mistake("minutes", "Write a number from 1 to 10080.") }
    guard reader.mistakes.isEmpty, let minutes else { throw Problem.invalid(reader.mistakes) }
    return minutes
  }
}
