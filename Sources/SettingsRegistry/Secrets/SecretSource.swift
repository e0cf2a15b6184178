/// The source of a secret.
enum SecretSource: Sendable {
  /// In the settings file.
  case literal(String)
  /// On the standard output of a program.
  case command([String])
  /// In an environment variable.
  case environment(String)
  /// In a file that only its owner may read.
  case file(SettingPath)
  /// In the systemd credential of that name.
  case credential(String)
  /// In the desktop's keyring, where the attribute `syncd` has that value.
  case keyring(String)

  /// The maximum length of a secret in bytes.
  static let sizeLimit = 65_536

  /// Fetches the secret.
  func value(in environment: SettingsEnvironment) async throws -> String {
    switch self {
    case .literal(let value): value
    case .command(let arguments): try await text(BoundedCommand(arguments, variables: environment.variables).output())
    case .environment(let name): try variable(name, environment)
    case .file(let file): try text(content(of: file.path, isPrivate: true))
    case .credential(let name): try text(credential(name, environment))
    case .keyring(let name):
      try await text(
        BoundedCommand(["secret-tool", "lookup", "syncd", name], variables: environment.variables).output())
    }
  }

  private func variable(_ name: String, _ environment: SettingsEnvironment) throws(SecretError) -> String {
    guard let value = environment.variables[name], !value.isEmpty else {
      throw SecretError("the environment has no variable \"\(name)\"")
    }
    return value
  }

  /// Returns a systemd credential. systemd protects it, possibly with an access list that looks like a group permission.
  private func credential(_ name: String, _ environment: SettingsEnvironment) throws(SecretError) -> [UInt8] {
    try content(of: variable("CREDENTIALS_DIRECTORY", environment) + "/" + name, isPrivate: false)
  }

  private func content(of path: String, isPrivate: Bool) throws(SecretError) -> [UInt8] {
    do throws(SmallFile.Refusal) {
      return try SmallFile(path: path, sizeLimit: Self.sizeLimit, isPrivate: isPrivate).content()
    } catch {
      throw SecretError(error.message)
    }
  }

  /// Decodes the text without its final newline, which programs and editors add.
  private func text(_ bytes: [UInt8]) throws(SecretError) -> String {
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw SecretError("\(name) yields bytes that are not UTF-8")
    }
    if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
    guard !text.isEmpty else { throw SecretError("\(name) yields an empty secret") }
    return text
  }

  private var name: String {
    switch self {
    case .literal: "the settings file"
    case .command(let arguments): "the command \"\(arguments.first ?? "")\""
    case .environment(let name): "the variable \"\(name)\""
    case .file(let file): "the file \"\(file.path)\""
    case .credential(let name): "the credential \"\(name)\""
    case .keyring(let name): "the keyring's entry \"\(name)\""
    }
  }
}
