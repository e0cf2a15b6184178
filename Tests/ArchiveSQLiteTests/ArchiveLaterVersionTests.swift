import ArchiveSQLite
import ProgramTesting
import SyncKit
import Testing

/// What the archive knows about the order of agreements with several remotes.
struct ArchiveLaterVersionTests {
  let folder = ScratchFolder()

  private func agree(_ archive: SQLiteArchive, _ remote: String, _ text: String, revision: String = "1") async throws {
    var record = Record(remote: remote)
    record.agreements = [.on("a.org", text, revision: revision)]
    try await archive.record(record)
  }

  private func isLater(_ text: String, than remote: String, _ archive: any Archive) async throws -> Bool {
    try await archive.agreedLater([.of("a.org"): Digest(of: text.utf8)], than: remote) == [.of("a.org")]
  }

  /// An archive in which `home` has agreed on the first version, and `away` on two later ones.
  private func prepared() async throws -> SQLiteArchive {
    let archive = try SQLiteArchive.opened(in: folder)
    try await agree(archive, "away", "zero")
    for (remote, text) in [("home", "one"), ("away", "two"), ("away", "three")] {
      try await agree(archive, remote, text)
    }
    return archive
  }

  @Test func laterVersionsSurviveReopening() async throws {
    try await prepared().close()
    let archive = try SQLiteArchive.opened(in: folder)
    for text in ["two", "three"] { #expect(try await isLater(text, than: "home", archive)) }
    for text in ["zero", "one", "four"] { #expect(try await !isLater(text, than: "home", archive)) }
    for text in ["zero", "one", "two", "three"] { #expect(try await !isLater(text, than: "away", archive)) }
    #expect(try await archive.agreedLater([.of("b.org"): Digest(of: "two".utf8)], than: "home").isEmpty)
    #expect(try await archive.verify().isEmpty)
    try await archive.close()
  }

  @Test func aReaderKnowsLaterVersions() async throws {
    try await prepared().close()
    #expect(try await isLater("two", than: "home", ReadOnlyArchive(in: folder.path)))
  }

  @Test(arguments: ["one", "three"])
  func anAgreementEndsThem(text: String) async throws {
    let archive = try await prepared()
    try await agree(archive, "home", text, revision: "2")
    for text in ["two", "three"] { #expect(try await !isLater(text, than: "home", archive)) }
    try await archive.close()
  }

  @Test func aRemoteThatStartsAgainForgetsThem() async throws {
    let archive = try await prepared()
    var record = Record(remote: "home")
    record.startsAgain = true
    try await archive.record(record)
    try await agree(archive, "home", "one")
    #expect(try await !isLater("two", than: "home", archive))
    try await archive.close()
  }

  @Test func aForgottenFileForgetsThem() async throws {
    let archive = try await prepared()
    try await archive.agree(forget: ["a.org"])
    try await agree(archive, "home", "one")
    #expect(try await !isLater("two", than: "home", archive))
    try await archive.close()
  }

  @Test(arguments: [false, true])
  func recordsOfPassesAtTheSameTimeHaveNoOrder(hasOwnRun: Bool) async throws {
    let archive = try await prepared()
    // The pass over `away` begins before the one over `home` records a version.
    let begun = try await archive.memory(of: "away").recordCount
    try await agree(hasOwnRun ? archive.withOwnRun() : archive, "home", "four")
    var record = Record(remote: "away")
    (record.agreements, record.follows) = ([.on("a.org", "five")], begun)
    try await archive.record(record)
    #expect(try await !isLater("five", than: "home", archive))
    #expect(try await !isLater("four", than: "away", archive))
    record.agreements = [.on("a.org", "six")]
    record.follows = try await archive.memory(of: "away").recordCount
    try await archive.record(record)
    #expect(try await isLater("six", than: "home", archive))
    try await archive.close()
  }

  @Test func whatAnOlderProgramLeftBehindSaysNothing() async throws {
    let archive = try await prepared()
    let journal = archive.journal(of: "home/engine.later")
    let records = try await journal.records()
    #expect(records.count == 1)
    try await agree(archive, "home", "one", revision: "2")
    #expect(try await journal.records().isEmpty)
    // An older program replaces the agreement and does not know the record.
    try await journal.write(records.mapValues { $0 })
    #expect(try await !isLater("two", than: "home", archive))
    try await archive.close()
  }

  @Test func theirNumberIsLimitedAndTheirContentsAreNotKept() async throws {
    let archive = try await prepared()
    for number in 0..<100 { try await agree(archive, "away", "\(number)") }
    for number in [84, 99] { #expect(try await isLater("\(number)", than: "home", archive)) }
    for number in [0, 83] { #expect(try await !isLater("\(number)", than: "home", archive)) }
    let record = try #require(try await archive.journal(of: "home/engine.later").records().values.first)
    #expect(record.count == 8 + 16 * 16)
    try await archive.close()
  }
}
