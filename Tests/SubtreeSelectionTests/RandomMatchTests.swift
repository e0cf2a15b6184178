import Foundation
import SettingsRegistry
import SyncKit
import SyncKitTesting
import Testing

@testable import SubtreeSelection

/// Random edits on both ends of a remote with `match`. Every text has a token that says if it may leave: P is private, U is not
/// private and does not match, M matches, R was written at the remote.
@Suite("Random edits with match")
struct RandomMatchTests {
  /// About 10,000 edits with `SYNCD_SOAK=1`, a tenth of them otherwise.
  private static let seeds = 0..<(ProcessInfo.processInfo.environment["SYNCD_SOAK"] == "1" ? 360 : 36) as Range<UInt64>

  @Test("nothing private leaves, every edit comes home, and nothing is resurrected", arguments: seeds)
  func edits(seed: UInt64) async throws {
    var bench = try RandomBench(seed: seed)
    await bench.begin()
    for round in 0..<8 { try await bench.round(round) }
    #expect(bench.editCount > 10)
  }
}

/// One sequence of random edits.
private struct RandomBench {
  private let pair: MatchedPair
  private var random: SplitMix64
  private let seed: UInt64
  private var number = 0
  private(set) var editCount = 0
  /// Tokens of texts that an edit removed in this round.
  private var removed: [Side: Set<String>] = [.local: [], .remote: []]

  private static let names = ["a.org", "b.org", "d/c.org", "n.org"]

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(state: seed &* 97 &+ 11)
    pair = try MatchedPair(isFirm: seed % 3 != 0, conflicts: seed % 4 == 3 ? .keepBoth : .merge)
  }

  private mutating func token(_ kind: String) -> String {
    number += 1
    return "<\(kind)\(number)>"
  }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  // MARK: Rounds

  mutating func begin() async {
    for name in ["a.org", "b.org", "d/c.org"] {
      var text = "#+TITLE: \(token("U"))\n\(token("U"))\n\n"
      if chance(2) { text += "#+TODO: TODO | DONE\n" }
      for _ in 0..<3 {
        text +=
          "* \(token("U"))\n\(token("U"))\n** \(token("M")) :mobile:\n\(token("M"))\n*** \(token("P")) :private:\n"
        text += "\(token("P"))\n**** \(token("P"))\n*** \(token("M"))\n"
        text += "* \(token("M")) :mobile:\n** \(token("P")) :private:\n*** \(token("P")) :mobile:\n** \(token("M"))\n\n"
        text += "* \(token("P")) :private:\n** \(token("P")) :mobile:\n"
      }
      await pair.put(text, at: name, in: pair.store)
    }
    // A file that is never edited: a side without any file is a hold.
    await pair.put("* \(token("M")) :mobile:\n", at: "keep.org", in: pair.store)
    await pair.put("* \(token("U"))\n** \(token("P")) :private:\n", at: "secret.org", in: pair.store)
    await pair.put(token("U"), at: "photo.jpg", in: pair.store)
    await pair.run()
  }

  mutating func round(_ round: Int) async throws {
    removed = [.local: [], .remote: []]
    let sides: [Side] = [[.local], [.remote], [.local, .remote]].randomElement(using: &random) ?? []
    for side in sides {
      for _ in 0..<Int.random(in: 1...6, using: &random) { await edit(side) }
    }
    let home = await all(pair.store)
    let away = await all(pair.remote)
    let isKilled = chance(3)
    if isKilled { await pair.runUntilKilled(at: Int.random(in: 1...3, using: &random)) }
    let report = await settle()
    try await check(home, away, sides, report)
  }

  /// Runs passes until nothing changes.
  private func settle() async -> PassReport {
    var report = await pair.run()
    for _ in 0..<3 {
      let before = await (pair.texts(pair.store), pair.texts(pair.remote))
      report = await pair.run()
      let after = await (pair.texts(pair.store), pair.texts(pair.remote))
      if before == after { break }
    }
    return report
  }

  private func check(_ home: String, _ away: String, _ sides: [Side], _ report: PassReport) async throws {
    let story: Comment = "seed \(seed): \(report.actions) \(report.failure?.message ?? "")"
    #expect(report.failure == nil && report.hold == nil && report.counts.failed + report.counts.waiting == 0, story)
    let written = pair.written
    #expect(tokens("PU", in: written) == [], story)
    let (newHome, newAway) = (await all(pair.store), await all(pair.remote))
    #expect(tokens("PU", in: newAway) == [], story)
    let lost = tokens("PUMR", in: home).union(tokens("MR", in: away)).subtracting(tokens("PUMR", in: newHome))
    let allowed = (removed[.local] ?? []).union((removed[.remote] ?? []).filter { $0.first != "P" && $0.first != "U" })
    #expect(lost.subtracting(allowed) == [], story)
    // With keep-both, an interrupted pass may keep both versions of a file. A text that conflicting edits have put into two
    // places is removed from one of them only.
    if sides.count == 1, pair.conflicts == .merge {
      let copies = sides[0] == .remote ? 1 : 0
      let gone = (removed[sides[0]] ?? []).filter {
        home.split(separator: "<\($0)>", omittingEmptySubsequences: false).count - 1 <= copies
      }
      #expect(gone.intersection(tokens("PUMR", in: newAway)) == [], story)
      #expect(gone.intersection(tokens("PUMR", in: newHome)) == [], story)
    }
    // The remote has exactly the matching tokens of the store.
    let presented = MatchingStore(
      pair.store, pair.rule, pair.parts(nil).remoteParts(pair.archive), isReadOnly: true)
    for (name, text) in await pair.remoteTexts() {
      guard let path = SyncPath(name) else { continue }
      let sink = MemorySink(limit: 1 << 20)
      guard case .read = try await presented.read(file: path, into: sink) else {
        Issue.record("\(name) is on the remote: \(text)\n\(story)")
        continue
      }
      #expect(String(decoding: sink.bytes, as: UTF8.self) == text, story)
    }
  }

  private func all(_ replica: MemoryReplica) async -> String {
    await pair.texts(replica).sorted { $0.key < $1.key }.map { "\($0.key)\n\($0.value)" }.joined(separator: "\n")
  }

  // MARK: Edits

  private mutating func edit(_ side: Side) async {
    let replica = side == .local ? pair.store : pair.remote
    let files = await pair.texts(replica).filter {
      $0.key.hasSuffix(".org") && $0.key != "keep.org" && $0.key != "secret.org"
    }
    editCount += 1
    if side == .remote, chance(12) {
      let name = Self.names.randomElement(using: &random) ?? ""
      if files[name] == nil {
        let tag = chance(3) ? "" : " :mobile:"
        await pair.put("\(token("R"))\n* \(token("R"))\(tag)\n", at: name, in: replica)
        return
      }
    }
    guard let (name, text) = files.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
    if side == .remote, chance(15) {
      removed[side, default: []].formUnion(tokens("MR", in: text))
      return await pair.put(nil, at: name, in: replica)
    }
    if chance(15), let new = Self.names.first(where: { files[$0] == nil }) {
      await pair.put(nil, at: name, in: replica)
      return await pair.put(text, at: new, in: replica)
    }
    var file = Outlined(text)
    if side == .local { editAtHome(&file) } else { editAway(&file) }
    await pair.put(file.text, at: name, in: replica)
  }

  private static func kind(_ tags: Set<String>) -> String {
    tags.contains("private") ? "P" : tags.contains("mobile") ? "M" : "U"
  }

  private mutating func editAtHome(_ file: inout Outlined) {
    guard let index = file.entries.indices.randomElement(using: &random) else {
      return file.preamble.append(token("U"))
    }
    let tags = file.allTags(index)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: file.entries[index].body.append(token(Self.kind(tags)))
    case 1: file.entries[index].title += " " + token(Self.kind(tags))
    case 2, 3:
      insert(into: &file, behind: index, tags: [[], ["mobile"], ["private"]].randomElement(using: &random) ?? []) {
        Self.kind($0)
      }
    case 4: remove(index, from: &file, .local)
    case 5:
      guard let target = file.entries.indices.randomElement(using: &random) else { return }
      let asChild = chance(2)
      let above = asChild ? file.allTags(target) : file.parentTags(target)
      // What is private or not shown only by inheritance stays so.
      guard !file.parentTags(index).contains("private"), !above.contains("mobile") || tags.contains("mobile") else {
        return
      }
      file.move(index, behind: target, asChild: asChild)
    case 6: if !file.entries[index].tags.contains("private") { file.entries[index].tags.append("private") }
    default: file.preamble.append(token("U"))
    }
  }

  private mutating func editAway(_ file: inout Outlined) {
    guard let index = file.entries.indices.randomElement(using: &random) else {
      return file.preamble.append(token("R"))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: file.entries[index].body.append(token("R"))
    case 2: file.entries[index].title += " " + token("R")
    case 3, 4:
      insert(
        into: &file, behind: index, tags: [[], ["mobile"], ["mobile"], ["private"]].randomElement(using: &random) ?? []
      ) { _ in "R" }
    case 5: remove(index, from: &file, .remote)
    case 6:
      guard let target = file.entries.indices.randomElement(using: &random) else { return }
      file.move(index, behind: target, asChild: chance(2))
    case 7:
      file.entries[index].tags = [[], ["mobile"], ["private"], ["mobile", "x"]].randomElement(using: &random) ?? []
    case 8: file.entries[index].title = (chance(2) ? "TODO " : "DONE ") + file.entries[index].title
    default: file.preamble.append(token("R"))
    }
  }

  private mutating func insert(
    into file: inout Outlined, behind index: Int, tags: [String], _ kind: (Set<String>) -> String
  ) {
    let isChild = chance(2)
    let place = isChild ? index + 1 : file.subtree(index).upperBound
    let level = file.entries[index].level + (isChild ? 1 : 0)
    guard level < 10 else { return }
    let all = (isChild ? file.allTags(index) : file.parentTags(index)).union(tags)
    file.entries.insert(
      Outlined.Entry(level: level, title: token(kind(all)), tags: tags, body: chance(2) ? [token(kind(all))] : []),
      at: place)
  }

  private mutating func remove(_ index: Int, from file: inout Outlined, _ side: Side) {
    let range = file.subtree(index)
    for entry in file.entries[range] {
      removed[side, default: []].formUnion(tokens("PUMR", in: entry.title + entry.body.joined()))
    }
    file.entries.removeSubrange(range)
  }
}

extension PassParts {
  fileprivate func remoteParts(_ archive: MemoryArchive) -> RemoteParts {
    RemoteParts(
      name: name, device: device, runtime: runtime, contents: archive, journal: archive.journal(of: "test"))
  }
}
