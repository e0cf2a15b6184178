import Synchronization

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
  let defaultValue: Value?
  private let slot = SettingSlot<Value>()
  private var assigned: Value?

  /// A setting without a default: required, unless `Value` is optional.
  public init(_ help: String, _ options: SettingOption<Value>...) {
    self.help = help
    self.options = options
    defaultValue = Value.whenAbsent
  }

  /// A setting with a default.
  public init(wrappedValue: Value, _ help: String, _ options: SettingOption<Value>...) {
    self.help = help
    self.options = options
    defaultValue = wrappedValue
  }

  /// The value. Reading a required setting before it was read from a file or set is a programming error.
  public var wrappedValue: Value {
    get {
      guard let value else { preconditionFailure("a required setting is used before it was read: \(help)") }
      return value
    }
    set { assigned = newValue }
  }

  /// The setting itself, which also provides the origin of its value.
  public var projectedValue: Self { self }

  /// The value; nil if the setting is required and is missing or malformed in the file.
  public var value: Value? { assigned ?? slot.content?.value ?? defaultValue }

  /// The source of the value.
  public var origin: SettingOrigin {
    assigned == nil ? slot.content?.origin ?? .default : .program
  }
}

extension Setting: DeclaredSetting {
  var isRequired: Bool { defaultValue == nil }
  var secret: Secret? { (value as Any) as? Secret }

  func declaration(key: String) -> SettingDeclaration {
    SettingDeclaration(
      key: key, help: help, form: Value.form, defaultValue: isSecret ? nil : defaultValue?.written,
      isRequired: isRequired,
      isAsked: options.contains { if case .asked = $0.meaning { true } else { false } },
      isShareable: options.contains { if case .shareable = $0.meaning { true } else { false } }, isSecret: isSecret,
      isLocalFolder: options.contains { if case .localFolder = $0.meaning { true } else { false } },
      isPrivateFile: options.contains { if case .privateFile = $0.meaning { true } else { false } }, range: range)
  }

  func effective(key: String) -> EffectiveSetting {
    let written = value?.written
    return EffectiveSetting(key: key, value: isSecret ? written.map { _ in .redacted } : written, origin: origin)
  }

  func read(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    slot.fill(try checked(node, in: environment), from: .file(node.location))
  }

  /// Reads the default like a value in the file, because it may refer to the environment. Secret defaults are not read.
  func readDefault(in environment: SettingsEnvironment, at location: TextLocation) throws(SettingsError) {
    guard !isSecret, let written = defaultValue?.written else { return }
    slot.fill(try Value(TOMLNode(written, at: location), in: environment), from: .default)
  }

  private func checked(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) -> Value {
    let value = try Value(node, in: environment)
    for case .range(let range, let contains) in options.map(\.meaning) where !contains(value) {
      throw SettingsError("the value must be \(range)", at: node.location)
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
  /// The value as in a settings file, or `"<secret>"`.
  public var description: String { effective(key: "").value?.text ?? "" }

  /// The same as the description, so that no debugger shows a secret.
  public var debugDescription: String { description }

  /// Shows nothing, so that no dump shows a secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension TOMLValue {
  /// The replacement for a secret.
  static let redacted = TOMLValue.string("<secret>")
}

/// A ``Setting`` of any type.
protocol DeclaredSetting: Sendable {
  /// True if the file must contain it.
  var isRequired: Bool { get }
  /// Its value if that is a secret.
  var secret: Secret? { get }
  /// Returns its declaration.
  func declaration(key: String) -> SettingDeclaration
  /// The value in effect.
  func effective(key: String) -> EffectiveSetting
  /// Reads the value from `node`.
  func read(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError)
  /// Reads the default; errors in it are reported at `location`.
  func readDefault(in environment: SettingsEnvironment, at location: TextLocation) throws(SettingsError)
}

/// The value that was read for a setting: filled once, while the settings are read, and shared by all copies of them.
final class SettingSlot<Value: Sendable>: Sendable {
  /// A value and its origin.
  final class Content: Sendable {
    let value: Value
    let origin: SettingOrigin

    init(_ value: Value, from origin: SettingOrigin) {
      self.value = value
      self.origin = origin
    }
  }

  private let reference = AtomicLazyReference<Content>()

  /// The value that was read; nil before.
  var content: Content? { reference.load() }

  /// Stores `value` unless the slot is filled already.
  func fill(_ value: Value, from origin: SettingOrigin) {
    _ = reference.storeIfNil(Content(value, from: origin))
  }
}
