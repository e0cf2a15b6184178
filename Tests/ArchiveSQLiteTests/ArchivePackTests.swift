import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import ArchiveSQLite

@Suite("Contents are packed") struct ArchivePackTests {
  let folder = ScratchFolder()

  private func opened() throws -> SQLiteArchive { try .opened(in: folder) }

  private var packs: [String: Data] { folder.files.filter { $0.key.hasSuffix(".pack") } }

  /// Records the versions of one file, each in a run of its own, as passes do.
  private func record(_ versions: [String], of path: String = "a.org", in archive: SQLiteArchive) async throws {
    for version in versions {
      _ = try await archive.intake(keepingAtMost: .max).of(.of(path)).receive(Array(version.utf8))
      try await archive.agree(.on(path, version), actions: [.done(path, .copy)])
      try await archive.beginRun()
    }
  }

  /// A note of about 9 KB, different for each number.
  private func note(_ number: Int) -> String {
    var generator = SplitMix64(state: UInt64(number))
    return (0..<220).map {
      "** TODO Entry \($0) of \(number): \(UInt32.random(in: 0...UInt32.max, using: &generator))\n"
    }
    .joined()
  }

  @Test("another program reads every content, and finds nothing else in the packs")
  func judged() async throws {
    let archive = try opened()
    for number in 0..<60 { try await archive.take(note(number)) }
    try await archive.take("")
    try await archive.take(String(repeating: "A long content. ", count: 100_000))
    try await record((0..<40).map { note(7) + "* Edit \($0)\n" }, in: archive)
    try await archive.close()
    let judgement = try Judgement(of: folder)
    #expect(judgement.contents == 102 && judgement.wrong.isEmpty && judgement.unread == 0)
    #expect(judgement.frames > 40 && judgement.frames < 60)
  }

  @Test("notes take at most 0.35 of their size, and a further version 0.1 of it")
  func sizes() async throws {
    let archive = try opened()
    let text = try note(1) + String(contentsOfFile: #filePath, encoding: .utf8)
    let notes = (0..<100).map { number in text.replacing("e", with: "e\(number % 7)") + note(number) }
    for note in notes { try await archive.take(note) }
    try await archive.flush()
    let first = packs.values.reduce(0) { $0 + $1.count }
    #expect(first * 100 <= notes.reduce(0) { $0 + $1.utf8.count } * 35)
    let versions = (0..<50).map { notes[3] + "* Edit \($0)\n" }
    try await record(versions, in: archive)
    let further = packs.values.reduce(0) { $0 + $1.count } - first
    #expect(further * 10 <= versions.reduce(0) { $0 + $1.utf8.count })
    for version in versions { #expect(try await archive.text(Digest(of: version.utf8)) == version) }
  }

  @Test("no content needs more than 17 others or 5 MiB to be read")
  func chains() async throws {
    let archive = try opened()
    try await record((0..<60).map { note(1) + "* Edit \($0)\n" }, in: archive)
    let large = String(repeating: note(2), count: 100)
    try await record((0..<12).map { large + "* Edit \($0)\n" }, of: "b.org", in: archive)
    let (depth, cost) = try await archive.database.read { db in
      try db.first("SELECT max(depth), max(cost) FROM blocks") { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }
    #expect(depth > 10 && depth <= 17 && cost <= 5 << 20)
    #expect(try await archive.verify().isEmpty)
  }

  @Test("a difference from an unrelated content is stored whole")
  func unrelated() async throws {
    let archive = try opened()
    try await record([note(1), note(2)], in: archive)
    let differences = try await archive.database.read { db in
      try db.first("SELECT count(*) FROM blocks WHERE former IS NOT NULL") { $0.integer(0) }
    }
    #expect(differences == 0)
    #expect(try await archive.text(Digest(of: note(2).utf8)) == note(2))
  }

  @Test("a torn frame at the end of a pack is never read, and the next content follows it")
  func torn() async throws {
    let archive = try opened()
    try await record([note(1)], in: archive)
    try await archive.close()
    let name = try #require(packs.keys.first)
    let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/" + name))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0x28, 0xB5, 0x2F, 0xFD, 0x24, 1, 2, 3]))
    let again = try opened()
    try await record([note(2)], of: "b.org", in: again)
    try await again.close()
    let last = try opened()
    #expect(try await last.text(Digest(of: note(1).utf8)) == note(1))
    #expect(try await last.text(Digest(of: note(2).utf8)) == note(2))
    #expect(try await last.verify().isEmpty && packs.count == 1)
  }

  @Test("contents that were never recorded are not held after a crash, and their pack is used further")
  func unrecorded() async throws {
    do {
      let archive = try opened()
      try await archive.take(note(1))
      try await archive.database.pack()
      #expect(try await archive.text(Digest(of: note(1).utf8)) == note(1), "it is read from the pack")
    }
    #expect(packs.count == 1)
    let archive = try opened()
    #expect(try await archive.held([Digest(of: note(1).utf8)]).isEmpty)
    try await record([note(1), note(2)], in: archive)
    #expect(try await archive.text(Digest(of: note(1).utf8)) == note(1))
    try await archive.close()
    #expect(try Judgement(of: folder).wrong.isEmpty && packs.count == 1)
  }

  @Test("a flipped byte in a pack gives the same content or an error that names it, never another content")
  func flipped() async throws {
    let archive = try opened()
    let texts = (0..<30).map(note) + (0..<8).map { note(3) + "* Edit \($0)\n" }
    for number in 0..<30 { try await archive.take(note(number)) }
    try await record(Array(texts.suffix(8)), in: archive)
    try await archive.close()
    let (name, whole) = try #require(packs.first)
    var generator = SplitMix64(state: 2027)
    var noticed = 0
    for round in 0..<(ArchiveCostTests.isMeasuring ? 5_000 : 150) {
      var bytes = whole
      let first = Int.random(in: 0..<bytes.count, using: &generator)
      for offset in first..<min(bytes.count, first + [1, 4, 600][round % 3]) {
        bytes[offset] ^= UInt8.random(in: 1...255, using: &generator)
      }
      try bytes.write(to: URL(filePath: folder.path + "/" + name))
      let archive = try opened()
      for text in texts {
        let digest = Digest(of: text.utf8)
        do {
          #expect(try await archive.text(digest) == text, "round \(round), offset \(first)")
        } catch let error as SyncError {
          #expect(error.code == .damagedState, "round \(round), offset \(first): \(error.message)")
          noticed += 1
        }
      }
      #expect(try await archive.verify().allSatisfy { $0.contains("content") })
      try await archive.close()
    }
    #expect(noticed > 100)
  }

  @Test("a missing or truncated pack is noticed when the archive is opened", arguments: [0, 1, 500, nil])
  func missing(length: Int?) async throws {
    let archive = try opened()
    try await record([note(1), note(2)], in: archive)
    try await archive.close()
    let path = try folder.path + "/" + #require(packs.keys.first)
    if let length {
      try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: UInt64(length))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    guard case .damaged(let error) = try SQLiteArchive.open(in: folder.path) else {
      Issue.record("it was opened")
      return
    }
    #expect(error.code == .damagedState && error.message.contains("1.pack"))
  }

  @Test("pruning frees the packs, and keeps what a difference needs")
  func pruned() async throws {
    let clock = TestClock()
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let versions = (0..<20).map { note(1) + "* Edit \($0)\n" }
    try await record(versions, in: archive)
    for number in 100..<400 { try await archive.take(note(number)) }
    try await archive.flush()
    let before = packs.values.reduce(0) { $0 + $1.count }
    for _ in 0..<20 {
      clock.day += 1
      try await archive.prune(Retention(age: .zero)) { _, _ in true }
    }
    #expect(packs.values.reduce(0) { $0 + $1.count } * 4 < before)
    #expect(try await archive.held([Digest(of: note(200).utf8)]).isEmpty)
    for version in versions.suffix(3) { #expect(try await archive.text(Digest(of: version.utf8)) == version) }
    #expect(try await archive.verify().isEmpty)
    try await archive.close()
    #expect(try Judgement(of: folder).wrong.isEmpty)
  }

  @Test("a purge leaves no frame with the bytes, and every other content can be read")
  func purged() async throws {
    let archive = try opened()
    let secret = "correct-horse-battery-staple"
    let versions = (0..<6).map { note(1) + "* Edit \($0)\n" + ($0 < 3 ? secret : "") }
    for number in 2..<20 { try await archive.take(note(number)) }
    try await record(versions, in: archive)
    #expect(try Judgement(of: folder, finding: secret).found >= 3)
    try await archive.purge(Set(versions.prefix(3).map { Digest(of: $0.utf8) }), of: .of("a.org"))
    for version in versions.suffix(3) { #expect(try await archive.text(Digest(of: version.utf8)) == version) }
    for number in 2..<20 { #expect(try await archive.text(Digest(of: note(number).utf8)) == note(number)) }
    #expect(try await archive.verify().isEmpty)
    try await archive.close()
    let judgement = try Judgement(of: folder, finding: secret)
    #expect(judgement.found == 0 && judgement.wrong.isEmpty && judgement.contents == 21 && judgement.unread == 0)
  }

  @Test("a reader in another process finds contents whose pack is rewritten meanwhile")
  func rewritten() async throws {
    let archive = try opened()
    for number in 0..<40 { try await archive.take(note(number)) }
    try await archive.flush()
    let reader = try ReadOnlyArchive(in: folder.path)
    #expect(try await reader.content(Digest(of: note(3).utf8))?.bytes() == Array(note(3).utf8))
    try await archive.purge([Digest(of: note(39).utf8)], of: .of("a.org"))
    for number in 0..<39 {
      #expect(try await reader.content(Digest(of: note(number).utf8))?.bytes() == Array(note(number).utf8))
    }
  }
}

/// What a reader that shares no code with the archive says about it.
struct Judgement: Decodable {
  var contents: Int
  var wrong: [String]
  var frames: Int
  var unread: Int
  var found: Int

  init(of folder: ScratchFolder, finding text: String? = nil) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Support/read-archive.py").path
    let outcome = try Command(["python3", script, folder.path] + [text].compactMap(\.self)).run()
    try #require(outcome.status == 0, "\(outcome.story)")
    self = try JSONDecoder().decode(Judgement.self, from: outcome.out)
  }
}
