import OrgKit
import SyncDaemon
import SyncKit

/// A reminder that a device shows, as its message named it.
struct ShownReminder: Sendable, Hashable {
  /// ``OrgAlert/dateID`` of the date.
  var date: String
  /// The identifier of the entry.
  var entry: String

  /// Reads `{"date": …, "entry": …}` of a message; nil for a list of alerts and for a test message.
  init?(message: [UInt8]) {
    guard let json = try? ParsedJSON.read(message), case .string(let date)? = json["date"],
      case .string(let entry)? = json["entry"]
    else { return nil }
    (self.date, self.entry) = (date, entry)
  }

  /// Reads an element of a request; appends the errors in it to `mistakes`.
  init(_ value: JSON, at pointer: String, _ mistakes: inout [Problem.Mistake]) {
    var reader = MemberReader(value, at: pointer)
    date = reader.text("date", isRequired: true) ?? ""
    entry = reader.text("entry", isRequired: true) ?? ""
    reader.refuseOthers()
    mistakes += reader.mistakes
  }
}

extension HubAPI {
  /// Returns those of some reminders that are over: the entry is done, has another date or no longer exists, or the date was put off.
  /// A reminder of which that is unknown, such as of an entry that an editor has renamed, is not over.
  func over(_ shown: [ShownReminder], at now: Timestamp) async throws -> [ShownReminder] {
    let reader = try await HubReader(configuration, files)
    let snoozes = try StateFolder(path: configuration.stateFolder).alertSnoozes()
    return try shown.filter { reminder in
      if let end = snoozes[reminder.date], end > Int(now.seconds) { return true }
      return try isOver(reminder, reader, at: Int(now.seconds))
    }
  }

  private func isOver(_ shown: ShownReminder, _ reader: HubReader, at now: Int) throws -> Bool {
    if let (file, place) = try reader.entry(shown.entry) {
      let plan = OrgAlertPlan(configuration.alerts.rules, zone: .local)
      let alerts = plan.alerts(of: [file.items[place]], after: now - Self.year, to: now + Self.year)
      return !alerts.contains { $0.dateID == shown.date }
    }
    if let newer = try database.newer(shown.entry), let (file, place) = try reader.entry(newer) {
      // The identifier of the date has the old title.
      return file.items[place].isDone
    }
    return !ItemID.isMade(shown.entry)
  }

  private static let year = 366 * 86_400
}
