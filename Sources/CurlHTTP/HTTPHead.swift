/// A status line with its headers, parsed line by line.
struct HTTPHead: Sendable {
  private(set) var status = 0
  private(set) var headers: [HTTPHeader] = []
  private var size = 0

  private static let limit = 256 << 10

  /// Parses the next line; returns false if the head exceeds its size limit.
  ///
  /// A new status line begins a new head: the previous one was an interim answer or an authentication challenge.
  mutating func parse(_ line: [UInt8]) -> Bool {
    let text = String(decoding: line, as: UTF8.self).trimmingLineEnd
    if text.hasPrefix("HTTP/") { self = HTTPHead(statusLine: text) }
    size += line.count
    guard size <= Self.limit else { return false }
    guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("HTTP/") else { return true }
    let value = text[text.index(after: colon)...].trimmingPrefix { $0 == " " || $0 == "\t" }
    headers.append(HTTPHeader(String(text[..<colon]), String(value)))
    return true
  }

  init() {}

  private init(statusLine: String) {
    status = statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

extension String {
  fileprivate var trimmingLineEnd: String {
    var text = unicodeScalars[...]
    while let last = text.last, last == "\r" || last == "\n" || last == " " { text.removeLast() }
    return String(text)
  }
}
