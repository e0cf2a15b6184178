/// An amount of data, written as a number of bytes or with a unit: `"10MiB"`, `"500kB"`, `4096`.
public struct ByteSize: Sendable, Hashable, Comparable {
  /// The number of bytes.
  public var bytes: Int

  /// Creates a number of bytes.
  public init(bytes: Int) { self.bytes = bytes }

  /// Returns a number of MiB (1024 × 1024 bytes).
  public static func mebibytes(_ count: Int) -> ByteSize { ByteSize(bytes: count << 20) }

  /// Compares the numbers of bytes.
  public static func < (first: Self, second: Self) -> Bool { first.bytes < second.bytes }
}

extension ByteSize: TextSettingValue {
  private static let units = [
    ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// A number with a decimal or binary unit, or an integer.
  public static var form: SettingForm {
    let pattern = "^[0-9]+(" + units.map(\.0).joined(separator: "|") + ")$"
    return SettingForm(
      "a size such as \"10MiB\"",
      schema: ["anyOf": [["type": "string", "pattern": .string(pattern)], ["type": "integer", "minimum": 0]]])
  }

  /// Reads a string, or an integer as the number of bytes.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    let size: ByteSize? =
      switch node.value {
      case .string(let text): ByteSize(text: text)
      case .integer(let bytes) where bytes >= 0: ByteSize(bytes: bytes)
      case .integer: nil
      default: throw .expected(Self.form, at: node)
      }
    guard let size else { throw SettingsError("expected \(Self.form.name)", at: node.location) }
    self = size
  }

  /// Reads a number and its unit.
  public init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...]
    guard let number = Int(digits), let factor = Self.units.first(where: { $0.0 == unit })?.1 else { return nil }
    let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: factor)
    guard !isTooMuch else { return nil }
    self.bytes = bytes
  }

  /// The number in the greatest binary unit without a remainder.
  public var text: String {
    let unit = Self.units.last { $0.1.nonzeroBitCount == 1 && bytes.isMultiple(of: $0.1) && bytes >= $0.1 } ?? ("B", 1)
    return "\(bytes / unit.1)\(unit.0)"
  }
}
