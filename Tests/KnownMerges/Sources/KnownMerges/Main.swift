import Dispatch
import Foundation
import OrgKit
import Synchronization

/// Merges triples with known results in an optimized program: `KnownMerges [FIRST COUNT]`, by default the first 20,000.
/// `KnownMerges show NUMBER FOLDER` writes the texts of one triple into files.
///
/// Prints each triple whose merge is not right or needs a person, and the sum. The exit status is 1 if a merge is wrong, if a law
/// is broken, or if more than one merge in a thousand has a needless conflict.
@main
enum Main {
  private static let batchSize: UInt64 = 250
  private static let all = Mutex(KnownTally())

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "show" { return show(Array(arguments.dropFirst())) }
    let numbers = arguments.compactMap { UInt64($0) }
    let (first, count) = numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 20_000)
    let starts = Array(stride(from: first, to: first + count, by: Int(batchSize)))
    DispatchQueue.concurrentPerform(iterations: starts.count) { batch in
      add(merged(starts[batch]..<min(first + count, starts[batch] + batchSize)))
    }
    let tally = all.withLock { $0 }
    say("triples \(first)..<\(first + count)\n\(tally.pairTable)")
    // The test script looks for a line like this.
    say("\(tally.isSound ? "✔" : "✘") Test run with \(tally.total) tests: \(tally.summary)")
    exit(tally.isSound ? 0 : 1)
  }

  private static func show(_ arguments: [String]) {
    guard arguments.count == 2, let triple = UInt64(arguments[0]).flatMap(KnownTriple.numbered) else {
      say("usage: KnownMerges show NUMBER FOLDER, with the number of a triple")
      exit(2)
    }
    let (base, ours, theirs) = (triple.baseText, triple.text(of: 0), triple.text(of: 1))
    let merged = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    let content = merged.content ?? []
    let texts = [
      "base": base, "ours": ours, "theirs": theirs, "third": triple.text(of: 2), "expected": triple.expectedText,
      "expected-of-all": triple.expectedOfAll, "merged": content,
      "with-ours": OrgMerge.merge(base: base, ours: content, theirs: ours).content ?? [],
      "with-theirs": OrgMerge.merge(base: base, ours: content, theirs: theirs).content ?? [],
      "exchanged": OrgMerge.merge(base: base, ours: theirs, theirs: ours).content ?? [],
    ]
    for (name, text) in texts {
      let file = URL(filePath: arguments[1]).appending(path: name + ".org")
      do { try Data(text).write(to: file) } catch { say("cannot write \(file.path): \(error)") }
    }
    say("\(triple.labels): \(merged.status)")
  }

  private static func merged(_ numbers: Range<UInt64>) -> KnownTally {
    numbers.reduce(into: KnownTally()) { tally, number in
      guard let triple = KnownTriple.numbered(number) else { return }
      tally.add(KnownResult(triple), number, triple)
    }
  }

  private static func add(_ tally: KnownTally) {
    let total = all.withLock { all in
      all.add(tally)
      return all
    }
    var lines = tally.wrong.map { "error: wrong: \($0)" } + tally.broken.map { "error: broken law: \($0)" }
    lines += (tally.needless + tally.repeated).map { "conflict: \($0)" }
    if (total.total / Int(batchSize)).isMultiple(of: 40) { lines.append("so far \(total.summary)") }
    for line in lines { say(line) }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
