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
  ///
  /// A relative path is one from the working directory if that is inside the store. A path in the form in which syncd prints it,
  /// relative to the store, is also accepted if there is no such file.
  func path(in configuration: DaemonConfiguration) throws -> SyncPath {
    guard let path = fromHere(in: configuration) ?? fromStore else {
      throw ValidationError("\(text) is not inside the store")
    }
    guard let printed = fromStore, printed != path, !Self.exists(path, in: configuration) else { return path }
    let folder = Self.workingDirectory(in: configuration)
    let isInside = folder.map { !$0.isEmpty && printed.bytes.starts(with: $0 + [Self.separator]) } ?? true
    return isInside || Self.exists(printed, in: configuration) ? printed : path
  }

  /// Returns true if this is an absolute path inside the store, or a relative one from a working directory there.
  func leads(into configuration: DaemonConfiguration) -> Bool { fromHere(in: configuration) != nil }

  /// Returns true if the store has this file or folder.
  func exists(in configuration: DaemonConfiguration) -> Bool {
    (try? path(in: configuration)).map { Self.exists($0, in: configuration) } ?? false
  }

  /// The path relative to the store.
  private var fromStore: SyncPath? { SyncPath(bytes: bytes) }

  /// Returns the path relative to the store for a path from the working directory; nil if it does not lead into the store.
  private func fromHere(in configuration: DaemonConfiguration) -> SyncPath? {
    let folder =
      bytes.first == Self.separator ? [] : Array(FileManager.default.currentDirectoryPath.utf8) + [Self.separator]
    return Self.relative(Self.parts(of: folder + bytes), to: configuration).flatMap { SyncPath(bytes: $0) }
  }

  private static let separator = UInt8(ascii: "/")

  /// Returns the path of the working directory relative to the store; nil if it is outside.
  static func workingDirectory(in configuration: DaemonConfiguration) -> [UInt8]? {
    relative(parts(of: Array(FileManager.default.currentDirectoryPath.utf8)), to: configuration)
  }

  private static func relative(_ parts: [ArraySlice<UInt8>], to configuration: DaemonConfiguration) -> [UInt8]? {
    let root = configuration.store.root ?? ""
    // A shell in the target folder of a link uses the target's own name.
    for name in [root, FolderNames.resolved(root)] {
      let above = Self.parts(of: Array(name.utf8))
      guard !above.isEmpty, parts.starts(with: above) else { continue }
      return Array(parts.dropFirst(above.count).joined(separator: [separator]))
    }
    return nil
  }

  private static func exists(_ path: SyncPath, in configuration: DaemonConfiguration) -> Bool {
    guard let root = configuration.store.root else {
      let files = try? configuration.store.files()
      return (try? files?.read(String(decoding: path.bytes, as: UTF8.self))) != nil
    }
    return LocalFile.exists(bytes: Array(root.utf8) + [separator] + path.bytes)
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
