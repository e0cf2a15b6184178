import Foundation
import ProgramTesting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The output of a run of the program, as recorded by strace: the arguments and variables of the programs that it starts, and
/// every written byte with its destination. It includes temporary files that are removed before the run ends.
struct Strace {
  private let lines: [Substring]

  static func isUsable() throws -> Bool {
    guard geteuid() == 0 else {
      skip("only root can trace what syncd does, because its memory is private")
      return false
    }
    guard try Command(["sh", "-c", "command -v strace"]).run().status == 0 else {
      skip("strace is not installed")
      return false
    }
    return true
  }

  /// Runs a command of this sandbox and records it with all its child processes.
  static func watch(_ command: Command, in box: Sandbox) throws -> (outcome: Outcome, strace: Strace) {
    let report = box.path("strace-\(UUID().uuidString)")
    var watched = command
    let options = [
      "strace", "-f", "-y", "-v", "-qq", "-s", "1000000", "-e", "signal=none", "-e",
      "trace=execve,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg", "-o", report,
    ]
    watched.words = options.map { Array($0.utf8) } + command.words
    let outcome = try watched.run()
    guard let text = FileManager.default.contents(atPath: report) else { throw TestFailure(outcome.story) }
    try FileManager.default.removeItem(atPath: report)
    return (outcome, Strace(lines: String(decoding: text, as: UTF8.self).split(separator: "\n")))
  }

  /// The number of started programs.
  var programs: Int { lines.count { $0.contains("execve(") } }

  /// The destinations of a text of letters and digits: `a command line`, `a pipe`, or the path of a file.
  func places(of text: String) -> Set<String> { Set(lines.filter { $0.contains(text) }.map(place(of:))) }

  private func place(of line: Substring) -> String {
    if line.contains("execve(") { return "a command line" }
    guard let target = line.firstMatch(of: /\(\d+<([^>]*)>/)?.1 else { return String(line.prefix(200)) }
    return target.hasPrefix("pipe:") ? "a pipe" : String(target)
  }
}
