extension Optional: SettingValue where Wrapped: SettingValue {
  /// The same as of the value, if there is one.
  public static var form: SettingForm { Wrapped.form }

  /// Nothing is a value, so an optional setting is never required.
  public static var whenAbsent: Self? { .some(.none) }

  /// Reads a value; nothing is what is not written at all.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    self = try Wrapped(node, in: environment)
  }

  /// The value as it is written; nil if there is none.
  public var written: TOMLValue? { flatMap(\.written) }
}
