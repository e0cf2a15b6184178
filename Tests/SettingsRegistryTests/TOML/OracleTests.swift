import Foundation
import SettingsRegistry
import Testing

/// Compares our parser with two others, on the corpus and on random documents.
@Suite struct OracleTests {
  /// A known deviation of an oracle from TOML 1.0, and the documents that it may affect.
  struct Deviation: Sendable {
    let reason: String
    let concerns: @Sendable (_ document: String) -> Bool

    init(_ reason: String, in pattern: String) {
      self.reason = reason
      concerns = { $0.range(of: pattern, options: .regularExpression) != nil }
    }
  }

  static let tomllib: [Deviation] = [
    Deviation("takes a byte order mark for text", in: "^\u{FEFF}"),
    Deviation("has no year 0", in: "0000-[0-9]{2}-"),
    Deviation("has no leap seconds", in: ":60"),
    Deviation("has integers of any size", in: "[0-9a-fA-F_]{16}"),
  ]

  static let tomlKit: [Deviation] = [
    Deviation("refuses floats that are too great for 64 bits, where others read infinity", in: "[eE]\\+?[0-9_]{3}"),
    Deviation("hands strings over as C strings, which end at the first NUL", in: "\0|\\\\[uU]0000"),
    Deviation("has no leap seconds", in: ":60"),
  ]

  @Test("the corpus is parsed as TOML 1.0 requires")
  func corpus() {
    for document in TOMLCorpus.valid {
      #expect(TOMLDocument(document.utf8, file: "f").mistakes == [], "\(document.debugDescription)")
    }
    for document in TOMLCorpus.invalid.map({ Array($0.utf8) }) + TOMLCorpus.notUTF8 {
      let text = String(decoding: document, as: UTF8.self)
      #expect(TOMLDocument(document, file: "f").mistakes != [], "\(text.debugDescription)")
    }
  }

  @Test("toml++ parses valid documents as we do")
  func tomlPlusPlus() {
    compareWithTOMLKit(TOMLCorpus.valid.map { Array($0.utf8) })
  }

  @Test("tomllib parses all documents as we do", .enabled(if: TomllibOracle.isThere, pythonIsMissing))
  func tomllib() throws {
    try compareWithTomllib((TOMLCorpus.valid + TOMLCorpus.invalid).map { Array($0.utf8) } + TOMLCorpus.notUTF8)
  }

  @Test("toml++ parses valid random documents as we do", arguments: [1, 2])
  func randomWithTOMLKit(seed: UInt64) {
    compareWithTOMLKit(Self.randomDocuments(seed: seed))
  }

  @Test(
    "tomllib parses random documents as we do", .enabled(if: TomllibOracle.isThere, pythonIsMissing), arguments: [3, 4])
  func randomWithTomllib(seed: UInt64) throws {
    try compareWithTomllib(Self.randomDocuments(seed: seed))
  }

  private static let pythonIsMissing: Comment = "NO PYTHON 3.11: TOML IS NOT CHECKED AGAINST TOMLLIB"

  /// Half of the documents come from the grammar, half from damaging the corpus.
  private static func randomDocuments(seed: UInt64) -> [[UInt8]] {
    var random = RandomTOML(seed: seed)
    let corpus = TOMLCorpus.valid + TOMLCorpus.invalid
    return (0..<1500).flatMap { _ in
      [random.document(), random.damaged(Array(random.generator.pick(corpus).utf8))]
    }
  }

  /// Passes only documents that we accept: an assertion in toml++ aborts the process at some invalid ones.
  private func compareWithTOMLKit(_ documents: [[UInt8]]) {
    for document in documents where TOMLDocument(document, file: "f").mistakes.isEmpty {
      compare(document, with: TOMLKitOracle.answer(document), Self.tomlKit)
    }
  }

  private func compareWithTomllib(_ documents: [[UInt8]]) throws {
    let answers = try TomllibOracle.answers(documents)
    try #require(answers.count == documents.count)
    for (document, answer) in zip(documents, answers) {
      compare(document, with: answer, Self.tomllib)
    }
  }

  private func compare(_ document: [UInt8], with answer: @autoclosure () -> String?, _ deviations: [Deviation]) {
    let text = String(decoding: document, as: UTF8.self)
    let ours = TOMLDocument(document, file: "f")
    guard !deviations.contains(where: { $0.concerns(text) }), CanonicalText.text(ours) != answer() else { return }
    Issue.record(
      "\(text.debugDescription)\nours:   \(CanonicalText.text(ours) ?? "\(ours.mistakes)")\noracle: \(answer() ?? "refused")"
    )
  }
}
