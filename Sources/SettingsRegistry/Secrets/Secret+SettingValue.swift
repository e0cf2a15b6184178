extension Secret: SettingValue {
  /// The keys of a reference to a secret.
  private enum Reference: String, CaseIterable {
    case command, env, file, credential, keyring
  }

  /// A string or a reference; never shown.
  public static var form: SettingForm {
    let text: JSON = ["type": "string", "minLength": 1]
    let references = Reference.allCases.map { reference in
      JSON.Member(reference.rawValue, reference == .command ? ["type": "array", "items": text, "minItems": 1] : text)
    }
    let table: JSON = [
      "type": "object", "properties": .object(references), "additionalProperties": false,
      "minProperties": 1, "maxProperties": 1,
    ]
    return SettingForm(
      "a string or one of { command = […] }, { env = … }, { file = … }, { credential = … }, { keyring = … }",
      schema: ["anyOf": [["type": "string"], table]], isSecret: true)
  }

  /// Reads a string, or a table with one reference. The secret is not fetched yet.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    switch node.value {
    case .string(let text):
      guard !environment.isReadableByOthers else { throw .exposed(node) }
      self.init(.literal(text), in: environment)
    case .table(let table): self.init(try Self.source(table, node, environment), in: environment)
    default: throw .expected(Self.form, at: node)
    }
  }

  /// `"<secret>"`: a secret is never written.
  public var written: TOMLValue? { .redacted }

  private static func source(
    _ table: TOMLTable, _ node: TOMLNode, _ environment: SettingsEnvironment
  ) throws(SettingsError) -> SecretSource {
    let references = Reference.allCases.map(\.rawValue)
    guard let entry = table.entries.first, table.entries.count == 1 else {
      throw SettingsError("expected exactly one of \(references.joined(separator: ", "))", at: node.location)
    }
    guard let reference = Reference(rawValue: entry.key.text) else {
      throw SettingsError(
        "a secret is kept in one of \(references.joined(separator: ", ")), not \"\(entry.key.text)\"",
        at: entry.key.location, suggestion: references.nearest(to: entry.key.text))
    }
    return try source(reference, entry.node, environment)
  }

  private static func source(
    _ reference: Reference, _ node: TOMLNode, _ environment: SettingsEnvironment
  ) throws(SettingsError) -> SecretSource {
    switch reference {
    case .command: .command(try command(node, environment))
    case .env: .environment(try name(node, environment))
    case .file: .file(try SettingPath(node, in: environment))
    case .credential: .credential(try name(node, environment))
    case .keyring: .keyring(try name(node, environment))
    }
  }

  /// Resolves a program's path like any other path, relative to the folder of the settings file.
  private static func command(
    _ node: TOMLNode, _ environment: SettingsEnvironment
  ) throws(SettingsError) -> [String] {
    let arguments = try [String](node, in: environment)
    guard let program = arguments.first, !program.isEmpty, !arguments.contains(where: { $0.utf8.contains(0) }) else {
      throw SettingsError("a program and its arguments are expected here", at: node.location)
    }
    guard program.contains("/") else { return arguments }
    return [try environment.absolutePath(program, at: node.location)] + arguments.dropFirst()
  }

  private static func name(_ node: TOMLNode, _ environment: SettingsEnvironment) throws(SettingsError) -> String {
    let name = try String(node, in: environment)
    guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/"), !name.utf8.contains(0) else {
      throw SettingsError("expected a name without \"/\"", at: node.location)
    }
    return name
  }
}

extension SettingsError {
  /// The error for a secret in a settings file that other users can read. It does not quote the secret.
  fileprivate static func exposed(_ node: TOMLNode) -> SettingsError {
    let file = node.location.file
    return SettingsError(
      "other users can read this file, so it must not contain a secret; run `chmod 600 \(file)`, or refer to a secret that is kept "
        + "elsewhere, such as { file = … } or { command = […] }", at: node.location)
  }
}
