import SettingsRegistry

/// The meaning of a document, as text that is the same for every reader: typed values, tables sorted by the bytes of their
/// keys.
///
/// Fractions of seconds are truncated to microseconds, the precision of Python.
enum CanonicalText {
  static func text(_ document: TOMLDocument) -> String? {
    document.mistakes.isEmpty ? text(document.root) : nil
  }

  private static func text(_ table: TOMLTable) -> String {
    self.table(table.entries.map { ($0.key.text, text($0.node.value)) })
  }

  private static func text(_ value: TOMLValue) -> String {
    switch value {
    case .string(let text): string(text)
    case .integer(let value): integer(value)
    case .float(let value): float(value)
    case .boolean(let value): boolean(value)
    case .dateTime(let value): text(value)
    case .array(let nodes): array(nodes.map { text($0.value) })
    case .table(let table): text(table)
    case .unreadable: "unreadable"
    }
  }

  private static func text(_ value: TOMLDateTime) -> String {
    switch value {
    case .date(let day): dateTime(day: text(day))
    case .time(let time): dateTime(time: text(time))
    case .local(let day, let time): dateTime(day: text(day), time: text(time))
    case .offset(let day, let time, let minutes): dateTime(day: text(day), time: text(time), minutes: minutes)
    }
  }

  private static func text(_ day: TOMLDateTime.Day) -> String { numbers(day.year, day.month, day.day) }

  private static func text(_ time: TOMLDateTime.Time) -> String {
    numbers(time.hour, time.minute, time.second, time.nanosecond / 1000)
  }

  static func string(_ text: String) -> String { "s:" + hex(text.utf8) }
  static func integer(_ value: Int) -> String { "i:\(value)" }
  static func float(_ value: Double) -> String { value.isNaN ? "f:nan" : "f:" + String(value.bitPattern, radix: 16) }
  static func boolean(_ value: Bool) -> String { "b:\(value)" }
  static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
  static func numbers(_ numbers: Int...) -> String { numbers.map(String.init).joined(separator: " ") }

  static func dateTime(day: String = "", time: String = "", minutes: Int? = nil) -> String {
    "t:\(day)/\(time)/" + (minutes.map(String.init) ?? "")
  }

  static func table(_ entries: [(key: String, value: String)]) -> String {
    "{" + entries.map { hex($0.key.utf8) + "=" + $0.value }.sorted().joined(separator: ",") + "}"
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
