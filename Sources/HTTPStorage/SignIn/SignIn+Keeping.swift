package import SyncKit

extension SignIn.Keeping {
  /// Determines the place for a new secret, before the user is asked to sign in. Throws `.invalidSettings` if the settings name
  /// none.
  ///
  /// - Parameters:
  ///   - secret: the setting that holds the secret
  ///   - name: the name of that setting
  ///   - command: the program that stores the secret; empty for none
  ///   - remote: the name of the remote
  package init(
    _ secret: Secret?, named name: String, command: [String], remote: String
  ) throws(SyncError) {
    if !command.isEmpty {
      self = .command(command)
    } else if let file = secret?.file {
      self = .file(file)
    } else {
      throw SyncError(
        .invalidSettings,
        "cannot save the sign-in: `\(name)` of the remote \(remote) does not name a file; set `\(name) = { file = … }`, "
          + "or a `token-command` that stores it")
    }
  }
}

extension PluginContext {
  /// The name of the remote whose settings table this is; `fallback` if it is another table.
  package func remote(or fallback: String) -> String {
    table.split(separator: ".").dropFirst().first.map(String.init) ?? fallback
  }
}
