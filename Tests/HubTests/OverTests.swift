import Foundation
import OrgKit
import ServerTesting
import SyncDaemon
import SyncKit
import Testing

@testable import Hub

/// Which reminders of a device are over because of what happened elsewhere.
@Suite("Reminders that are over") struct OverTests {
  /// A hub whose file has an entry with a date of this week, and a device that shows its reminder.
  private struct Place {
    let folder: HubFolder
    let phone: TestDevice
    let entry: String
    let date: String

    init(_ text: String = "* TODO Dentist\n\(planned)\n") async throws {
      folder = try HubFolder(["a.org": text])
      phone = try folder.device()
      let now = Int(Runtime.real.now().seconds)
      let items = try await StoreItems(folder.configuration, at: OrgZone.local.moment(at: now))
      let alerts = try items.alerts(
        folder.configuration.alerts, zone: .local, after: now - 14 * 86_400, to: now + 14 * 86_400)
      let alert = try #require(alerts.first { $0.item.title == "Dentist" })
      (entry, date) = (ItemID.first(of: alert.item), alert.dateID)
    }

    /// A scheduled date of today with a time.
    static let planned = "SCHEDULED: <\(today) 12:00>"
    static let today = OrgZone.local.moment(at: Int(Runtime.real.now().seconds)).day.iso

    /// True if the hub says that the reminder is over.
    func isOver() async throws -> Bool {
      let answer = await phone.send("POST", "/alerts/over", #"{"shown": [\#(shown)]}"#)
      #expect(answer.status == 200, "\(answer.json.line)")
      return answer.json["over"] == [.string(date)]
    }

    var shown: String { #"{"date": "\#(date)", "entry": "\#(entry)"}"# }

    func edit(_ fields: String) async throws {
      let results = try await folder.device("desktop")
        .batch(1, client: "desktop-1", #"{"op": "edit", "id": "\#(entry)", "fields": {\#(fields)}}"#)
      #expect(results.map { $0["result"] } == ["applied"], "\(results)")
    }
  }

  @Test("a reminder stands as long as its entry is to be done at its date")
  func stands() async throws {
    let place = try await Place()
    #expect(try await !place.isOver())
    try await place.edit(#""priority": {"old": null, "new": "A"}, "tags": {"add": ["health"]}"#)
    #expect(try await !place.isOver())
  }

  @Test("a reminder is over when its entry is done or moved to another date on another device")
  func edited() async throws {
    let place = try await Place()
    try await place.edit(#""todo": {"old": "TODO", "new": "DONE"}"#)
    #expect(try await place.isOver())
    let moved = try await Place()
    let old = try await moved.phone.item("Dentist")["scheduled"].string
    try await moved.edit(#""scheduled": {"old": "\#(old)", "new": "<2035-03-12 Mon 14:30>"}"#)
    #expect(try await moved.isOver())
  }

  @Test("of an entry that repeats, the reminder of a time that is done is over")
  func repeating() async throws {
    let place = try await Place("* TODO Dentist\nSCHEDULED: <\(Place.today) 12:00 +1w>\n")
    #expect(try await !place.isOver())
    try await place.edit(#""todo": {"old": "TODO", "new": "DONE"}"#)
    #expect(place.folder.text("a.org")?.hasPrefix("* TODO Dentist\n") == true)
    #expect(try await place.isOver())
  }

  @Test("a reminder that was put off on another device is over until then")
  func snoozed() async throws {
    let place = try await Place()
    let desktop = try place.folder.device("desktop")
    #expect(await desktop.send("POST", "/alerts/\(place.date)/snooze", #"{"minutes": 60}"#).status == 200)
    #expect(try await place.isOver())
  }

  @Test("of an entry that a device renamed, only the state tells; of one that an editor renamed, nothing does")
  func renamed() async throws {
    let place = try await Place()
    try await place.edit(#""title": {"old": "Dentist", "new": "Dentist, at last"}"#)
    #expect(try await !place.isOver())
    let text = try #require(place.folder.text("a.org"))
    try place.folder.write(text.replacing("TODO", with: "DONE"), to: "a.org")
    #expect(try await place.isOver())
    let other = try await Place()
    try other.folder.write("* TODO Teeth\n\(Place.planned)\n", to: "a.org")
    #expect(try await !other.isOver())
  }

  @Test("an entry with an ID that is in no file was removed")
  func removed() async throws {
    let place = try await Place("* TODO Dentist\n\(Place.planned)\n:PROPERTIES:\n:ID: dentist-1\n:END:\n")
    #expect(try await !place.isOver())
    try place.folder.write("* TODO Another\n", to: "a.org")
    #expect(try await place.isOver())
  }

  @Test("what is not a list of reminders is refused with its members")
  func refused() async throws {
    let place = try await Place()
    let many = Array(repeating: place.shown, count: 101).joined(separator: ",")
    for body in ["{}", #"{"shown": 1}"#, #"{"shown": [{"date": "x"}]}"#, #"{"shown": [1]}"#, #"{"shown": [\#(many)]}"#]
    {
      #expect(await place.phone.send("POST", "/alerts/over", body).status == 422, "\(body)")
    }
    let reader = try place.folder.device("reader", .read)
    #expect(await reader.send("POST", "/alerts/over", #"{"shown": []}"#).json["over"] == [])
  }

  @Test("the devices hear at once that a reminder was put off")
  func heard() async throws {
    let place = try await Place()
    let subscription = try place.folder.hub.events.subscribe("tablet", first: HubEvent(name: "hello", data: [:]))
    #expect(await place.phone.send("POST", "/alerts/\(place.date)/snooze", #"{"minutes": 60}"#).status == 200)
    subscription.end()
    var names: [String] = []
    for await event in subscription.events { names.append(event.name) }
    #expect(names == ["hello", "alert"])
  }
}
