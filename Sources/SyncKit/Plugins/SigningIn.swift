/// A plugin whose remote a person signs in to before it can be used. The program leads the conversation and keeps the secret.
public protocol SigningIn: Plugin {
  /// Lets a person sign in, and returns the secret to keep and where. The plugin stores nothing itself.
  /// Throws `.unauthorized` if the person or the service refuses, and `.timedOut` if no one answers.
  func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn
}

/// A dialog with the person at the terminal.
public protocol Conversation: Sendable {
  /// Shows a text.
  func tell(_ text: String)

  /// Asks for one line. Throws `.unauthorized` if there is no terminal.
  func ask(_ question: String) async throws(SyncError) -> String
}

/// The result of signing in.
public struct SignIn: Sendable {
  /// Where the secret is kept.
  public enum Keeping: Hashable, Sendable {
    /// In a file that only its owner may read.
    case file(String)
    /// By a program that reads it from its standard input.
    case command([String])
  }

  /// The account, for people.
  public var account: String
  /// The secret to keep.
  public var secret: Secret
  /// Where to keep it.
  public var keeping: Keeping

  /// Creates the result of signing in.
  public init(account: String, secret: Secret, keeping: Keeping) {
    self.account = account
    self.secret = secret
    self.keeping = keeping
  }
}
