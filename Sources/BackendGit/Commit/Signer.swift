internal import Programs
internal import SyncKit

/// Signs commits with a program of the user's, as git itself does (`gpg.program` and `gpg.ssh.program` in git-config(1)).
struct Signer: Sendable {
  /// What signs, with all of its arguments; it reads the commit and prints a signature in lines of text.
  let words: [String]
  let variables: [String: String]

  private static let patience = Duration.seconds(60)
  private static let largestSignature = 65_536

  /// The signature of a commit.
  func sign(_ commit: [UInt8], _ stop: Stop) throws(SyncError) -> String {
    let program = try Program(words, variables: variables, patience: Self.patience, stop)
    defer { program.end(isComplete: true) }
    _ = try program.write(commit)
    program.endInput()
    var answer: [UInt8] = []
    while answer.count < Self.largestSignature, let piece = try program.read() { answer += piece }
    let signature = String(decoding: answer, as: UTF8.self)
    guard signature.hasPrefix("-----BEGIN ") else {
      throw SyncError(
        .unavailable,
        "cannot sign the commit, so nothing was pushed: `\(words[0])` failed: \(program.complaint)")
    }
    return signature
  }
}

extension Git {
  /// What signs commits; nil if nothing does.
  var signer: Signer? {
    let key = settings.signingKey ?? ""
    switch settings.sign {
    case .none: return nil
    case .openpgp:
      let program = settings.signingProgram ?? "gpg"
      // Never a question: who is asked while a service works?
      return Signer(
        words: [program, "--batch", "--no-tty", "-bsa"] + (key.isEmpty ? [] : ["-u", key]), variables: variables)
    case .ssh:
      return Signer(
        words: [settings.signingProgram ?? "ssh-keygen", "-Y", "sign", "-n", "git", "-f", key], variables: variables)
    }
  }
}
