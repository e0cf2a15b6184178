internal import CurlHTTP
import Foundation
import ProgramTesting

/// A push service on a loopback port, with browsers whose keys it has: it judges and opens what it is sent. It is stopped with its
/// owner.
public final class PushService: Sendable {
  /// The host with the port, as in `hosts` of `[hub.push]`.
  public let host: String
  private let process: ServerProcess
  private let client: HTTPClient

  /// A message that was opened.
  public struct Message: Decodable, Sendable {
    public let id: String
    public let text: String
    public let ttl: Int
    public let urgency: String
    public let topic: String
    public let contact: String?

    /// The members of the text, a JSON object, that are strings.
    public var members: [String: String] {
      let object = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
      return object?.compactMapValues { $0 as? String } ?? [:]
    }
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "push-service.py")
    .path

  /// Nil, with a loud word, if Python lacks the module cryptography.
  public init?() async throws {
    let python = "/usr/bin/python3"
    guard (try? Command([python, "-c", "import cryptography"]).succeed()) != nil else {
      print("*** SKIPPED: python3-cryptography is not installed; `make setup-tests` does it ***")
      return nil
    }
    process = try await ServerProcess([python, Self.script])
    host = "127.0.0.1:\(process.lines[0])"
    var configuration = HTTPClient.Configuration(userAgent: "syncd-tests")
    configuration.proxy = .none
    // On a busy machine, an answer may take long.
    (configuration.connectTimeout, configuration.stallTimeout) = (.seconds(300), .seconds(300))
    client = HTTPClient(configuration)
  }

  /// A new subscription, as the browser gives it to its page.
  public func subscription() async throws -> String { try await text("GET", "/subscription") }

  /// Answers the next messages with a status.
  public func answer(_ status: Int, times: Int = 1, retryAfter: Int? = nil) async throws {
    let fields = retryAfter.map { #"{"Retry-After": "\#($0)"}"# } ?? "{}"
    _ = try await text("POST", "/answer", #"{"status": \#(status), "times": \#(times), "fields": \#(fields)}"#)
  }

  /// The messages that were opened, in order.
  public func received() async throws -> [Message] {
    try JSONDecoder().decode([Message].self, from: Data(try await text("GET", "/received").utf8))
  }

  /// Waits for this number of messages.
  public func received(atLeast count: Int) async throws -> [Message] {
    for _ in 0..<9_000 {
      let messages = try await received()
      if messages.count >= count { return messages }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw TestFailure("\(count) messages did not come")
  }

  /// The number of messages that came, opened or not.
  public func attempts() async throws -> Int { Int(try await text("GET", "/attempts")) ?? -1 }

  private func text(_ method: String, _ path: String, _ body: String? = nil) async throws -> String {
    let request = HTTPRequest(method, "http://\(host)\(path)", body: body.map { HTTPBytes($0) })
    return String(decoding: try await client.send(request).bytes(), as: UTF8.self)
  }
}
