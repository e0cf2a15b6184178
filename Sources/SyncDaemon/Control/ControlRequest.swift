import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to the service through its control socket.
package struct ControlRequest: Sendable {
  package enum Command: String, Decodable, CaseIterable {
    /// How everything stands.
    case status
    /// A pass now, also over remotes that are away.
    case sync
    /// No passes until `resume`.
    case pause
    case resume
    /// Lines about every pass from now on, until the connection ends.
    case watch
    /// The lock, until the connection ends: so that a command can do its work itself.
    case yield

    /// True if the connection belongs to this request until it ends.
    var keepsConnection: Bool { self == .yield || self == .watch }
  }

  var command: Command
  /// Only these remotes; none means all.
  var remotes: [String]
  /// Answers, once.
  let answer: @Sendable (JSON) -> Void
  /// Sends a further line without waiting; false where that cannot be done any more.
  let offer: @Sendable (String) -> Bool
  /// Ends when the client disconnects.
  let isOver: AsyncStream<Void>

  /// Reads a line such as `{"do": "sync", "remotes": ["home"]}`; returns what is wrong with it, if it is.
  static func read(_ line: String) -> Result<(Command, [String]), ControlMistake> {
    guard let text = try? JSONDecoder().decode(Text.self, from: Data(line.utf8)) else {
      return .failure(ControlMistake("invalid request: expected a JSON object with \"do\" and optionally \"remotes\""))
    }
    guard let command = Command(rawValue: text.do) else {
      let known = Command.allCases.map(\.rawValue).joined(separator: ", ")
      return .failure(ControlMistake("unknown request \"\(text.do)\"; the requests are \(known)"))
    }
    return .success((command, text.remotes ?? []))
  }

  private struct Text: Decodable {
    var `do`: String
    var remotes: [String]?
  }
}

/// What is wrong with a request.
struct ControlMistake: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

extension JSON {
  /// The answer to a request that cannot be met.
  static func refusal(_ message: String) -> JSON { ["version": 1, "ok": false, "error": .string(message)] }

  /// The answer to one that has been.
  static func consent(_ members: JSON = [:]) -> JSON {
    var answer: JSON = ["version": 1, "ok": true]
    answer.add(members)
    return answer
  }
}
