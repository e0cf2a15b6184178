package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Listens on a local port for the browser's redirect with the code (RFC 8252, 7.3).
package final class RedirectListener: Sendable {
  private let descriptor: CInt

  private static let page = """
    <!doctype html><title>syncd</title><p>You are signed in, and can close this page.
    """
  private static let refusal = """
    <!doctype html><title>syncd</title><p>This is not the page that syncd waits for.
    """
  private static let longestRequest = 16_384

  /// Throws if another program uses the port.
  package init(port: Int) throws(SyncError) {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: CInt = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(descriptor, 4) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      // The descriptor is closed by `deinit`, which runs because all properties have values.
      throw SyncError(
        .unavailable, "another program uses port \(port); end it, or choose another `redirect-port`")
    }
  }

  deinit { close(descriptor) }

  /// The port on which it listens.
  package var port: Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let answer = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
    }
    return answer == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }

  /// Returns the code from the redirect. Rejects a request without our `state`, which does not answer our request.
  package func code(state: String, within limit: Duration) async throws(SyncError) -> String {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      let client = accept(descriptor, nil, nil)
      guard client >= 0 else {
        do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .stopped(waitingFor: "the browser") }
        continue
      }
      defer { close(client) }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let query = Self.query(in: Self.request(client))
      let isOurs = query["state"] == state
      Self.answer(client, isOurs ? Self.page : Self.refusal, status: isOurs ? "200 OK" : "400 Bad Request")
      guard isOurs else { continue }
      if let code = query["code"] { return code }
      throw SyncError(.unauthorized, "the access was not allowed: \(query["error"] ?? "no reason given")")
    }
    throw SyncError(.timedOut, "the access was not allowed in time", remedy: .signIn(remote: nil))
  }

  /// Reads the first line of a request; a browser has two seconds to send it.
  private static func request(_ client: CInt) -> String {
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    _ = unsafe setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var bytes = [UInt8](repeating: 0, count: longestRequest)
    let count = unsafe recv(client, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  private static func answer(_ client: CInt, _ page: String, status: String) {
    let text =
      "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n"
      + page
    // A browser that has closed the connection has sent the code already.
    _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
  }

  /// Parses the fields of `GET /?code=…&state=… HTTP/1.1`.
  package static func query(in line: String) -> [String: String] {
    let target = line.split(separator: " ").dropFirst().first ?? ""
    guard line.hasPrefix("GET "), let mark = target.firstIndex(of: "?") else { return [:] }
    let fields = target[target.index(after: mark)...].split(separator: "&").compactMap { field -> (String, String)? in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      return (
        String(parts[0]), String(decoding: PercentCoding.decoded(parts[1].utf8, decodesPlus: true), as: UTF8.self)
      )
    }
    return Dictionary(fields) { first, _ in first }
  }
}
