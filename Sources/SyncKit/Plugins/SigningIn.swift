/// A plugin whose remote requires the user to sign in first, or allows it. The program conducts the dialog and stores the secret.
public protocol SigningIn: Plugin {
  /// True if a remote also works without signing in, with a secret that the user has from elsewhere. Default: false.
  static var isOptional: Bool { get }

  /// The key of the setting that a sign-in fills, which the setup of a remote then sets to a file. Default: nil, all required
  /// secrets of the plugin.
  static var signInSetting: String? { get }

  /// Lets the user sign in, and returns the secret and where to store it. The plugin stores nothing itself. Throws
  /// `.unauthorized` if the user or the service refuses, and `.timedOut` if no one answers.
  func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn
}

extension SigningIn {
  public static var isOptional: Bool { false }
  public static var signInSetting: String? { nil }
}

/// A dialog with the user at the terminal.
public protocol Conversation: Sendable {
  /// Shows a text.
  func tell(_ text: String)

  /// Asks for one line. Throws `.unauthorized` if there is no terminal.
  func ask(_ question: String) async throws(SyncError) -> String
}

/// The result of signing in.
public struct SignIn: Sendable {
  /// The place in which the secret is stored.
  public enum Keeping: Hashable, Sendable {
    /// In a file that only its owner may read.
    case file(String)
    /// By a program that reads it from its standard input.
    case command([String])
  }

  /// The account, for people.
  public var account: String
  /// The secret to store.
  public var secret: Secret
  /// The place in which to store it.
  public var keeping: Keeping

  /// Creates the result of signing in.
  public init(account: String, secret: Secret, keeping: Keeping) {
    self.account = account
    self.secret = secret
    self.keeping = keeping
  }
}
