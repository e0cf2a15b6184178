/// A plugin whose remote a person signs in to before it can be used. The program leads the conversation and keeps the secret.
public protocol SigningIn: Plugin {
  /// Lets a person sign in, and gives what has to be kept of it. Nothing is kept by the plugin itself.
  func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn
}

/// A person who can be told and asked something.
public protocol Conversation: Sendable {
  /// Shows a text.
  func tell(_ text: String)

  /// Asks for one line. Throws `.unauthorized` where nobody can be asked.
  func ask(_ question: String) async throws(SyncError) -> String
}

/// What signing in gave.
public struct SignIn: Sendable {
  /// Where the secret goes.
  public enum Keeping: Hashable, Sendable {
    /// A file that nobody else may read.
    case file(String)
    /// A program that takes it on its standard input.
    case command([String])
  }

  /// Who has signed in, in words.
  public var account: String
  public var secret: Secret
  public var keeping: Keeping

  public init(account: String, secret: Secret, keeping: Keeping) {
    self.account = account
    self.secret = secret
    self.keeping = keeping
  }
}
