import Foundation
import Testing

/// A parser of foreign input, with valid inputs as a start.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
  let name: String
  /// The tokens of the format.
  let tokens: [String]
  /// Parses an input. It may reject it, but it must not trap, and accepted input must satisfy the format's guarantees.
  let parse: @Sendable ([UInt8]) throws -> Void

  var testDescription: String { name }

  static let all: [FuzzTarget] = [
    toml, webDAV, rsync, sftp, gitTree, gitAttributes, age, openPGP, capture, stagingIndex, checksums, dropbox, org,
    orgMerge, control, marker, remoteKey, ignore, json,
  ]

  /// The valid inputs: the files in `Corpus/NAME`.
  func corpus() throws -> [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(name)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { Array(try Data(contentsOf: folder.appending(path: $0))) }
  }
}
