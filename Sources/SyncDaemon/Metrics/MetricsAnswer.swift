/// The answer of the metrics port to an HTTP request (RFC 9112). Each answer ends its connection. Pure.
enum MetricsAnswer {
  /// - Parameter head: the request line and the headers.
  static func bytes(to head: String, figures: () -> String) -> [UInt8] {
    let lines = head.split(whereSeparator: \.isNewline)
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      return answer("400 Bad Request", "this is not HTTP\n")
    }
    guard lines.dropFirst().allSatisfy(isHarmless) else {
      return answer("403 Forbidden", "only requests to a loopback address are allowed\n")
    }
    guard words[0] == "GET" || words[0] == "HEAD" else {
      return answer("405 Method Not Allowed", "use GET or HEAD\n", "Allow: GET, HEAD\r\n")
    }
    let bytes = page(words[1].prefix { $0 != "?" }, figures)
    return words[0] == "HEAD" ? Array(bytes.prefix(bytes.firstRange(of: end)?.upperBound ?? bytes.count)) : bytes
  }

  private static let end = Array("\r\n\r\n".utf8)

  private static func page(_ path: Substring, _ figures: () -> String) -> [UInt8] {
    switch path {
    case "/metrics": answer("200 OK", figures(), type: PrometheusText.contentType)
    case "/health": answer("200 OK", "ok\n")
    default: answer("404 Not Found", "not found; use /metrics or /health\n")
    }
  }

  /// Returns true unless the header is a `Host` with a foreign name: a website may point its own name to this machine (DNS
  /// rebinding).
  private static func isHarmless(_ field: Substring) -> Bool {
    guard field.lowercased().hasPrefix("host:") else { return true }
    let host = field.dropFirst(5).trimming(while: \.isWhitespace)
    let name = host.lastIndex(of: ":").map { host[$0...].contains("]") ? host : host[..<$0] } ?? host
    return name.lowercased() == "localhost" || LoopbackAddress(text: "\(name):0") != nil
  }

  private static func answer(
    _ status: String, _ body: String, _ field: String = "", type: String = "text/plain; charset=utf-8"
  ) -> [UInt8] {
    Array(
      ("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(field)"
        + "Connection: close\r\n\r\n\(body)").utf8)
  }
}

extension Substring {
  fileprivate func trimming(while isBlank: (Character) -> Bool) -> Substring {
    let rest = drop(while: isBlank)
    return rest[..<(rest.lastIndex { !isBlank($0) }.map(rest.index(after:)) ?? rest.startIndex)]
  }
}
