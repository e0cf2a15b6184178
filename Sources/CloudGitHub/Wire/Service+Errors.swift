internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Service {
  /// The error for people after a failed exchange.
  func syncError(_ error: HTTPError, _ method: String) -> SyncError {
    error.syncError(method, at: place.address, setting: "api-url")
  }

  /// The error for a status that is not a success.
  func failure(_ answer: Answer, _ method: String, _ path: String) -> SyncError {
    let message = answer.message
    let route = path.isEmpty ? method : "\(method) \(path)"
    let cause = "\(route) \(answer.status) \(message) \(answer.header("X-GitHub-Request-Id") ?? "")"
    switch answer.status {
    case 401:
      let advice = signIn == nil ? ". Create another one and replace `token`" : ""
      return SyncError(
        .unauthorized,
        "\(place.host) rejected the token of \(place.address); it was revoked or has expired\(advice)", cause: cause,
        remedy: signIn)
    case 403:
      return SyncError(
        .unauthorized, "\(place.host) does not allow \(method) in \(place.address): \(message)", cause: cause)
    case 404 where path.isEmpty:
      return SyncError(
        .unauthorized,
        "\(place.host) has no repository \(repository), or the token may not see it; check `repository`, and which "
          + "repositories the token may use", cause: cause)
    case 400..<500:
      return SyncError(
        .unavailable, "\(place.address) rejected \(route) with HTTP \(answer.status): \(message)", cause: cause
      )
    default:
      return SyncError(
        .unavailable, "\(place.host) answered HTTP \(answer.status) to \(route); syncd tries again later",
        cause: cause)
    }
  }
}
