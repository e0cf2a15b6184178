import Foundation
import SyncKit
import Testing

@testable import CloudDropbox

@Suite("Access tokens") struct GrantTests {
  @Test("a token expires within a year, whatever the server says", arguments: [Int.min, -1, 0, 14_400, Int.max])
  func expiry(seconds: Int) throws {
    let text = #"{"access_token": "a", "expires_in": \#(seconds)}"#
    let grant = try JSONDecoder().decode(TokenExchange.Grant.self, from: Data(text.utf8))
    let life = grant.token(at: Timestamp(seconds: 1_000)).expiry.seconds - 1_000
    #expect((0...(86_400 * 365)).contains(life))
    #expect(!(0...14_400).contains(seconds) || life == seconds)
  }
}
