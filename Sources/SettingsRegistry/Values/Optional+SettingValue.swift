extension Optional: SettingValue where Wrapped: SettingValue {
  public static var form: SettingForm { Wrapped.form }

  /// Nothing is a value, so an optional setting is never required.
  public static var whenAbsent: Self? { .some(.none) }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    self = try Wrapped(node, in: environment)
  }

  public var written: TOMLValue? { flatMap(\.written) }
}
