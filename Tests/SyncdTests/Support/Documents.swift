import Foundation
import Testing

/// README and what is in `docs/`.
enum Documents {
  /// The folder of the project.
  static let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  static let all: [(name: String, text: String)] = {
    let folder = project.appending(path: "docs")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let files = [project.appending(path: "README.md")] + names.sorted().map { folder.appending(path: $0) }
    return files.filter { $0.pathExtension == "md" }.compactMap { file in
      (try? String(contentsOf: file, encoding: .utf8)).map { (file.lastPathComponent, $0) }
    }
  }()

  static func text(_ name: String) throws -> String { try #require(all.first { $0.name == name }?.text, "no \(name)") }

  /// The example in a document that has `word` in it.
  static func example(_ name: String, with word: String) throws -> String {
    let blocks = try text(name).matches(of: /(?ms)^```[a-z]*\n(.*?)^```/).map { String($0.1) }
    return try #require(blocks.first { $0.contains(word) }, "\(name) has no example with \(word)")
  }
}
