extension Secret: SettingValue {
  public static var form: SettingForm {
    SettingForm("a secret", schema: ["type": "string"], isSecret: true)
  }

  /// Reads a string.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    self.init(.literal(text), in: environment)
  }

  /// `"<secret>"`: a secret is never written.
  public var written: TOMLValue? { .redacted }
}
