import CurlHTTP
import HTTPStorage
import SyncKit
import Testing

@Suite("Outcomes of requests")
struct OutcomeTests {
  private static func outcome(_ kind: HTTPError.Kind) throws -> Outcome {
    let error = HTTPError(kind, "the reason")
    return try Outcome(of: error, error.syncError("PUT", at: "https://dav.example/", setting: "url"))
  }

  @Test("only what surely was not carried out counts as not sent")
  func classes() throws {
    for kind in [HTTPError.Kind.unreachable, .untrusted, .refused, .redirected(to: "https://other.example")] {
      guard case .notSent = try Self.outcome(kind) else { throw Unexpected(kind: kind) }
    }
    for kind in [HTTPError.Kind.broken, .timedOut, .tooLarge] {
      guard case .lost = try Self.outcome(kind) else { throw Unexpected(kind: kind) }
    }
  }

  private struct Unexpected: Error { var kind: HTTPError.Kind }

  @Test("a cancelled task and an unusable source of the body end the pass, an unreadable file does not")
  func ends() throws {
    #expect(throws: SyncError.self) { try Self.outcome(.cancelled) }
    let full = SyncError(.noSpace, "the disk is full")
    #expect(full.reach == .pass)
    #expect(throws: SyncError.self) { try Self.outcome(.body(full)) }
    let changed = SyncError(.changedMeanwhile, "the file changed")
    guard case .notSent(let error) = try Self.outcome(.body(changed)) else { throw Unexpected(kind: .broken) }
    #expect(error.code == .changedMeanwhile)
  }

  @Test("errors name the server and the setting to change")
  func words() {
    let redirected = HTTPError(.redirected(to: "https://other.example"), "")
    #expect(
      redirected.syncError("GET", at: "https://dav.example/", setting: "url").message
        == "https://dav.example/ redirects to https://other.example; set `url` to that address")
    #expect(HTTPError.cancelled.syncError("GET", at: "x", setting: "url").code == .cancelled)
  }
}
