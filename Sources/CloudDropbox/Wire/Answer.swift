internal import CurlHTTP
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A response other than a file content, and the meaning of its status (Dropbox, "Error handling").
struct Answer: Sendable {
  var route: String
  var status: Int
  var body: [UInt8]
  /// The request id for Dropbox's support; logged.
  var requestID: String?
  var retryAfter: String?

  init(_ response: HTTPResponse, to route: String) async throws(HTTPError) {
    self.route = route
    status = response.status
    requestID = response.header("X-Dropbox-Request-Id")
    retryAfter = response.header("Retry-After")
    body = try await response.bytes()
  }

  /// Decodes the body. Invalid JSON is not a response of Dropbox, but for example a captive portal's page or a truncated text.
  func value<Value: Decodable>(_ type: Value.Type) throws(CallError) -> Value {
    guard status == 200 else { throw failure }
    do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
      throw CallError(
        kind: .lost,
        error: SyncError(
          .unavailable, "the answer to \(route) is not from Dropbox; check if the network has a sign-in page",
          cause: requestID))
    }
  }

  private struct Failure: Decodable {
    struct Problem: Decodable {
      var reason: TagChain?
      var retryAfter: Double?
      var requiredScope: String?
      var invalidRoot: Root?
      var correctOffset: Int?

      private enum CodingKeys: String, CodingKey {
        case reason
        case retryAfter = "retry_after"
        case requiredScope = "required_scope"
        case invalidRoot = "invalid_root"
        case correctOffset = "correct_offset"
      }
    }

    struct Root: Decodable {
      var namespace: String

      private enum CodingKeys: String, CodingKey { case namespace = "root_namespace_id" }
    }

    var summary: String?
    var problem: Problem?

    private enum CodingKeys: String, CodingKey {
      case summary = "error_summary"
      case problem = "error"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      summary = try members.decodeIfPresent(String.self, forKey: .summary)
      // The error has many forms, of which only a few fields matter.
      problem = try? members.decodeIfPresent(Problem.self, forKey: .problem)
    }
  }

  private var explanation: Failure? { try? JSONDecoder().decode(Failure.self, from: Data(body)) }

  /// The requested pause of the account in seconds; an invalid value counts as none.
  var wantedPause: Int? {
    let seconds = explanation?.problem?.retryAfter ?? retryAfter.flatMap { Double($0) }
    guard let seconds, seconds >= 0, seconds.isFinite else { return nil }
    return Int(min(seconds.rounded(.up), 86_400))
  }

  /// The error tag of a 401.
  var accessProblem: Refusal { Refusal(summary: explanation?.summary ?? "") }

  /// The error for a status that is not a success.
  var failure: CallError {
    let explanation = explanation
    let summary = explanation?.summary ?? ""
    let cause = "\(route) \(status) \(summary) \(requestID ?? "")"
    switch status {
    case 409 where explanation?.summary != nil:
      var refusal = Refusal(summary: summary)
      refusal.correctOffset = explanation?.problem?.correctOffset
      return CallError(kind: .refused(refusal), error: refusal.error(at: route))
    case 422:
      let error = SyncError(.unavailable, "the team space has moved; syncd tries again", cause: cause)
      guard let root = explanation?.problem?.invalidRoot else { return CallError(kind: .notDone, error: error) }
      return CallError(kind: .rootMoved(root.namespace), error: error)
    case 401: return CallError(kind: .notDone, error: unauthorized(explanation?.problem?.requiredScope, cause))
    case 403:
      return CallError(
        kind: .notDone,
        error: SyncError(.unauthorized, "the account lacks the permission for \(route) of Dropbox", cause: cause))
    case 400:
      let text = String(decoding: body.prefix(300), as: UTF8.self)
      return CallError(
        kind: .notDone, error: SyncError(.pathFailed, "Dropbox rejected the request \(route): \(text)", cause: cause))
    case 429:
      return CallError(
        kind: .notDone,
        error: SyncError(.unavailable, "Dropbox limits the request rate; syncd tries again later", cause: cause))
    default:
      return CallError(
        kind: .lost,
        error: SyncError(
          .unavailable, "Dropbox answered HTTP \(status) to \(route); syncd tries again later", cause: cause))
    }
  }

  private func unauthorized(_ scope: String?, _ cause: String) -> SyncError {
    let problem = accessProblem
    if problem.has("missing_scope") {
      let name = scope.map { " \($0)" } ?? ""
      return SyncError(
        .unauthorized, "the app lacks the permission\(name); enable it in Dropbox's app console and sign in again",
        cause: cause)
    }
    if problem.has("user_suspended") {
      return SyncError(.unauthorized, "the Dropbox account is suspended", cause: cause)
    }
    return SyncError(
      .unauthorized, "Dropbox rejected the sign-in", cause: cause, remedy: .signIn(remote: nil))
  }
}
