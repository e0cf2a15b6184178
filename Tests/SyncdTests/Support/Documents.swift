import Foundation
import Testing

/// README and the pages in `docs/`, each by its path in `docs/`; the index there is `docs/README.md`.
enum Documents {
  /// The folder of the project.
  static let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  static let all: [(name: String, text: String)] = {
    let folder = project.appending(path: "docs").path
    let pages = ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".md") }
    let names = ["README.md"] + pages.sorted().map { $0 == "README.md" ? "docs/README.md" : $0 }
    return names.compactMap { name in (try? String(contentsOf: file(name), encoding: .utf8)).map { (name, $0) } }
  }()

  /// The location of a document.
  static func file(_ name: String) -> URL {
    project.appending(path: name.hasSuffix("README.md") ? name : "docs/\(name)")
  }

  static func text(_ name: String) throws -> String { try #require(all.first { $0.name == name }?.text, "no \(name)") }

  /// The example in a document that contains `word`.
  static func example(_ name: String, with word: String) throws -> String {
    let blocks = try text(name).matches(of: /(?ms)^```[a-z]*\n(.*?)^```/).map { String($0.1) }
    return try #require(blocks.first { $0.contains(word) }, "\(name) has no example with \(word)")
  }
}
