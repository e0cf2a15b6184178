/// The reason why ssh refused the connection, from its error output.
///
/// Each line must match as a whole, because another line may quote a file name that contains the same text.
public enum SSHRefusal: Hashable, Sendable {
  /// The host's key is unknown or has changed.
  case hostKey
  /// The account is unknown, or the host accepts none of our keys.
  case account

  /// The refusal that `errorLines` report; nil if they report none.
  public init?(_ errorLines: [String]) {
    if errorLines.contains(where: Self.isAboutHostKey) {
      self = .hostKey
    } else if errorLines.contains(where: Self.isAboutAccount) {
      self = .account
    } else {
      return nil
    }
  }

  private static func isAboutHostKey(_ line: String) -> Bool {
    line == "Host key verification failed." || line.hasPrefix("The authenticity of host ")
      || line.wholeMatch(of: /@ *WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! *@/) != nil
  }

  /// Matches `USER@HOST: Permission denied (METHODS).`, without the account in old versions, and the message of a disconnect.
  private static func isAboutAccount(_ line: String) -> Bool {
    line.wholeMatch(of: /(?:[^ ]+: )?Permission denied \([a-z0-9,-]+\)\./) != nil
      || line.wholeMatch(of: /(?:Received disconnect|Disconnected) from .*: Too many authentication failures/) != nil
  }
}
