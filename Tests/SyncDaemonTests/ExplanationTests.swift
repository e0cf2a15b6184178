import SyncKit
import Testing

@testable import SyncDaemon

/// The program's additions to the values of the engine: commands for remedies, statuses for results.
@Suite struct ExplanationTests {
  @Test(
    "an error is shown with the command that resolves it",
    arguments: [
      (.signIn(remote: "home"), "it failed; run `syncd login home`"),
      (.signIn(remote: nil), "it failed; run `syncd login`"),
      (.rekey(remote: "home"), "it failed; run `syncd rekey home`"),
      (.restore(SyncPath("a b.org")!), "it failed; `syncd restore a b.org` undoes this"),
      (.diagnose(remote: "home"), "it failed; `syncd doctor home` shows what is missing"),
      (.sync(remote: "home"), "it failed; run `syncd --once` first"),
      (.reviewHolds, "it failed; `syncd status` shows what is held"),
      (.repairStore, "it failed; run `syncd store repair`, which keeps the damaged file and restores its files"),
      (
        .moveStateAside,
        "it failed; move the state folder aside and run again: syncd then merges both sides and deletes nothing"
      ),
    ] as [(SyncError.Remedy, String)])
  func remedies(remedy: SyncError.Remedy, text: String) {
    #expect(SyncError(.unexpected, "it failed", remedy: remedy).explanation == text)
  }

  @Test("an error without such a command is shown as its message")
  func noRemedy() { #expect(SyncError(.unavailable, "it failed").explanation == "it failed") }

  @Test("each result has its exit status")
  func statuses() {
    let table: [(PassResult, Int32, String)] = [
      (.damaged, 7, "damaged"), (.held, 6, "held"), (.unauthorized, 11, "unauthorized"),
      (.unreachable, 5, "unreachable"), (.failed, 4, "failed"), (.conflicts, 3, "conflicts"),
      (.timedOut, 10, "out-of-time"), (.unsettled, 10, "waiting"), (.waiting, 0, "waiting"), (.synced, 0, "synced"),
    ]
    #expect(table.count == PassResult.allCases.count)
    for (result, status, word) in table { #expect(result.exitStatus == status && result.word == word) }
  }
}
