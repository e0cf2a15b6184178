import Testing

@testable import CurlHTTP

@Suite("Local addresses") struct OriginTests {
  @Test(
    "only loopback addresses and localhost are local",
    arguments: [
      ("http://127.0.0.1/", true), ("http://127.255.0.9:80/x", true), ("http://localhost:8080/", true),
      ("http://LOCALHOST/", true), ("http://[::1]:8080/", true), ("http://ann@127.0.0.1/", true),
      ("http://127.evil.example/", false), ("http://127.0.0.1.evil.example/", false), ("http://127.0.0/", false),
      ("http://127.1/", false), ("http://127.0.0.1./", false), ("http://127.0.0.256/", false),
      ("http://127.0.0.01/", false), ("http://127.0.0.0x1/", false), ("http://localhost.evil.example/", false),
      ("http://localhost@evil.example/", false), ("http://127.0.0.1@evil.example/", false), ("http://[::2]/", false),
      ("http://128.0.0.1/", false), ("http://2130706433/", false),
    ])
  func loopback(address: String, isLoopback: Bool) { #expect(Origin(address)?.isThisMachine == isLoopback) }

  @Test("plain http to any other host is refused before a request")
  func refused() async {
    let client = HTTPClient(HTTPClient.Configuration(userAgent: "tests"))
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(HTTPRequest("GET", "http://127.evil.invalid/"))
    }
    guard case .refused? = error?.kind else {
      Issue.record("\(String(describing: error?.kind))")
      return
    }
  }
}
