import Foundation
import Testing

/// A worked merge with its expected result.
struct MergeCase: Sendable, CustomTestStringConvertible {
  let name: String
  let isClean: Bool
  /// Phrases that must be in the result, even after a conflict.
  let keep: [String]
  /// Texts that a rule may drop.
  let derived: [String]
  let folder: URL

  var testDescription: String { name }

  func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  /// The cases with one file.
  static let files = load(corpus)
  /// The cases with whole folders.
  static let trees = load(corpus.appending(path: "tree"))

  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/merge")

  private static func load(_ root: URL) -> [MergeCase] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path())) ?? []
    return names.sorted().compactMap { try? MergeCase(root.appending(path: $0)) }
  }

  private init(_ folder: URL) throws {
    let note = try String(contentsOf: folder.appending(path: "note.md"), encoding: .utf8)
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
    func values(_ key: String) -> [String] {
      lines.filter { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }
    self.folder = folder
    name = folder.lastPathComponent
    isClean = values("verdict") == ["clean"]
    (keep, derived) = (values("keep"), values("derived"))
  }
}

extension Versions {
  init(_ example: MergeCase) throws {
    try self.init(base: example.file("base.org"), ours: example.file("ours.org"), theirs: example.file("theirs.org"))
  }
}
