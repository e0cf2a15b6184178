import SettingsRegistry
import TOMLKit

/// The result of toml++ for a document.
enum TOMLKitOracle {
  /// The canonical text; nil if the document is rejected.
  static func answer(_ document: [UInt8]) -> String? {
    (try? TOMLKit.TOMLTable(string: String(decoding: document, as: UTF8.self))).map(text)
  }

  private static func text(_ table: TOMLKit.TOMLTable) -> String {
    CanonicalText.table(zip(table.keys, table.values).map { ($0, text($1)) })
  }

  private static func text(_ value: any TOMLValueConvertible) -> String? {
    switch value.type {
    case .table: value.table.map(text)
    case .array: value.array.map { CanonicalText.array($0.compactMap { text($0) }) }
    case .string: value.string.map(CanonicalText.string)
    case .int: value.int.map(CanonicalText.integer)
    case .double: value.double.map(CanonicalText.float)
    case .bool: value.bool.map(CanonicalText.boolean)
    case .date: value.date.map { CanonicalText.dateTime(day: text($0)) }
    case .time: value.time.map { CanonicalText.dateTime(time: text($0)) }
    case .dateTime:
      value.dateTime.map {
        CanonicalText.dateTime(day: text($0.date), time: text($0.time), minutes: $0.offset?.offset)
      }
    }
  }

  private static func text(_ value: any TOMLValueConvertible) -> String { text(value) ?? "unreadable" }

  private static func text(_ day: TOMLDate) -> String { CanonicalText.numbers(day.year, day.month, day.day) }

  private static func text(_ time: TOMLTime) -> String {
    CanonicalText.numbers(time.hour, time.minute, time.second, time.nanoSecond / 1000)
  }
}
