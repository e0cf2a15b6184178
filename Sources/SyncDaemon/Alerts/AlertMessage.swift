package import OrgKit
package import SyncKit

/// What a receiver of alerts shows: one alert, or a list of several. Its texts have no control characters.
package struct AlertMessage: Sendable {
  /// The identifier of the message, the same when it is repeated.
  package let id: String
  /// One line.
  package let title: String
  /// Lines with further information; may be empty.
  package let body: String
  /// True if the program was stopped or had an error while it showed this message, which may therefore have been shown.
  package let isRepeated: Bool
  /// The alerts.
  package let rings: [AlertLedger.Ring]
  private let showsTitles: Bool

  /// The number of alerts that are shown one by one; more are shown as a list.
  private static let mostSingle = 5
  /// The number of alerts that the text of a list names.
  private static let named = 10

  /// Returns the messages for alerts: one for each that is shown in time, and one list of the others.
  package static func messages(_ rings: [AlertLedger.Ring], showsTitles: Bool) -> [AlertMessage] {
    let (late, present) = (rings.filter(\.isLate), rings.filter { !$0.isLate })
    let lists = present.count > mostSingle ? [present] : present.map { [$0] }
    return (late.isEmpty ? lists : [late] + lists).map { AlertMessage($0, showsTitles) }
  }

  private init(_ rings: [AlertLedger.Ring], _ showsTitles: Bool) {
    (self.rings, self.showsTitles) = (rings, showsTitles)
    id = rings.first?.alert.id ?? ""
    isRepeated = rings.contains(where: \.isRepeated)
    let lines = rings.map { Self.line($0.alert, showsTitles) }
    if let ring = rings.first, rings.count == 1 {
      title = (ring.isLate ? "Missed: " : "") + lines[0]
      body =
        "\(ring.alert.kindText) \(ring.alert.dateText)"
        + (showsTitles ? " (\(ring.alert.item.file.printableLine))" : "")
    } else {
      title = rings.contains(where: \.isLate) ? "\(rings.count) missed alerts" : "\(rings.count) alerts"
      let rest = lines.count > Self.named ? ["and \(lines.count - Self.named) more"] : []
      body = (zip(rings, lines).prefix(Self.named).map { "\($0.alert.dateText) \($1)" } + rest).joined(separator: "\n")
    }
  }

  private static func line(_ alert: OrgAlert, _ showsTitles: Bool) -> String {
    showsTitles ? alert.item.headline.printableLine : alert.kindText
  }

  /// The alert, if the message is not a list.
  package var single: OrgAlert? { rings.count == 1 ? rings[0].alert : nil }

  /// The message as the document `alert`.
  package var json: JSON {
    [
      "version": 1, "id": .string(id), "title": .string(title), "body": .string(body), "repeated": .boolean(isRepeated),
      "alerts": .array(
        rings.map { ring in
          var json = ring.alert.json(showsTitle: showsTitles)
          json["missed"] = .boolean(ring.isLate)
          return json
        }),
    ]
  }
}

extension OrgAlert {
  /// The kind of date, as the first word of a sentence.
  var kindText: String {
    switch kind {
    case .scheduled: "Scheduled"
    case .deadline: "Deadline"
    case .timestamp: "Date"
    }
  }

  /// The date with its time, if it has one.
  package var dateText: String { date.day.iso + (hasTime ? " \(date.time.padded)" : "") }

  /// The alert as JSON.
  package func json(showsTitle: Bool = true) -> JSON {
    var place: JSON = [
      "file": .string(item.file), "line": .integer(item.line), "path": .array(item.path.map(JSON.string)),
    ]
    place["id"] = item.id.map(JSON.string)
    var json: JSON = [
      "id": .string(dateID), "number": .integer(number), "due": .string("\(CivilTime(Timestamp(seconds: Int64(due))))"),
      "kind": .string(kind.rawValue), "date": .string(date.day.iso),
      "time": hasTime ? .string(date.time.padded) : .null,
    ]
    guard showsTitle else { return json }
    json.add(["at": place, "title": .string(item.title), "todo": item.keyword.map(JSON.string) ?? .null])
    return json
  }
}

extension OrgTimestamp.Time {
  /// The time with two digits for the hour: `09:00`.
  var padded: String { [hour, minute].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":") }
}
