internal import FlyingSocks
import Foundation

/// A connection of HTTP/1.1 (RFC 9112): each request is answered before the next is read.
final class Connection {
  private let socket: AsyncSocket
  private let answer: Answerer
  /// Bytes that were read but belong to the next part.
  private var buffer: [UInt8] = []

  private static let headLimit = 256 << 10
  private static let blankLine = Array("\r\n\r\n".utf8)

  init(_ socket: AsyncSocket, _ answer: @escaping Answerer) {
    self.socket = socket
    self.answer = answer
  }

  /// Answers until the client disconnects, or a fault ends the connection.
  func serve() async {
    defer { try? socket.close() }
    // A client that closes the connection is the usual end, not an error.
    while let call = try? await next() {
      let reply = await answer(call)
      guard !reply.isCut, (try? await socket.write(Data(reply.bytes))) != nil, !call.isLast else { return }
    }
  }

  private func next() async throws -> Call? {
    guard let head = try await head(), var call = Call(head: head) else { return nil }
    if call.headers["expect"]?.lowercased() == "100-continue" {
      try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    if call.headers["transfer-encoding"]?.lowercased() == "chunked" {
      call.body = try await chunks()
    } else {
      call.body = try await take(call.headers["content-length"].flatMap { Int($0) } ?? 0)
    }
    return call
  }

  /// The lines up to the blank one; nil if the client has disconnected.
  private func head() async throws -> [Substring]? {
    var searched = 0
    while true {
      if let end = buffer[max(0, searched - 3)...].firstRange(of: Self.blankLine) {
        let text = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        buffer.removeFirst(end.upperBound)
        return text.split(separator: "\r\n", omittingEmptySubsequences: false)
      }
      searched = buffer.count
      guard searched < Self.headLimit else { return nil }
      buffer += try await socket.read(atMost: 4_096)
    }
  }

  private func take(_ count: Int) async throws -> [UInt8] {
    while buffer.count < count { buffer += try await socket.read(atMost: count - buffer.count) }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private func chunks() async throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try await line().prefix { $0 != ";" }
      guard let size = Int(line, radix: 16) else { throw EmulatorError("a chunk has no size") }
      body += try await take(size)
      _ = try await self.line()
      if size == 0 { return body }
    }
  }

  private func line() async throws -> String {
    while true {
      if let end = buffer.firstRange(of: Self.blankLine.prefix(2)) {
        defer { buffer.removeFirst(end.upperBound) }
        return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      }
      buffer += try await socket.read(atMost: 4_096)
    }
  }
}

extension Call {
  /// Nil if the lines are not a request.
  fileprivate init?(head: [Substring]) {
    let words = head.first?.split(separator: " ") ?? []
    guard words.count == 3, let target = URLComponents(string: String(words[1])) else { return nil }
    method = String(words[0])
    path = target.percentEncodedPath
    query = Dictionary((target.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    for line in head.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
  }

  /// True if the client ends the connection after this request.
  fileprivate var isLast: Bool { headers["connection"]?.lowercased() == "close" }
}

extension Reply {
  /// The whole answer in one piece: of two pieces, the second would wait until the client acknowledges the first.
  fileprivate var bytes: [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(status < 300 ? "OK" : "No")", "Content-Length: \(body.count)"]
    lines += headers.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}
