internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Service {
  /// The error for a failed exchange.
  func syncError(_ error: HTTPError, _ method: String) -> SyncError {
    error.syncError(method, at: bucket.address, setting: "endpoint")
  }

  /// The error for an answer that is not a success.
  ///
  /// - Parameter path: The file that the request was about; nil for the whole bucket.
  func syncError(_ answer: Answer, _ method: String, _ path: SyncPath? = nil) async -> SyncError {
    let failure = answer.failure
    let location = path.map { "\($0) in \(bucket.address)" } ?? bucket.address
    let request = answer.header("x-amz-request-id").map { "request \($0)" }
    let text = "the server answered HTTP \(answer.status) \(failure?.code ?? "") to \(method) of \(location)"
    func error(_ code: SyncError.Code, _ message: String) -> SyncError { SyncError(code, message, cause: request) }
    switch (answer.status, failure?.code ?? "") {
    case (_, "InvalidAccessKeyId"):
      return error(.unauthorized, "\(bucket.address) does not know the access key \(await keyName())")
    case (_, "SignatureDoesNotMatch"):
      return error(
        .unauthorized,
        "\(bucket.address) refused the signature: the secret key does not belong to the access key \(await keyName()), or a "
          + "proxy changes requests")
    case (_, "ExpiredToken"), (_, "InvalidToken"):
      return error(
        .unauthorized, "the session token for \(bucket.address) has expired; get new keys, or use `credential_process`")
    case (_, "RequestTimeTooSkewed"):
      let minutes = answer.date.map { abs($0.seconds - runtime.now().seconds) / 60 } ?? 0
      return error(
        .unavailable, "this machine's clock differs from the server's by \(Int(minutes).counted("minute")); set it")
    case (_, "NoSuchBucket"):
      return error(
        .wrongReplica, "bucket \(bucket.name) not found at \(bucket.host(in: region)); create it, or check `bucket`")
    case (_, "InvalidObjectState"):
      return error(.pathFailed, "\(location) is in an archive class; restore it in the bucket first")
    case (_, "KeyTooLongError"), (_, "InvalidObjectName"), (_, "InvalidURI"):
      return error(.pathFailed, "\(bucket.address) cannot hold the name \(path.map { "\($0)" } ?? "")")
    case (_, "EntityTooLarge"):
      return error(.pathFailed, "\(location) is larger than the server accepts in one upload")
    case (507, _), (_, "QuotaExceeded"):
      return error(.pathFailed, "the bucket \(bucket.address) is full; remove files or increase the quota")
    case (301, _), (307, _), (400, "AuthorizationHeaderMalformed"):
      return error(.invalidSettings, "\(text): the bucket is in another region; set `region` and `endpoint`")
    case (403, let code) where code.hasPrefix("KMS."):
      return error(.unauthorized, "the access key may not use the encryption key of \(bucket.address)")
    case (401, _), (403, _):
      let message =
        "\(text): the access key \(await keyName()) lacks the permission; see the policy in the manual of S3"
      return error(path == nil ? .unauthorized : .pathFailed, message)
    case (404, _), (410, _): return error(.notFound, "\(location) does not exist")
    case (412, _), (409, _): return error(.changedMeanwhile, "another client has changed \(location)")
    case (405, _), (501, _):
      return error(path == nil ? .invalidSettings : .pathFailed, "\(text), which S3 has; check `endpoint`")
    case (200..<400, _):
      return error(.unavailable, "\(text), which is not a valid answer; check if the network has a sign-in page")
    case (429, _), (500..<600, _): return error(.unavailable, "\(text); syncd tries again later")
    default: return error(path == nil ? .unavailable : .pathFailed, text)
    }
  }
}
