/// One setting of a plugin, declared once, where it is used.
///
/// ```swift
/// @Setting("Address of the folder.") public var url: String
/// @Setting("Port of the server.", .range(1...65535)) public var port = 22
/// ```
///
/// The name of the property gives the key (`caFile` is `ca-file`). A setting without a default is required, unless its
/// type is optional. Validation, help, template, schema and redaction come from this declaration alone.
@propertyWrapper
public struct Setting<Value: SettingValue>: Sendable {
  private let help: String
  private let options: [SettingOption<Value>]
  /// The default; nil if the setting is required.
  let standard: Value?
  private let slot = SettingSlot<Value>()
  private var assigned: Value?

  /// A setting without a default: required, unless `Value` is optional.
  public init(_ help: String, _ options: SettingOption<Value>...) {
    self.help = help
    self.options = options
    standard = Value.whenAbsent
  }

  /// A setting with a default.
  public init(wrappedValue: Value, _ help: String, _ options: SettingOption<Value>...) {
    self.help = help
    self.options = options
    standard = wrappedValue
  }

  /// The value. A required setting has none until it was read or set; asking for it earlier is a mistake of the program.
  public var wrappedValue: Value {
    get {
      guard let value else { preconditionFailure("a required setting is used before it was read: \(help)") }
      return value
    }
    set { assigned = newValue }
  }

  /// The setting itself, which knows where its value comes from.
  public var projectedValue: Self { self }

  /// The value; nil if the setting is required and was not, or not rightly, written.
  public var value: Value? { assigned ?? slot.content?.value ?? standard }

  /// Where the value comes from.
  public var origin: SettingOrigin {
    assigned == nil ? slot.content?.origin ?? .standard : .program
  }
}

extension Setting: DeclaredSetting {
  var isRequired: Bool { standard == nil }

  func declaration(key: String) -> SettingDeclaration {
    SettingDeclaration(
      key: key, help: help, form: Value.form, standard: isSecret ? nil : standard?.written, isRequired: isRequired,
      isAsked: options.contains { if case .asked = $0.meaning { true } else { false } }, isSecret: isSecret,
      isLocalFolder: options.contains { if case .localFolder = $0.meaning { true } else { false } }, range: range)
  }

  func effective(key: String) -> EffectiveSetting {
    let written = value?.written
    return EffectiveSetting(key: key, value: isSecret ? written.map { _ in .redacted } : written, origin: origin)
  }

  func read(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    slot.fill(try checked(node, in: environment), from: .file(node.location))
  }

  /// A default may refer to the environment, so it is read as if it were written. A secret one cannot be.
  func readStandard(in environment: SettingsEnvironment, at location: TextLocation) throws(SettingsError) {
    guard !isSecret, let written = standard?.written else { return }
    slot.fill(try Value(TOMLNode(written, at: location), in: environment), from: .standard)
  }

  private func checked(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) -> Value {
    let value = try Value(node, in: environment)
    for case .range(let range, let contains) in options.map(\.meaning) where !contains(value) {
      throw SettingsError("the value must lie \(range)", at: node.location)
    }
    return value
  }

  private var isSecret: Bool {
    Value.form.isSecret || options.contains { if case .secret = $0.meaning { true } else { false } }
  }

  private var range: SettingRange? {
    for case .range(let range, _) in options.map(\.meaning) { return range }
    return nil
  }
}

extension Setting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The value as it is written, or `"<secret>"`.
  public var description: String { effective(key: "").value?.text ?? "" }

  /// The same as the description, so that no debugger shows a secret.
  public var debugDescription: String { description }

  /// Shows nothing, so that no dump shows a secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension TOMLValue {
  /// What is shown in place of a secret.
  static let redacted = TOMLValue.string("<secret>")
}
