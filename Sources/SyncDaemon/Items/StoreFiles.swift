package import OrgKit
package import SyncKit
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Org files of the store, read on demand, with the digests of what was read.
package struct StoreFiles: Sendable {
  /// The files for a verb.
  package let set: OrgFileSet
  private let memory: Memory

  /// The digest of each file that was read; nil for a file that does not exist.
  private final class Memory: Sendable {
    let digests = Mutex<[String: Digest?]>([:])
  }

  /// Lists the files of the store's folder.
  package init(root: String) throws(SyncError) {
    let memory = Memory()
    self.memory = memory
    set = OrgFileSet(folder: root, home: ProcessInfo.processInfo.environment["HOME"], names: Self.names(root)) { path in
      // A link could lead out of the store.
      guard LocalFile.linkTarget("\(root)/\(path)") == nil else { return nil }
      let content = try? LocalFile.read("\(root)/\(path)")
      memory.digests.withLock { _ = $0.updateValue(content.map { Digest(of: $0) }, forKey: path) }
      return content
    }
  }

  /// Returns the digest of a file as it was read; nil if it did not exist.
  package func digest(_ path: String) -> Digest? { memory.digests.withLock { $0[path] ?? nil } }

  /// Returns the paths of the Org files below a folder, without hidden ones.
  private static func names(_ root: String) -> [String] {
    var names: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let content = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
      for name in content where !name.hasPrefix(".") {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        if name.hasSuffix(".org") {
          names.append(path)
        } else if !name.contains("."), LocalFile.isFolder("\(root)/\(path)"),
          LocalFile.linkTarget("\(root)/\(path)") == nil
        {
          folders.append(path)
        }
      }
    }
    return names
  }
}
