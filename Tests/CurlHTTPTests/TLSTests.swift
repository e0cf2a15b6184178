import CurlHTTP
import Foundation
import ProgramTesting
import Testing

@Suite("TLS")
struct TLSTests {
  /// `tls-peers.py` on loopback ports; it is stopped with its owner.
  private final class Peers: Sendable {
    private let process: ServerProcess
    let ports: [String: Int]
    let authority: String

    init() async throws {
      let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "tls-peers.py").path
      process = try await ServerProcess(["python3", script])
      let line = try JSONSerialization.jsonObject(with: Data(process.lines[0].utf8)) as? [String: Any] ?? [:]
      ports = line.compactMapValues { $0 as? Int }
      authority = try #require(line["ca"] as? String)
    }

    func address(_ kind: String) throws -> String { "https://127.0.0.1:\(try #require(ports[kind]))/" }

    /// The kinds of peers that have received a request.
    func seen(_ client: HTTPClient) async throws -> Set<String> {
      let bytes = try await client.send(HTTPRequest("GET", address("good") + "seen")).bytes()
      let counts = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Int]
      return Set(try #require(counts).keys)
    }
  }

  @Test("no request and no password reaches a peer whose certificate or protocol is not acceptable")
  func unacceptable() async throws {
    let peers = try await Peers()
    var settings = HTTPClient.Configuration(userAgent: "tests")
    settings.proxy = .none
    // On a busy machine, a peer may be stopped for long.
    (settings.connectTimeout, settings.stallTimeout) = (.seconds(120), .seconds(120))
    settings.caFile = peers.authority
    settings.credentials = .basic(user: "ann", password: "secret")
    let client = HTTPClient(settings)
    #expect(try await client.send(HTTPRequest("GET", peers.address("good"))).status == 200)
    for kind in ["expired", "early", "other-name", "self-signed", "no-authority"] {
      let error = await failure(of: kind, peers, client)
      guard case .untrusted? = error?.kind else {
        Issue.record("\(kind): \(String(describing: error))")
        continue
      }
      #expect(error?.message.contains("secret") == false)
    }
    for kind in ["tls-1.1", "plain", "old-then-plain"] {
      let error = await failure(of: kind, peers, client)
      #expect(error != nil, "\(kind) was accepted")
    }
    #expect(try await peers.seen(client) == ["good"])
    #expect(peers.ports.count == 9)
  }

  private func failure(of kind: String, _ peers: Peers, _ client: HTTPClient) async -> HTTPError? {
    do {
      _ = try await client.send(HTTPRequest("GET", peers.address(kind))).bytes()
      return nil
    } catch { return error as? HTTPError ?? HTTPError(.refused, "\(error)") }
  }
}
