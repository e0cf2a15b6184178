import OrgKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures reading and merging; `Benchmarks/measure_org.py` makes the inputs and prints the tables.
///
///     OrgBench tree FILE | everything FILE | merge BASE OURS THEIRS | case NAME
///
/// Prints the milliseconds and the largest resident set in MiB; without words, the names of the cases.
@main
struct OrgBench {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "tree":
      let file = try read(words[1])
      report(Stopwatch.best { OrgDocument(file).entries.count })
    case "everything":
      let file = try read(words[1])
      report(Stopwatch.best { partCount(of: OrgDocument(file)) })
    case "merge":
      let files = try words[1...3].map(read)
      report(Stopwatch.best { OrgMerge.merge(base: files[0], ours: files[1], theirs: files[2]).content?.count ?? 0 })
    case "case":
      guard let input = HardCase(rawValue: words[1])?.input else { fatalError("there is no case \(words[1])") }
      let reading = Stopwatch.once { partCount(of: OrgDocument(input.base)) }
      let merging = Stopwatch.once {
        OrgMerge.merge(base: input.base, ours: input.ours, theirs: input.theirs).content?.count ?? 0
      }
      print(input.base.count, reading, merging, Stopwatch.peak)
    default:
      for name in HardCase.allCases { print(name.rawValue) }
    }
  }

  private static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  private static func report(_ milliseconds: Double) { print(milliseconds, Stopwatch.peak) }

  /// The number of parts of a file; accessing them parses them.
  private static func partCount(of document: OrgDocument) -> Int {
    document.entries.reduce(document.preamble.count) { count, entry in
      let dates = [entry.scheduled, entry.deadline, entry.closed].count { $0 != nil }
      let words = [entry.keyword, entry.priority].count { $0 != nil }
      let blocks = entry.blocks.reduce(0) { $0 + 1 + $1.items.count + $1.rows.count + $1.logItems.count }
      return count + dates + words + blocks + entry.title.utf8.count + entry.tags.count + entry.properties.count
    }
  }
}
