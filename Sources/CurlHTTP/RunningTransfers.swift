internal import CCurl

/// The running transfers, on libcurl's thread.
final class RunningTransfers {
  private let multi: Multi
  private var transfers: [ObjectIdentifier: EasyHandle] = [:]
  /// True until HTTP/2 has failed once. libcurl 7.88 loses an answer that arrives before the body of its request was sent
  /// (measured with Apache 2.4.71, which refuses uploads that way); with HTTP/1.1 it does not.
  private var offersHTTP2 = true

  init(_ multi: Multi) { self.multi = multi }

  /// Carries out a command; returns false if it was the last one.
  func obey(_ command: CurlLoop.Command) -> Bool {
    switch command {
    case .start(let transfer): start(transfer)
    case .resume(let transfer):
      if let handle = transfers[ObjectIdentifier(transfer)] { unsafe curl_easy_pause(handle.handle, 0) }
    case .cancel(let transfer): end(transfer, .failure(.cancelled))
    case .stop:
      for handle in Array(transfers.values) { end(handle.transfer, .failure(.cancelled)) }
      return false
    }
    return true
  }

  private func start(_ transfer: Transfer) {
    if transfer.hasEnded { return }
    guard let handle = EasyHandle(transfer, offersHTTP2: offersHTTP2) else {
      return transfer.finish(.failure(HTTPError(.refused, "libcurl refused the request")))
    }
    transfers[ObjectIdentifier(transfer)] = handle
    unsafe curl_multi_add_handle(multi.handle, handle.handle)
  }

  private func end(_ transfer: Transfer, _ end: Result<Void, HTTPError>) {
    if let handle = transfers.removeValue(forKey: ObjectIdentifier(transfer)) {
      unsafe curl_multi_remove_handle(multi.handle, handle.handle)
    }
    transfer.finish(end)
  }

  /// Lets libcurl make progress, and finishes the transfers that have ended.
  func perform() {
    var count: CInt = 0
    unsafe curl_multi_perform(multi.handle, &count)
    while let message = unsafe curl_multi_info_read(multi.handle, &count) {
      var finished: UnsafeMutableRawPointer?
      var outcome = CURLE_OK
      guard unsafe curl_message_is_end(message, &finished, &outcome) != 0 else { continue }
      if [CURLE_HTTP2, CURLE_HTTP2_STREAM].contains(outcome) { offersHTTP2 = false }
      guard let handle = transfers.values.first(where: { unsafe $0.handle == finished }) else { continue }
      end(handle.transfer, handle.result(of: outcome))
    }
  }
}
