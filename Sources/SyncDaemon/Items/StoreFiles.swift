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
  package init(root: String) {
    let memory = Memory()
    self.memory = memory
    set = OrgFileSet(
      folder: root, home: ProcessInfo.processInfo.environment["HOME"],
      names: Array(StoreListing(root: root).stamps.keys)
    ) { path in
      // A link could lead out of the store.
      guard LocalFile.linkTarget("\(root)/\(path)") == nil else { return nil }
      let content = try? LocalFile.read("\(root)/\(path)")
      memory.digests.withLock { _ = $0.updateValue(content.map { Digest(of: $0) }, forKey: path) }
      return content
    }
  }

  /// Returns the digest of a file as it was read; nil if it did not exist.
  package func digest(_ path: String) -> Digest? { memory.digests.withLock { $0[path] ?? nil } }
}
