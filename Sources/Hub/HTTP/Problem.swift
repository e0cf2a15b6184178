import SyncDaemon
import SyncKit

/// A problem that a response describes (RFC 9457).
struct Problem: Error, Sendable {
  /// An error in one member of a request.
  struct Mistake: Sendable, Hashable {
    /// The member, as a JSON pointer (RFC 6901).
    var pointer: String
    /// What is wrong with it.
    var detail: String
  }

  /// The status code of the response.
  var status: Int
  /// The last part of the problem's type.
  var name: String
  /// The reason and what to do, as a sentence.
  var detail: String
  /// The errors in members of the request.
  var mistakes: [Mistake] = []
  /// Members of the document that only some types have.
  var members: JSON = [:]
  /// The seconds after which the same request may succeed.
  var retryAfter: Int?

  init(_ status: Int, _ name: String, _ detail: String) {
    (self.status, self.name, self.detail) = (status, name, detail)
  }

  /// The request has errors in its members.
  static func invalid(_ mistakes: [Mistake]) -> Problem {
    var problem = Problem(422, "invalid", mistakes.first?.detail ?? "The request is invalid.")
    problem.mistakes = mistakes
    return problem
  }

  /// One member, or a parameter of the query, is invalid.
  static func invalid(_ pointer: String, _ detail: String) -> Problem {
    invalid([Mistake(pointer: pointer, detail: detail)])
  }

  static let notFound = Problem(404, "not-found", "Nothing is at this address.")

  /// The response that describes the problem.
  var response: HubResponse {
    var document: JSON = [
      "type": .string("/problems/\(name)"), "title": .string(Self.titles[name] ?? "The request failed"),
      "status": .integer(status), "detail": .string(detail),
    ]
    if !mistakes.isEmpty {
      document["errors"] = .array(
        mistakes.map { ["pointer": .string($0.pointer), "detail": .string($0.detail)] })
    }
    document.add(members)
    var response = HubResponse(status, "application/problem+json", Array(document.line.utf8))
    if let retryAfter { response.fields.append(("Retry-After", String(retryAfter))) }
    return response
  }

  private static let titles = [
    "host": "The host name is unknown", "proxy": "The connection is not encrypted",
    "origin": "The request comes from another site",
    "pair": "This device is not paired", "revoked": "This device was revoked", "scope": "This device may not do that",
    "code": "The pairing code is not valid", "rate": "Too many requests", "type": "The body is not JSON",
    "size": "The body is too large", "malformed": "The body is not valid JSON", "invalid": "The request is invalid",
    "not-found": "Not found", "method": "The method is not allowed",
    "gap": "The number of the batch is not the next one",
    "reused": "The number of the batch was used for another one", "yielded": "The store is busy",
    "store": "The store cannot be read or written",
  ]

  /// The names of all types with their titles.
  static var all: [(name: String, title: String)] { titles.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// The problem for an error of the store.
  init(_ error: SyncError) {
    switch error.code {
    case .locked:
      self.init(503, "yielded", "\(error.message). Try again soon.")
      retryAfter = 1
    case .changedMeanwhile:
      self.init(503, "yielded", "\(error.message)")
      retryAfter = 1
    case .notFound: self.init(404, "not-found", error.message)
    default: self.init(503, "store", error.explanation)
    }
  }
}
