internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Service {
  /// The error for people after a failed exchange.
  func syncError(_ error: HTTPError, _ method: String) -> SyncError {
    error.syncError(method, at: "Box", setting: "api-url")
  }

  /// The error for a status that is not a success.
  ///
  /// - Parameter place: the file or folder, for people
  func failure(_ answer: Answer, at place: String) -> SyncError {
    let refusal = answer.refusal
    let code = refusal?.code ?? "HTTP \(answer.status)"
    let cause = "\(answer.status) \(code) \(refusal?.message ?? "") \(refusal?.requestId ?? "")"
    switch (answer.status, code) {
    case (401, _):
      return SyncError(.unauthorized, "Box rejected the sign-in of the remote \(remote)", cause: cause, remedy: remedy)
    case (403, "insufficient_scope"):
      return SyncError(
        .unauthorized,
        "the app may not do this: enable \"Read and write all files and folders\" in Box's developer console, and sign in again",
        cause: cause, remedy: remedy)
    case (403, "storage_limit_exceeded"):
      return SyncError(.pathFailed, "cannot write \(place): the Box is full", cause: cause)
    case (403, "file_size_limit_exceeded"), (413, _):
      return SyncError(.pathFailed, "cannot write \(place): it is larger than the account allows", cause: cause)
    case (400, "terms_of_service_required"), (400, "password_reset_required"):
      return SyncError(.unauthorized, "open Box in a browser, which wants an answer from you: \(code)", cause: cause)
    case (403, _):
      return SyncError(.pathFailed, "the account lacks the permission for \(place): \(code)", cause: cause)
    case (404, _): return SyncError(.notFound, "\(place) is not in the Box", cause: cause)
    case (409, _), (412, _):
      return SyncError(.changedMeanwhile, "another client has changed \(place): \(code)", cause: cause)
    case (400..<500, _): return SyncError(.pathFailed, "Box rejected \(place): \(code)", cause: cause)
    default:
      return SyncError(
        .unavailable, "Box answered HTTP \(answer.status) for \(place); syncd tries again later", cause: cause)
    }
  }

  /// The error for an answer that has another form than the API's.
  func nonsense(_ place: String) -> SyncError {
    SyncError(
      .unavailable,
      "the answer for \(place) is not from Box; check `api-url`, and if the network has a sign-in page")
  }
}
