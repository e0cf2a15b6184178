import Foundation
import ProgramTesting
import Testing

@testable import OrgKit

/// Printing the leaves of the tree reproduces any file. `SYNCD_ORG_MUTATIONS` sets the number of damaged files, `SYNCD_CORPUS`
/// names a folder of real ones.
@Suite("Round trips of Org text")
struct RoundTripTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let mutations =
    Int(environment["SYNCD_ORG_MUTATIONS"] ?? "") ?? (isSoak ? 50_000 : 2000)
  private static let corpus = environment["SYNCD_CORPUS"]

  @Test(
    "odd files are written again byte for byte",
    arguments: [
      "", "\n", "*", "* ", "*\n", "\r\n", "\r", "a", "\u{FEFF}* a\n", "* a\r\n:PROPERTIES:\r\n:ID: x\r\n:END:\r\n",
      "* a\n\n\n** b\n \t\n", "#+begin_src\n* a\n", ":END:\n:A:\n", "* a\nSCHEDULED:\n", "[fn:1] x\n\n\n\ny",
      "| a\n|-\n#+tblfm: x",
      "- a\n\n\n- b", "*************** a\n*************** END\n", "#+name: x\n#+name: y\n", "\u{0}\u{0}* a\u{0}\n",
    ])
  func oddFiles(text: String) {
    expectRoundTrip(Array(text.utf8))
  }

  @Test("worked cases are written again byte for byte", arguments: MergeCase.files)
  func cases(example: MergeCase) throws {
    try expectRoundTrip(example.file("ours.org"))
    try expectRoundTrip(example.file("expected.org"))
  }

  @Test("damaged files are written again byte for byte")
  func damaged() {
    var random = SeededGenerator(seed: 1)
    for seed in 0..<UInt64(Self.mutations) {
      var bytes = Versions(seed: seed % 500).base
      for _ in 0..<Int.random(in: 1...8, using: &random) { damage(&bytes, &random) }
      expectRoundTrip(bytes)
    }
  }

  @Test("generated files with oddities are written again byte for byte")
  func generated() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Benchmarks/make-org-corpus.py")
    let folder = FileManager.default.temporaryDirectory.appending(path: "org-corpus-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = ["--files", "300", "--seed", "3", "--large", "0", "--jobs", "1"]
    try Command(["python3", script.path(), folder.path()] + options).succeed()
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path())
    let files = paths.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
    #expect(files.count >= 300)
    for file in files { expectRoundTrip(Array(file)) }
  }

  @Test(
    "real files are written again byte for byte",
    .enabled(if: corpus != nil, "SYNCD_CORPUS names no folder of Org files"))
  func realFiles() throws {
    let root = URL(filePath: try #require(Self.corpus))
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path())
    let files = paths.compactMap { try? Data(contentsOf: root.appending(path: $0)) }
    #expect(!files.isEmpty)
    for file in files { expectRoundTrip(Array(file)) }
  }

  private func expectRoundTrip(_ bytes: [UInt8]) {
    #expect(OrgDocument(bytes).bytes == bytes)
    #expect(printed(Outline(bytes)) == bytes)
    let (envelope, text) = Envelope.open(bytes)
    let outline = Outline(text)
    #expect(envelope.wrap(Array(text[..<outline.nodes[outline.nodes.count - 1].end])) == bytes)
  }

  /// All leaves in order: gaps, headlines, planning lines, drawers, blocks.
  private func printed(_ outline: Outline) -> [UInt8] {
    var bytes = Array(outline.text[..<outline.nodes[0].start])
    for index in outline.nodes.indices {
      bytes += outline.gap(index)
      let section = Section(outline.section(index), isPreamble: index == 0)
      var lines: [Bytes] = index == 0 ? [] : [outline.headline(index)]
      if let planning = section.planning { lines.append(planning.line) }
      if let drawer = section.drawer { lines += drawer.lines }
      for block in section.blocks { lines += block.whole }
      for line in lines {
        bytes += line
        if line.endIndex < outline.nodes[index].end { bytes.append(.newline) }
      }
    }
    return bytes + outline.gapBehind(outline.nodes.count - 1)
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let fragments = [
      "\n", "\r\n", "* ", ":END:\n", "#+begin_src\n", "#+end_src\n", "\u{0}", "- ", "|", "\t", ":A:\n", "[fn:1]",
    ]
    guard let place = bytes.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes.insert(contentsOf: fragments.randomElement(using: &random)?.utf8 ?? "".utf8, at: place)
    case 2: bytes.remove(at: place)
    default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...60, using: &random)))
    }
  }
}
