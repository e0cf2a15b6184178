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

  @Test(
    "the settings refuse plain http to other hosts, unless they allow it",
    arguments: [
      ("http://dav.example.org/", true), ("HTTP://10.0.0.1:8080/x", true), ("http://127.evil.example/", true),
      ("https://dav.example.org/", false), ("http://127.0.0.1:1/", false), ("http://localhost/", false),
      ("ssh://git.example.org/x", false), ("/srv/x", false),
    ])
  func settings(url: String, isRefused: Bool) {
    var settings = HTTPSettings()
    let refusal = settings.refusal(of: url, in: "url")
    #expect((refusal != nil) == isRefused && refusal?.contains("`plain-http = true`") ?? true)
    settings.plainHttp = true
    #expect(settings.refusal(of: url, in: "url") == nil)
  }

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
