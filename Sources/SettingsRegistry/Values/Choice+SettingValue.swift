extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// One of the raw values.
  public static var form: SettingForm { .one(of: allCases.map(\.rawValue)) }

  /// Reads one of the raw values, and suggests the nearest otherwise.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard let value = Self(rawValue: text) else {
      throw SettingsError(
        "\(Self.form.name) is expected here", at: node.location, suggestion: Self.form.choices.nearest(to: text))
    }
    self = value
  }

  /// The raw value.
  public var written: TOMLValue? { .string(rawValue) }
}
