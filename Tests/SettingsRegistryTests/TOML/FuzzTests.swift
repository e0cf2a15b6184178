import SettingsRegistry
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// For any bytes, parsing ends, and every reported position is in the text.
@Suite struct FuzzTests {
  #if DEBUG
    static let count = 4000
  #else
    static let count = 50_000
  #endif

  @Test("damaged documents are parsed to the end, with all positions in bounds", arguments: [11, 12])
  func damagedDocuments(seed: UInt64) {
    var random = RandomTOML(seed: seed)
    let corpus = (TOMLCorpus.valid + TOMLCorpus.invalid).map { Array($0.utf8) } + TOMLCorpus.notUTF8
    for _ in 0..<Self.count {
      let document = random.damaged(random.damaged(random.generator.pick(corpus) + random.generator.pick(corpus)))
      expectPlacesInBounds(document)
    }
  }

  @Test("random bytes are parsed to the end, with all positions in bounds", arguments: [13])
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Self.count / 10 {
      let alphabet = generator.pick([Array(0...255), Array("ab.=[]{}\"'\\\n\r #,01:-TZ".utf8)])
      expectPlacesInBounds((0..<generator.number(below: 60)).map { _ in generator.pick(alphabet) })
    }
  }

  @Test(
    "the parsing time is linear in the length of the text",
    arguments: [
      "a = [1, [2], {b = 3}]\n", "a = \"", "[[a.b]]\n", "a = [\n", "{", "[a]\nb = ?\n", "a = {b = 1, c = 2}, ",
      "\"\"\"\\\n",
      "a.b.c = 1\n", "# comment \r", "a = [1 1\n",
    ])
  func linear(piece: String) {
    let text = Array(String(repeating: piece, count: 5000 / piece.utf8.count).utf8)
    // The expected factor is four; sixteen would be quadratic.
    #expect(leastTime(for: text + text + text + text) < max(leastTime(for: text) * 10, .milliseconds(200)))
  }

  /// The least of three processor times of this thread, independent of other tests and programs.
  private func leastTime(for text: [UInt8]) -> Duration {
    let times = (0..<3).map { _ in
      let start = processorTime()
      _ = TOMLDocument(text, file: "f")
      return processorTime() - start
    }
    return times.min() ?? .zero
  }

  private func processorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func expectPlacesInBounds(_ bytes: [UInt8]) {
    let document = TOMLDocument(bytes, file: "f")
    let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
      .split(separator: "\n", omittingEmptySubsequences: false).map(\.count)
    let places = document.mistakes.map(\.location) + document.comments.map(\.location) + self.places(in: document.root)
    for place in places {
      let isInBounds = (1...lines.count).contains(place.line) && (1...lines[place.line - 1] + 1).contains(place.column)
      #expect(isInBounds, "\(place) in \(bytes)")
    }
  }

  private func places(in table: TOMLTable) -> [TextLocation] {
    table.entries.flatMap { [$0.key.location] + places(in: $0.node) }
  }

  private func places(in node: TOMLNode) -> [TextLocation] {
    switch node.value {
    case .table(let table): [node.location] + places(in: table)
    case .array(let nodes): [node.location] + nodes.flatMap(places)
    default: [node.location]
    }
  }
}
