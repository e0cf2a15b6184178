import CurlHTTP
import Foundation
import ProgramTesting

/// A proxy in front of a server, which damages chosen answers. It is stopped with its owner.
final class SpoilingProxy: Sendable {
  private let process: ServerProcess
  private let port: Int
  private let client = HTTPClient(HTTPClient.Configuration.direct)

  init(to url: String) async throws {
    let target = try URL(string: url).flatMap(\.port).orThrow("no port in \(url)")
    process = try await ServerProcess([
      "python3", TestServer.project + "/Tests/CloudWebDAVTests/Support/spoiling-proxy.py", "\(target)",
    ])
    port = try Int(process.lines[0]).orThrow("the proxy printed \(process.lines)")
  }

  /// The address of a resource of the server through the proxy.
  func url(_ url: String) throws -> String {
    let path = try URL(string: url).orThrow("\(url) is not an address").path(percentEncoded: true)
    return "http://127.0.0.1:\(port)\(path)"
  }

  /// Damages `times` requests from the nth on, of all requests or of those to addresses with a suffix.
  func spoil(
    _ how: String?, nth: Int = 1, times: Int = 1, methods: [String]? = nil, ending: String? = nil,
    file: String? = nil, text: String? = nil
  ) async throws {
    let plan = Plan(how: how, nth: nth, times: times, methods: methods, ending: ending, file: file, text: text)
    _ = try await control("SPOIL", JSONEncoder().encode(plan))
  }

  /// The numbers of requests counted and damaged since.
  func count() async throws -> Count { try JSONDecoder().decode(Count.self, from: try await control("COUNT", Data())) }

  struct Count: Decodable {
    var seen: Int
    var spoiled: Int
  }

  private struct Plan: Encodable {
    var how: String?
    var nth: Int
    var times: Int
    var methods: [String]?
    var ending: String?
    /// What a person saves on the server's disk.
    var file: String?
    var text: String?
  }

  private func control(_ method: String, _ body: Data) async throws -> Data {
    let response = try await client.send(
      HTTPRequest(method, "http://127.0.0.1:\(port)/", body: HTTPBytes(Array(body))))
    return Data(try await response.bytes())
  }
}

extension HTTPClient.Configuration {
  /// A connection directly to the server, whatever the environment says.
  static var direct: HTTPClient.Configuration {
    var settings = HTTPClient.Configuration(userAgent: "syncd tests")
    settings.proxy = .none
    return settings
  }
}
