/// A program that is run without a shell for what it prints, within bounds of time and length.
///
/// It reads nothing, prints its complaints where ours go, and is ended with all it started once it takes too long.
struct BoundedCommand {
  let words: [String]
  let variables: [String: String]
  var timeLimit = Duration.seconds(30)
  var outputLimit = SecretSource.sizeLimit

  /// The program `words[0]` with the rest as its arguments and exactly these environment variables.
  init(_ words: [String], variables: [String: String]) {
    self.words = words
    self.variables = variables
  }

  /// What the program prints on its standard output until it exits with status 0.
  func output() async throws -> [UInt8] {
    let child = try ChildProcess(words, variables: variables)
    defer { child.end() }
    let deadline = ContinuousClock.now + timeLimit
    var output: [UInt8] = []
    // Asked again and again: signals belong to the program, and a thread that waits for a child may wait for ever.
    while true {
      let status = child.exitStatus()
      output += child.availableOutput(upTo: outputLimit + 1 - output.count)
      guard output.count <= outputLimit else { throw SecretError("\(name) prints too much") }
      if let status { return try checked(output, status) }
      guard ContinuousClock.now < deadline else { throw SecretError("\(name) takes longer than \(timeLimit.text)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func checked(_ output: [UInt8], _ status: CInt) throws(SecretError) -> [UInt8] {
    guard status == 0 else { throw SecretError("\(name) failed with status \(status)") }
    return output
  }

  private var name: String { "the command \"\(words.first ?? "")\"" }
}
