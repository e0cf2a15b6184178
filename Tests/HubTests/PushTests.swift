import Foundation
import Logging
import OrgKit
import ServerTesting
import SyncDaemon
import SyncKit
import Synchronization
import Testing
import WebPush

@testable import Hub

/// Reminders to browsers, judged and opened by a push service that shares no code with the hub.
@Suite("Reminders to devices") struct PushTests {
  /// A hub with a push service, a device that gets reminders, and a clock that stands still.
  private struct Place {
    let folder: HubFolder
    let service: PushService
    let phone: TestDevice
    let sender: PushSender
    private let clock: Clock

    final class Clock: Sendable {
      let time = Mutex(Runtime.real.now())
    }

    init?() async throws {
      guard let service = try await PushService() else { return nil }
      self.service = service
      folder = try HubFolder(push: [service.host], isTimeless: true)
      phone = try folder.device()
      let clock = Clock()
      self.clock = clock
      sender = PushSender(folder.hub, logger: Logger(label: "test")) { clock.time.withLock { $0 } }
      #expect(await phone.send("POST", "/push", try await service.subscription()).status == 200)
    }

    var now: Timestamp { clock.time.withLock { $0 } }

    func wait(_ seconds: Int64) { clock.time.withLock { $0 = Timestamp(seconds: $0.seconds + seconds) } }

    /// The hub queues test messages by the real time.
    func catchUp() { clock.time.withLock { $0 = Runtime.real.now() } }

    func enqueue(_ title: String, id: String = "1") throws {
      let text = PushText(id: id, title: title, body: "")
      try folder.database.enqueue(text.bytes, topic: text.tag, until: now.seconds + 3_600, at: now)
    }

    func titles() async throws -> [String] { try await service.received().map { $0.members["title"] ?? "" } }
  }

  @Test("a test message reaches the device that asked for it, encrypted, with all that a service requires")
  func test() async throws {
    guard let place = try await Place() else { return }
    let other = try place.folder.device("tablet")
    #expect(await other.send("POST", "/push", try await place.service.subscription()).status == 200)
    #expect(await place.phone.send("POST", "/push/test", "{}").status == 202)
    place.catchUp()
    try await place.sender.sendDue()
    let messages = try await place.service.received()
    let message = try #require(messages.first)
    #expect(messages.count == 1 && message.members["title"] == "Reminders arrive here", "\(messages)")
    let endpoint = try place.folder.database.endpoint(of: place.phone.device.id)
    #expect(endpoint?.hasSuffix(message.id) == true && message.members["tag"] == message.topic)
    #expect((1...600).contains(message.ttl))
  }

  @Test("a service that is away or busy gets the reminder later, once", arguments: [429, 500, 503, 408])
  func later(status: Int) async throws {
    guard let place = try await Place() else { return }
    try await place.service.answer(status, times: 2, retryAfter: status == 429 ? 120 : status == 503 ? 0 : nil)
    try place.enqueue("Dentist")
    try await place.sender.sendDue()
    #expect(try await place.titles() == [])
    place.wait(59)
    try await place.sender.sendDue()
    #expect(try await place.service.attempts() == 1)
    place.wait(status == 429 ? 61 : 1)
    try await place.sender.sendDue()
    #expect(try await place.service.attempts() == 2)
    place.wait(300)
    for _ in 0..<2 { try await place.sender.sendDue() }
    #expect(try await place.titles() == ["Dentist"])
    #expect(try await place.service.attempts() == 3 && place.folder.database.nextPush() == nil)
  }

  @Test(
    "a reminder that could not be sent at once is not sent if its entry was done meanwhile", arguments: [true, false])
  func needless(isDone: Bool) async throws {
    guard let place = try await Place() else { return }
    let moment = OrgZone.local.moment(at: Int(place.now.seconds))
    try place.folder.write("* TODO Dentist\nSCHEDULED: <\(moment.day.iso) 12:00>\n", to: "a.org")
    let items = try await StoreItems(place.folder.configuration, at: moment)
    let alerts = try items.alerts(
      place.folder.configuration.alerts, zone: .local, after: Int(place.now.seconds) - 86_400,
      to: Int(place.now.seconds) + 86_400)
    let alert = try #require(alerts.first)
    let text = #"{"title": "Dentist", "entry": "\#(ItemID.first(of: alert.item))", "date": "\#(alert.dateID)"}"#
    try place.folder.database.enqueue(Array(text.utf8), topic: "1", until: place.now.seconds + 3_600, at: place.now)
    try await place.service.answer(503)
    try await place.sender.sendDue()
    if isDone {
      let item = try await place.phone.id("Dentist")
      let patch = #"{"op": "edit", "id": "\#(item)", "fields": {"todo": {"old": "TODO", "new": "DONE"}}}"#
      #expect(try await place.phone.batch(1, patch).first?["result"] == "applied")
    }
    place.wait(60)
    try await place.sender.sendDue()
    #expect(try await place.titles() == (isDone ? [] : ["Dentist"]) && place.folder.database.nextPush() == nil)
    #expect(try await place.service.attempts() == (isDone ? 1 : 2))
  }

  @Test("a reminder that no service took in time is dropped")
  func expired() async throws {
    guard let place = try await Place() else { return }
    try await place.service.answer(503)
    try place.enqueue("Too late")
    try await place.sender.sendDue()
    place.wait(3_600)
    try await place.sender.sendDue()
    #expect(try await place.titles() == [] && place.folder.database.nextPush() == nil)
  }

  @Test("a subscription that the service does not have any longer is forgotten", arguments: [404, 410])
  func gone(status: Int) async throws {
    guard let place = try await Place() else { return }
    try await place.service.answer(status)
    try place.enqueue("Dentist")
    try await place.sender.sendDue()
    #expect(try !place.folder.database.hasSubscriptions() && place.folder.database.nextPush() == nil)
    #expect(await place.phone.send("GET", "/push").json["endpoint"] == .null)
  }

  @Test("a message that a service refuses does not hold up the next one", arguments: [400, 403, 413])
  func refused(status: Int) async throws {
    guard let place = try await Place() else { return }
    try await place.service.answer(status)
    try place.enqueue("First", id: "1")
    try place.enqueue("Second", id: "2")
    try await place.sender.sendDue()
    // Both are sent at once.
    #expect(try await place.titles().count == 1 && place.folder.database.hasSubscriptions())
    #expect(try place.folder.database.nextPush() == nil)
  }

  @Test("of two messages about one alert, only the later one waits")
  func replaced() async throws {
    guard let place = try await Place() else { return }
    try place.enqueue("Dentist")
    try place.enqueue("Dentist, moved")
    try await place.sender.sendDue()
    #expect(try await place.titles() == ["Dentist, moved"])
  }

  @Test("a device that was revoked, or does not want reminders, gets none")
  func without() async throws {
    guard let place = try await Place() else { return }
    let other = try place.folder.device("tablet")
    #expect(await other.send("POST", "/push", try await place.service.subscription()).status == 200)
    #expect(await other.send("DELETE", "/push").status == 200)
    _ = try place.folder.database.revoke(place.phone.device.id)
    #expect(!PushNotifier(place.folder.hub).isReady)
    try place.enqueue("For no device")
    try await place.sender.sendDue()
    #expect(try await place.service.attempts() == 0)
  }

  @Test("a browser that is paired again gets each reminder once")
  func again() async throws {
    guard let place = try await Place() else { return }
    let subscription = try await place.service.subscription()
    for name in ["before", "after"] {
      #expect(await (try place.folder.device(name)).send("POST", "/push", subscription).status == 200)
    }
    try place.enqueue("Dentist")
    try await place.sender.sendDue()
    #expect(try await place.titles() == ["Dentist", "Dentist"], "one for the phone, one for the other browser")
  }

  @Test("texts of any size and kind fit into a message")
  func sizes() async throws {
    guard let place = try await Place() else { return }
    for (number, text) in ["", "\"", "\u{1F9B7}", "\\", "\u{E9}"].enumerated() {
      let long = PushText(
        id: "\(number)", title: String(repeating: text, count: 4_000), body: String(repeating: text, count: 9_000))
      #expect(long.bytes.count <= PushEncryption.largest, "\(text)")
      try place.folder.database.enqueue(long.bytes, topic: long.tag, until: place.now.seconds + 60, at: place.now)
    }
    try await place.sender.sendDue()
    #expect(try await place.service.received().count == 5)
  }

  @Test(
    "only push services that browsers use, or that the settings name, are accepted",
    arguments: [
      ("https://fcm.googleapis.com/fcm/send/x", 200), ("http://fcm.googleapis.com/x", 422),
      ("https://192.168.1.1/admin", 422), ("http://127.0.0.1:1/x", 422),
    ])
  func services(endpoint: String, status: Int) async throws {
    guard let place = try await Place() else { return }
    let subscription = try await place.service.subscription()
    let own = try #require(subscription.firstMatch(of: /"endpoint": "([^"]+)"/)).1
    let answer = await place.phone.send("POST", "/push", subscription.replacing(own, with: endpoint))
    #expect(answer.status == status, "\(answer.json.line)")
    if status == 422 { #expect(answer.json.line.contains("[hub.push]")) }
  }

  @Test("a snooze from a device is that of `syncd alerts snooze`")
  func snoozed() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    let answer = await device.send("POST", "/alerts/0123456789abcdef/snooze", #"{"minutes": 60}"#)
    #expect(answer.status == 200, "\(answer.json.line)")
    let end = try #require(try StateFolder(path: folder.configuration.stateFolder).alertSnoozes()["0123456789abcdef"])
    #expect((3_500...3_600).contains(end - Int(Runtime.real.now().seconds)))
    for (date, body, status) in [("x", #"{"minutes": 60}"#, 404), ("0123456789abcdef", #"{"minutes": 0}"#, 422)] {
      #expect(await device.send("POST", "/alerts/\(date)/snooze", body).status == status)
    }
  }
}
