import Foundation
import ProgramTesting
import Testing

/// What a shell suggests, with the real program and the script that bash loads.
@Suite("Completion") struct CompletionTests {
  /// Returns what bash suggests for the last of the words.
  private func suggestions(_ sandbox: Sandbox, _ words: [String]) throws -> [String] {
    let line = ["syncd", "--settings", sandbox.path("s.toml")] + words
    try sandbox.write(
      try Command([Sandbox.binary, "--generate-completion-script", "bash"]).run().text, to: "syncd.bash")
    try FileManager.default.createDirectory(atPath: sandbox.path("bin"), withIntermediateDirectories: true)
    try? FileManager.default.createSymbolicLink(
      atPath: sandbox.path("bin/syncd"), withDestinationPath: Sandbox.binary)
    let script = """
      source '\(sandbox.path("syncd.bash"))'
      PATH="\(sandbox.path("bin")):$PATH"
      COMP_WORDS=(\(line.map { "'\($0)'" }.joined(separator: " ")))
      COMP_CWORD=\(line.count - 1)
      COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}
      _syncd syncd "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try Command(["bash", "-c", script]).run()
    return outcome.text.split(separator: "\n").map(String.init)
  }

  @Test("remotes, files in the store, passes and IDs of held deletions are suggested")
  func suggestions() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    for number in 0..<8 { try sandbox.write("* \(number)\n", to: "org/notes\(number).org") }
    try sandbox.once()
    for number in 1..<8 { try sandbox.remove("org/notes\(number).org") }
    try sandbox.once(status: 6)
    #expect(Set(try suggestions(sandbox, ["pause", ""])).isSuperset(of: ["home", "away"]))
    #expect(try suggestions(sandbox, ["doctor", "aw"]).contains("away"))
    #expect(try suggestions(sandbox, ["why", "no"]).contains("notes0.org"))
    #expect(try suggestions(sandbox, ["undo", ""]).contains("1"))
    #expect(try suggestions(sandbox, ["show", "notes0.org", "--at", ""]).contains("1"))
    #expect(try suggestions(sandbox, ["resolve", "notes0.org", "--tool", "me"]).contains("meld"))
    let status = try sandbox.syncd("status").text
    let ids = try suggestions(sandbox, ["allow", ""]).filter { $0.count == 10 }
    #expect(!ids.isEmpty && ids.allSatisfy { status.contains("`syncd allow \($0)`") }, "\(ids)")
  }
}
