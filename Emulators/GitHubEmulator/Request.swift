internal import EmulatorWire
import Foundation

/// A call of the API below `/repos/OWNER/NAME`, or of `/user`.
struct Request {
  let call: Call
  /// The address of the API, which answers contain.
  let address: String
  /// `owner/name`; nil outside a repository.
  let repository: String?
  /// The path below the repository, percent-encoded, such as `/git/ref/heads/main`.
  let path: String

  /// Nil if the API of this kind is elsewhere.
  init?(_ call: Call, _ kind: Emulator.Kind) {
    self.call = call
    guard let prefix = kind.prefixes.first(where: { call.path.hasPrefix($0 + "/") }) else { return nil }
    address = "http://\(call.headers["host"] ?? "")\(prefix)"
    let path = call.path.dropFirst(prefix.count)
    if path.hasPrefix("/repos/"), let names = path.dropFirst(7).firstIndexAfterTwoParts {
      repository = String(path.dropFirst(7)[..<names])
      self.path = String(path.dropFirst(7)[names...])
    } else {
      repository = nil
      self.path = String(path)
    }
  }

  /// The method and the path with names replaced, such as `GET /git/ref/:ref`.
  var route: String {
    let patterns = [
      ("/git/blobs/", ":sha"), ("/git/trees/", ":sha"), ("/git/commits/", ":sha"), ("/git/refs/", ":ref"),
      ("/git/ref/", ":ref"), ("/branches/", ":branch"), ("/compare/", ":range"), ("/contents/", ":path"),
    ]
    let pattern = patterns.first { path.hasPrefix($0.0) && path.count > $0.0.count }
    return call.method + " " + (pattern.map { $0.0 + $0.1 } ?? path)
  }

  /// The decoded rest of the path after `prefix`; nil if the path is another one.
  func rest(after prefix: String) -> String? {
    guard path.hasPrefix(prefix), path.count > prefix.count else { return nil }
    return String(path.dropFirst(prefix.count)).removingPercentEncoding
  }

  func body<Argument: Decodable>(_ type: Argument.Type = Argument.self) throws(BadInput) -> Argument {
    try Call.decode(call.body, from: "request body")
  }

  /// The token in the header, of either kind.
  var token: String {
    let words = (call.headers["authorization"] ?? "").split(separator: " ")
    return words.count == 2 && ["bearer", "token"].contains(words[0].lowercased()) ? String(words[1]) : ""
  }
}

extension Substring {
  /// The index of the second slash, or the end.
  fileprivate var firstIndexAfterTwoParts: Index? {
    guard let first = firstIndex(of: "/") else { return nil }
    return self[index(after: first)...].firstIndex(of: "/") ?? endIndex
  }
}
