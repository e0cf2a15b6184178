import Foundation
import HTTPStorage
import SyncKit
import Synchronization
import Testing

@Suite("Signing in by OAuth")
struct OAuthTests {
  @Test("a PKCE verifier has the form of RFC 7636, and its challenge matches the documented value")
  func proof() {
    let proof = PKCE(runtime: .real)
    #expect((43...128).contains(proof.verifier.count))
    // The example of appendix B.
    let bytes: [UInt8] = [
      116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240,
      91, 88, 5, 88, 83, 132, 141, 121,
    ]
    let runtime = Runtime(now: Runtime.real.now, random: { _ in bytes }, sleep: { _ in })
    #expect(PKCE(runtime: runtime).verifier == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(PKCE(runtime: runtime).challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("a token expires within a year, whatever the server says", arguments: [Int.min, -1, 0, 14_400, Int.max])
  func expiry(seconds: Int) throws {
    let text = #"{"access_token": "a", "expires_in": \#(seconds)}"#
    let grant = try JSONDecoder().decode(TokenGrant.self, from: Data(text.utf8))
    let life = grant.token(at: Timestamp(seconds: 1_000), life: 3_600).expiry.seconds - 1_000
    #expect((0...(86_400 * 365)).contains(life))
    #expect(!(0...14_400).contains(seconds) || life == seconds)
  }

  @Test("a form keeps reserved and foreign characters apart from its own")
  func form() {
    #expect(FormEncoding.text([("a b", "1&2=3"), ("\u{E4}", "+")]) == "a%20b=1%262%3D3&%C3%A4=%2B")
  }

  @Test("one fetch serves all callers, and a rejected token is passed on")
  func fetches() async throws {
    let asked = Mutex<[String?]>([])
    let tokens = AccessTokens(runtime: .real) { (stale, _) throws(SyncError) in
      let count = asked.withLock { asked in
        asked.append(stale)
        return asked.count
      }
      return AccessToken(text: "token \(count)", expiry: Timestamp(seconds: Runtime.real.now().seconds + 600))
    }
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await tokens.token() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts == ["token 1"])
    #expect(try await tokens.token(insteadOf: "token 1") == "token 2")
    #expect(try await tokens.token(margin: 900) == "token 3")
    #expect(asked.withLock { $0 } == [nil, "token 1", nil])
  }
}

@Suite("Limits of a service")
struct LimitTests {
  @Test("a listing that repeats a continuation, stays empty or is too long is refused")
  func pages() throws {
    var circle = PageLimit(10, address: "there")
    try circle.add(1, next: "a")
    try circle.add(1, next: "b")
    #expect(throws: SyncError.self) { try circle.add(1, next: "a") }
    var long = PageLimit(10, address: "there")
    try long.add(10, next: nil)
    #expect(throws: SyncError.self) { try long.add(1, next: nil) }
    var empty = PageLimit(10, address: "there")
    #expect(throws: SyncError.self) { for page in 0..<2_000 { try empty.add(0, next: "\(page)") } }
  }

  @Test("nothing is sent while a long limit lasts, and then again")
  func limit() throws {
    let clock = Mutex(Timestamp(seconds: 1_000))
    let runtime = Runtime(
      now: { clock.withLock { $0 } }, random: { [UInt8](repeating: 0, count: $0) }, sleep: { _ in })
    let limit = RequestLimit("the service", runtime)
    try limit.check()
    let error = limit.begin(seconds: 90)
    #expect(error.code == .unavailable && error.message.contains("in 2 minutes"), "\(error)")
    _ = limit.begin(seconds: 10)
    clock.withLock { $0 = Timestamp(seconds: 1_080) }
    #expect(throws: SyncError.self) { try limit.check() }
    clock.withLock { $0 = Timestamp(seconds: 1_090) }
    try limit.check()
  }
}
