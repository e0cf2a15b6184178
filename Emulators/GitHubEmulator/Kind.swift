internal import SettingsRegistry

extension Emulator {
  /// The server that is emulated.
  public enum Kind: String, Sendable, CaseIterable {
    case github
    /// Forgejo, and Gitea, which answers the same.
    case forgejo
  }
}

extension Emulator.Kind {
  /// The beginnings of the addresses of the API. On github.com there is none, on an Enterprise server a folder.
  var prefixes: [String] {
    switch self {
    case .github: ["/api/v3", ""]
    case .forgejo: ["/api/v1"]
    }
  }

  /// The message for a token that is not valid.
  var badToken: String {
    switch self {
    case .github: "Bad credentials"
    case .forgejo: "invalid username, password or token"
    }
  }

  /// The status with which the old address of a renamed repository leads to the new one.
  var redirect: Int {
    switch self {
    case .github: 301
    case .forgejo: 307
    }
  }
}
