/// A part of a whole: a count, written `25`, or a percentage, written `"25%"`.
public enum Share: Sendable, Hashable {
  /// A number, whatever the whole is.
  case count(Int)
  /// A percentage, from 0 to 100.
  case percent(Int)

  /// True for 0 and 0%.
  public var isZero: Bool { self == .count(0) || self == .percent(0) }

  /// Returns how many of `whole` that is; a percentage is rounded down.
  public func count(of whole: Int) -> Int {
    switch self {
    case .count(let count): count
    // Divided first, so that no whole overflows.
    case .percent(let percent): whole / 100 * percent + whole % 100 * percent / 100
    }
  }
}

extension Share: TextSettingValue {
  /// An integer, or digits with a percent sign.
  public static var form: SettingForm {
    let count: JSON = ["type": "integer", "minimum": 0]
    let text: JSON = ["type": "string", "pattern": "^([0-9]+|(100|[0-9]{1,2})%)$"]
    return SettingForm("a count or a percentage such as \"25%\"", schema: ["anyOf": [count, text]])
  }

  /// Reads an integer, or a string.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    let share: Share? =
      switch node.value {
      case .integer(let count): Share(text: String(count))
      case .string(let text): Share(text: text)
      default: throw .expected(Self.form, at: node)
      }
    guard let share else { throw SettingsError("expected \(Self.form.name)", at: node.location) }
    self = share
  }

  /// Reads `25` or `25%`.
  public init?(text: String) {
    let isPercentage = text.hasSuffix("%")
    let digits = isPercentage ? text.dropLast() : text[...]
    guard digits.unicodeScalars.allSatisfy(\.isDigit), let number = Int(digits) else { return nil }
    guard !isPercentage || number <= 100 else { return nil }
    self = isPercentage ? .percent(number) : .count(number)
  }

  /// `25` or `25%`.
  public var text: String {
    switch self {
    case .count(let count): String(count)
    case .percent(let percent): "\(percent)%"
    }
  }

  /// A count is written as an integer.
  public var written: TOMLValue? {
    if case .count(let count) = self { .integer(count) } else { .string(text) }
  }
}
