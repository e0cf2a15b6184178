import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of the store on the command line: a path relative to the store, or any path that leads into it.
struct StorePath: ExpressibleByArgument {
  private let text: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
  }

  /// Returns the path inside the store; throws a usage error if it is outside.
  func path(in configuration: DaemonConfiguration) throws -> SyncPath {
    if let path = SyncPath(bytes: bytes) { return path }
    let separator = UInt8(ascii: "/")
    let folder = bytes.first == separator ? [] : Array(FileManager.default.currentDirectoryPath.utf8) + [separator]
    let parts = Self.parts(of: folder + bytes)
    let root = configuration.store.root ?? ""
    // A shell in the target folder of a link uses the target's own name.
    for name in [root, FolderNames.resolved(root)] {
      let above = Self.parts(of: Array(name.utf8))
      guard !above.isEmpty, parts.starts(with: above) else { continue }
      if let path = SyncPath(bytes: Array(parts.dropFirst(above.count).joined(separator: [separator]))) { return path }
    }
    throw ValidationError("\(text) is not inside the store")
  }

  /// The path as a pattern.
  var choice: PathChoice { PathChoice(text) }

  /// Returns true if this is `path`, a folder above it, or a pattern that matches it.
  ///
  /// - Parameter named: the path inside the store; nil if it is outside.
  func matches(_ path: SyncPath, _ named: SyncPath?) -> Bool {
    choice.matches(path) || named.map { path == $0 || path.ancestors.contains($0) } ?? false
  }

  private var bytes: [UInt8] { EscapedText.bytes(of: text) }

  /// Returns the components of an absolute path, with `..` resolved.
  private static func parts(of path: [UInt8]) -> [ArraySlice<UInt8>] {
    path.split(separator: UInt8(ascii: "/")).reduce(into: []) { parts, part in
      if part.elementsEqual("..".utf8) { _ = parts.popLast() }
      if !part.elementsEqual("..".utf8), !part.elementsEqual(".".utf8) { parts.append(part) }
    }
  }
}
