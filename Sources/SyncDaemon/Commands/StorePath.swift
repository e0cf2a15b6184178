import ArgumentParser
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of the store on the command line: relative to the store, or any path that leads into it.
struct StorePath: ExpressibleByArgument {
  private let text: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    text = argument
  }

  /// The path inside the store; wrong usage if it is none.
  func path(in configuration: DaemonConfiguration) throws -> SyncPath {
    if let path = SyncPath(text), !text.hasPrefix("/") { return path }
    let absolute = text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
    guard let root = configuration.store.root, absolute.hasPrefix(root + "/"),
      let path = SyncPath(String(absolute.dropFirst(root.count + 1)))
    else { throw ValidationError("\(text) is no file of the store") }
    return path
  }
}
