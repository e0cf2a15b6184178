extension Array: SettingValue where Element: SettingValue {
  /// A list of what the elements are; secret if they are.
  public static var form: SettingForm {
    SettingForm(
      "a list, each \(Element.form.name)",
      schema: ["type": "array", "items": Element.form.schema], isSecret: Element.form.isSecret)
  }

  /// Reads all elements; throws the mistakes of all of them.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .array(let nodes) = node.value else { throw .expected(Self.form, at: node) }
    var elements: [Element] = []
    var mistakes: [Diagnostic] = []
    for node in nodes {
      do throws(SettingsError) {
        elements.append(try Element(node, in: environment))
      } catch {
        mistakes += error.diagnostics
      }
    }
    guard mistakes.isEmpty else { throw SettingsError(mistakes) }
    self = elements
  }

  /// The elements as they are written.
  public var written: TOMLValue? {
    .array(compactMap(\.written).map { TOMLNode($0, at: TextLocation(file: "")) })
  }
}
