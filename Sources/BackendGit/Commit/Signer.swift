internal import Programs
internal import SyncKit

/// Signs commits with a program of the user, as git itself does (`gpg.program` and `gpg.ssh.program` in git-config(1)).
struct Signer: Sendable {
  /// The command line of the program, which reads the commit and prints an armored signature.
  let arguments: [String]
  let variables: [String: String]

  private static let patience = Duration.seconds(60)
  private static let largestSignature = 65_536

  /// Returns the signature of a commit.
  func sign(_ commit: [UInt8], _ stop: Stop) throws(SyncError) -> String {
    let answer = try Program.run(
      arguments, variables: variables, input: commit, limit: Self.largestSignature, patience: Self.patience, stop)
    let signature = String(decoding: answer.bytes, as: UTF8.self)
    guard signature.hasPrefix("-----BEGIN ") else {
      throw SyncError(
        .unavailable,
        "nothing was pushed, because `\(arguments[0])` did not sign the commit: \(answer.errorText)")
    }
    return signature
  }
}

extension Git {
  /// The signer of commits; nil for none.
  var signer: Signer? {
    let key = settings.signingKey ?? ""
    switch settings.sign {
    case .none: return nil
    case .openpgp:
      let program = settings.signingProgram ?? "gpg"
      // Never ask: a service has no user to answer.
      return Signer(
        arguments: [program, "--batch", "--no-tty", "-bsa"] + (key.isEmpty ? [] : ["-u", key]), variables: variables)
    case .ssh:
      return Signer(
        arguments: [settings.signingProgram ?? "ssh-keygen", "-Y", "sign", "-n", "git", "-f", key], variables: variables
      )
    }
  }
}
