/// Why ssh refused the connection, from its error output.
///
/// Each line is recognized as a whole, because the same words may stand in the name of a file that another line quotes.
public enum SSHRefusal: Hashable, Sendable {
  /// The key of the host is unknown, or another one than the known one.
  case hostKey
  /// The account is unknown, or none of our keys is accepted.
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

  /// `USER@HOST: Permission denied (METHODS).`, without the account in old versions; and a server's last word.
  private static func isAboutAccount(_ line: String) -> Bool {
    line.wholeMatch(of: /(?:[^ ]+: )?Permission denied \([a-z0-9,-]+\)\./) != nil
      || line.wholeMatch(of: /(?:Received disconnect|Disconnected) from .*: Too many authentication failures/) != nil
  }
}
