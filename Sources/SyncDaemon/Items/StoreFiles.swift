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
    /// The errors of files that exist and could not be read.
    let errors = Mutex<[String: SyncError]>([:])
    let failures: FileFailures

    init(_ listing: StoreListing) { failures = FileFailures(listing) }
  }

  /// Lists the files of a store.
  package init(_ files: any LocalFiles) throws(SyncError) {
    let listing = try files.list()
    let memory = Memory(listing)
    self.memory = memory
    set = OrgFileSet(
      folder: files.root, home: ProcessInfo.processInfo.environment["HOME"],
      names: Array(listing.stamps.keys)
    ) { path in
      do throws(SyncError) {
        let content = try files.read(path)?.bytes
        memory.digests.withLock { _ = $0.updateValue(content.map { Digest(of: $0) }, forKey: path) }
        return content
      } catch {
        memory.errors.withLock { $0[path] = error }
        memory.failures.record(error, of: path)
        return nil
      }
    }
  }

  /// Throws the error of a file that exists and could not be read.
  func requireReadable() throws(SyncError) {
    let failure = memory.errors.withLock { $0.min { $0.key < $1.key }?.value }
    if let failure { throw failure }
  }

  /// What exists and could not be read so far, by path, with the reasons.
  var unread: [String: String] { memory.failures.all }

  /// Returns the digest of a file as it was read; nil if it did not exist.
  package func digest(_ path: String) -> Digest? { memory.digests.withLock { $0[path] ?? nil } }
}
