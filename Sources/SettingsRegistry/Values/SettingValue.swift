/// A type that a setting can have. Conform to it to add one of your own.
///
/// A type that is written as a string in a form of its own conforms to ``TextSettingValue`` instead, which needs less;
/// an enum of strings that is `CaseIterable` needs nothing but the conformance.
public protocol SettingValue: Sendable {
  /// What people are told about the type.
  static var form: SettingForm { get }

  /// The value of a setting that is neither written nor has a default; nil, the default, makes such a setting required.
  static var whenAbsent: Self? { get }

  /// Reads a value. Every mistake is thrown with its place, and without quoting what may be secret.
  init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError)

  /// The value as it is written in a file, so that reading it gives the same value; nil if nothing is written.
  var written: TOMLValue? { get }
}

extension SettingValue {
  /// A setting of this type is required if it has no default.
  public static var whenAbsent: Self? { nil }
}

extension SettingsError {
  /// The mistake that something else than `form` was written.
  public static func expected(_ form: SettingForm, at node: TOMLNode) -> SettingsError {
    SettingsError("\(form.name) is expected here, not \(node.value.kind)", at: node.location)
  }
}
