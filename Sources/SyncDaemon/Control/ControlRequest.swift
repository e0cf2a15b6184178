package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request to the service through its control socket.
package struct ControlRequest: Sendable {
  package enum Command: String, Decodable, CaseIterable {
    /// Returns the present state.
    case status
    /// Runs a pass now, including remotes that are unreachable.
    case sync
    /// Makes no passes until `resume`.
    case pause
    case resume
    /// Sends a line for every pass until the connection ends.
    case watch
    /// Yields the lock until the connection ends, so that a command can work itself.
    case yield

    /// True if the connection belongs to this request until it ends.
    var keepsConnection: Bool { self == .yield || self == .watch }
  }

  var command: Command
  /// Only these remotes; empty for all.
  var remotes: [String]
  /// The duration of a `pause` in seconds; nil until `resume`.
  var seconds: Double?
  /// Sends the answer; called once.
  let answer: @Sendable (JSON) -> Void
  /// Sends another line without blocking; returns false if that is no longer possible.
  let offer: @Sendable (String) -> Bool
  /// Ends when the client disconnects.
  let isOver: AsyncStream<Void>

  /// Parses a line such as `{"do": "sync", "remotes": ["home"]}`; returns the error if it is invalid.
  static func read(_ line: String) -> Result<(Command, [String], Double?), ControlMistake> {
    guard let text = try? JSONDecoder().decode(Text.self, from: Data(line.utf8)) else {
      return .failure(ControlMistake("invalid request: expected a JSON object with \"do\" and optionally \"remotes\""))
    }
    guard let command = Command(rawValue: text.do) else {
      let known = Command.allCases.map(\.rawValue).joined(separator: ", ")
      return .failure(ControlMistake("unknown request \"\(text.do)\"; the requests are \(known)"))
    }
    return .success((command, text.remotes ?? [], text.for))
  }

  private struct Text: Decodable {
    var `do`: String
    var remotes: [String]?
    var `for`: Double?
  }
}

/// The error in a request.
struct ControlMistake: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

extension JSON {
  /// The answer to a request that was carried out and has no result.
  package static var accepted: JSON { consent() }

  /// The answer to a request that is refused.
  static func refusal(_ message: String) -> JSON { ["version": 1, "ok": false, "error": .string(message)] }

  /// The answer to a request that succeeded.
  static func consent(_ members: JSON = [:]) -> JSON {
    var answer: JSON = ["version": 1, "ok": true]
    answer.add(members)
    return answer
  }
}
