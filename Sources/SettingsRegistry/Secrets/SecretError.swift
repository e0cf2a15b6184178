/// Why a secret could not be fetched. Never quotes the secret, nor the arguments of a command.
public struct SecretError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, for a person, without a full stop.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ message: String) { self.message = message }
}
