import OrgKit
import SyncDaemon
import SyncKit
import Testing
import WebPush

@testable import Hub

/// What a reminder says about how a device marks its entry as done, and what that edit does.
@Suite("Done from a reminder") struct FinishTests {
  /// A hub with a file whose entry has a date at 14:30, and two devices that get reminders.
  private struct Place {
    let folder: HubFolder
    let phone: TestDevice
    let tablet: TestDevice

    init(_ text: String) throws {
      folder = try HubFolder(["a.org": text])
      (phone, tablet) = (try folder.device(), try folder.device("tablet"))
      try folder.database.subscribe(phone.device.id, .unused())
    }

    /// The reminder as the device gets it.
    func reminder() async throws -> JSON {
      let zone = OrgZone.utc
      let items = OrgItems(OrgDocument(Array(try #require(folder.text("a.org")).utf8)), file: "a.org")
      let start = zone.seconds(of: OrgMoment(year: 2026, month: 3, day: 11))
      let alerts = OrgAlertPlan(OrgAlertRules(), zone: zone).alerts(of: items, after: start, to: start + 86_400)
      var ledger = AlertLedger()
      _ = ledger.round(at: start, alerts, snoozes: AlertSnoozes(), zone: zone, isQuiet: false)
      let rings = ledger.round(at: start + 54_000, alerts, snoozes: AlertSnoozes(), zone: zone, isQuiet: false)
      let messages = AlertMessage.messages(rings, showsTitles: true)
      #expect(messages.count == 1)
      try await PushNotifier(folder.hub).show(try #require(messages.first))
      let push = try #require(try folder.database.duePushes(at: Runtime.real.now(), atMost: 1).first)
      return try ParsedJSON.read(push.text)
    }

    /// Sends what the web client makes of a press on Done.
    func press(_ reminder: JSON, on device: TestDevice, client: String, _ number: Int = 1) async throws -> JSON? {
      guard case .object(let dates)? = reminder["finish"]?["dates"] else { return nil }
      let same = dates.map { JSON.Member($0.name, ["old": $0.value, "new": $0.value]) }
      let todo = JSON.Member(
        "todo", ["old": reminder["finish"]?["from"] ?? .null, "new": reminder["finish"]?["to"] ?? .null])
      let patch: JSON = ["op": "edit", "id": reminder["entry"] ?? .null, "fields": .object(same + [todo])]
      return try await device.batch(number, client: client, patch.line)[0]["result"]
    }
  }

  @Test(
    "only an entry with a state to leave has the button, with the states of its file",
    arguments: [
      ("* TODO Dentist\nSCHEDULED: <2026-03-11 Wed 14:30>\n", #""from":"TODO","to":"DONE""#),
      ("#+TODO: OPEN | SHUT\n* OPEN Dentist\nDEADLINE: <2026-03-11 Wed 14:30>\n", #""from":"OPEN","to":"SHUT""#),
      ("* TODO Dentist <2026-03-11 Wed 14:30>\n", #""from":"TODO","to":"DONE""#),
      ("* Dentist\nSCHEDULED: <2026-03-11 Wed 14:30>\n", nil),
      // Another device could not tell that it is done for this time.
      ("* TODO Dentist <2026-03-11 Wed 14:30 +1w>\n", nil),
    ])
  func button(text: String, states: String?) async throws {
    let reminder = try await Place(text).reminder()
    #expect(reminder["date"] != nil, "\(reminder.line)")
    let compact = reminder["finish"]?.line.replacing(": ", with: ":").replacing(", ", with: ",")
    #expect(compact.map { $0.contains(states ?? "none") } ?? (states == nil), "\(reminder.line)")
  }

  @Test("an entry that repeats is done once, also if it is pressed on two devices")
  func repeating() async throws {
    let place = try Place("* TODO Dentist\nSCHEDULED: <2026-03-11 Wed 14:30 +1w>\n")
    let reminder = try await place.reminder()
    #expect(try await place.press(reminder, on: place.phone, client: "client-1") == "applied")
    #expect(place.folder.text("a.org")?.contains("SCHEDULED: <2026-03-18 Wed 14:30 +1w>") == true)
    let once = place.folder.text("a.org")
    #expect(try await place.press(reminder, on: place.tablet, client: "client-2") == "conflict")
    #expect(place.folder.text("a.org") == once)
  }

  @Test("an entry that does not repeat is done, and a second device changes nothing")
  func simple() async throws {
    let place = try Place("* TODO Dentist\nSCHEDULED: <2026-03-11 Wed 14:30>\n")
    let reminder = try await place.reminder()
    #expect(try await place.press(reminder, on: place.phone, client: "client-1") == "applied")
    #expect(place.folder.text("a.org")?.hasPrefix("* DONE Dentist\n") == true)
    #expect(try await place.press(reminder, on: place.tablet, client: "client-2") == "unchanged")
  }
}
