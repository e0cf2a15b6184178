/// A type of setting that is written as a string in a form of its own, such as `"5m"`.
public protocol TextSettingValue: SettingValue {
  /// Reads `text`; nil if it has not the form.
  init?(text: String)

  /// The text that `init(text:)` reads as this value.
  var text: String { get }
}

extension TextSettingValue {
  /// Reads a string.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard let value = Self(text: text) else {
      throw SettingsError("\(Self.form.name) is expected here", at: node.location)
    }
    self = value
  }

  /// The text as a string.
  public var written: TOMLValue? { .string(text) }
}
