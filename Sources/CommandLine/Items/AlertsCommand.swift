import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd alerts`: the alerts of entries.
struct AlertsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "List the coming alerts of entries, or put one off.",
    subcommands: [AlertsListCommand.self, AlertsSnoozeCommand.self], defaultSubcommand: AlertsListCommand.self)
}

/// `syncd alerts list`: lists alerts.
struct AlertsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the coming alerts, as the service will show them.",
    discussion: """
      The table [alerts] of the settings file chooses the dates, and when they are announced.

      EXAMPLES
        syncd alerts                 the alerts of the next two days
        syncd alerts list --days 7   those of a week
        syncd alerts list --missed   those that were not shown, because no service ran for a day
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @Option(help: "Number of days.") var days = 2
  @Flag(help: "List the alerts of the last 30 days that were not shown.") var missed = false

  func validate() throws {
    guard 1...366 ~= days else { throw ValidationError("--days expects a number from 1 to 366, not \(days)") }
  }

  func run() async throws {
    let configuration = try common.configuration()
    let state = StateFolder(path: configuration.stateFolder)
    let (ledger, snoozes) = try (state.alertLedger(), state.alertSnoozes())
    try await options.with(common) { items in
      let now = OrgZone.local.seconds(of: items.now)
      let range = missed ? (now - AlertLedger.missedMemory, now) : (now - 3 * 86_400, now + days * 86_400)
      let alerts = try items.alerts(configuration.alerts, zone: .local, after: range.0, to: range.1)
      let rows =
        missed
        ? alerts.filter { ledger.missed[$0.id] != nil }.map { AlertRow(alert: $0, time: $0.due) }
        : AlertRow.coming(alerts, snoozes, from: now, to: range.1)
      if common.json { return Console.print(json: ["version": 1, "alerts": .array(rows.map(\.json))]) }
      for row in rows { Console.print(row.line) }
      if rows.isEmpty, !common.quiet { Console.print(missed ? "no missed alerts" : "no alerts") }
    }
  }
}

/// An alert in a list.
private struct AlertRow {
  var alert: OrgAlert
  /// The time at which it is shown, in seconds since 1970.
  var time: Int
  var isSnoozed = false

  /// The alerts to come. One that was put off is shown at the end of its snooze.
  static func coming(_ alerts: [OrgAlert], _ snoozes: AlertSnoozes, from now: Int, to end: Int) -> [AlertRow] {
    var rows: [AlertRow] = []
    for alert in alerts {
      let snooze = snoozes[alert.dateID] ?? now
      if snooze > now, snooze <= end, !rows.contains(where: { $0.isSnoozed && $0.alert.dateID == alert.dateID }) {
        rows.append(AlertRow(alert: alert, time: snooze, isSnoozed: true))
      }
      if alert.due > max(now, snooze) { rows.append(AlertRow(alert: alert, time: alert.due)) }
    }
    return rows.sorted { ($0.time, $0.alert) < ($1.time, $1.alert) }
  }

  var line: String {
    let wall = OrgZone.local.moment(at: time).timestamp(isActive: true).description.dropFirst().dropLast()
    let kind = "\(alert.kind.rawValue) \(alert.dateText)\(isSnoozed ? ", put off" : "")"
    return "\(wall)  \(alert.dateID.prefix(8))  \(alert.item.headline)  (\(kind))"
  }

  var json: JSON {
    var json = alert.json()
    json.add([
      "due": .string("\(CivilTime(Timestamp(seconds: Int64(time))))"), "snoozed": .boolean(isSnoozed),
    ])
    return json
  }
}

/// `syncd alerts snooze`: puts an alert off.
struct AlertsSnoozeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Put an alert off: it is shown again after a time, and not before.",
    discussion: """
      EXAMPLES
        syncd alerts snooze 3f2a91bc            for ten minutes
        syncd alerts snooze 3f2a91bc 1h         for an hour
        syncd alerts snooze 3f2a91bc tomorrow   until tomorrow at `day-time`
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @Argument(help: ArgumentHelp("Beginning of the alert's ID, at least four characters.", valueName: "id"))
  var alert: String
  @Argument(help: "A duration such as 10m or 1h, or tomorrow.") var time = "10m"

  func run() async throws {
    let configuration = try common.configuration()
    try await options.with(common) { items in
      let now = OrgZone.local.seconds(of: items.now)
      let end = try end(from: now, items.now, configuration.alerts)
      let found = try chosen(
        try items.alerts(configuration.alerts, zone: .local, after: now - 3 * 86_400, to: now + 366 * 86_400))
      try StateFolder(path: configuration.stateFolder).snooze(found.dateID, until: end)
      let until = CivilTime(Timestamp(seconds: Int64(end)))
      if common.json {
        return Console.print(json: ["version": 1, "id": .string(found.dateID), "until": .string("\(until)")])
      }
      if !common.quiet {
        Console.print("put off until \(LocalTime(Timestamp(seconds: Int64(end)))): \(found.item.headline)")
      }
    }
  }

  private func end(from now: Int, _ moment: OrgMoment, _ settings: AlertSettings) throws -> Int {
    if time == "tomorrow" {
      return OrgZone.local.seconds(
        of: OrgMoment(day: moment.day.advanced(by: 1), minute: settings.dayTime.minutes))
    }
    guard let duration = Duration(text: time), duration >= .seconds(60), duration <= .seconds(366 * 86_400) else {
      throw ValidationError("\(time) is not a time to put an alert off; write 10m, 1h or tomorrow")
    }
    return now + Int(duration.components.seconds)
  }

  /// The date whose identifier begins as typed.
  private func chosen(_ alerts: [OrgAlert]) throws -> OrgAlert {
    guard alert.count >= 4 else {
      throw ValidationError("\(alert) is too short; write at least four characters of the ID")
    }
    let found = alerts.filter { $0.dateID.hasPrefix(alert.lowercased()) }
    guard let first = found.first else {
      throw SyncError(.notFound, "no alert has the ID \(alert.printable); run `syncd alerts` to list them")
    }
    guard found.allSatisfy({ $0.dateID == first.dateID }) else {
      throw ValidationError("several alerts have IDs that begin with \(alert); write more of it")
    }
    return first
  }
}
