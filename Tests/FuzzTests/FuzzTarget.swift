import Foundation
import Testing

/// A parser of foreign input, with good inputs to begin with.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the format is made of.
  let tokens: [String]
  /// Parses an input. It may reject it, but it must not trap, and what it accepts must be as the format promises.
  let parse: @Sendable ([UInt8]) throws -> Void

  var testDescription: String { name }

  static let all: [FuzzTarget] = [
    toml, webDAV, rsync, sftp, gitTree, gitAttributes, age, openPGP, capture, stagingIndex, checksums, dropbox, org,
    orgMerge, control, marker, remoteKey, ignore, json,
  ]

  /// The good inputs: the files in `Corpus/NAME`.
  func corpus() throws -> [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(name)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { Array(try Data(contentsOf: folder.appending(path: $0))) }
  }
}
