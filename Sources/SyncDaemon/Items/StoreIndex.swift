package import ItemIndex
package import OrgKit
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The index of a store's entries, in its state folder.
package struct StoreIndex: Sendable {
  private let index: ItemIndex
  private let path: String

  /// Opens the index and makes it agree with the files; nil without a state folder, or if it cannot be written.
  ///
  /// - Parameter listing: the files; nil to list them if a file or folder has changed.
  package init?(_ configuration: DaemonConfiguration, _ listing: StoreListing?, _ settings: OrgSettings) {
    guard let root = configuration.store.root, LocalFile.isFolder(configuration.stateFolder) else { return nil }
    path = Self.path(in: StateFolder(path: configuration.stateFolder))
    do throws(IndexFailure) {
      index = try ItemIndex(at: path, IndexOptions(settings), boot: Self.boot)
      let read = { @Sendable (path: String) in Self.read("\(root)/\(path)") }
      if listing == nil, let known = try index.known(), StoreListing.agrees(known, below: root) { return }
      let files = (listing ?? StoreListing(root: root)).files
      try index.refresh(files, now: { StoreListing.now }, read: read)
    } catch {
      if error.isDamage { ItemIndex.remove(at: path) }
      return nil
    }
  }

  /// Removes the index; the next command makes it again.
  static func remove(in state: StateFolder) { ItemIndex.remove(at: path(in: state)) }

  private static func path(in state: StateFolder) -> String { state.file("items.sqlite") }

  /// Calls a function with one state of the index; nil if the index cannot answer. A damaged one is removed, and made again by
  /// the next command.
  package func read<Value>(_ body: (IndexReader) throws -> Value) throws(OrgQueryError) -> Value? {
    do throws(IndexFailure) { return try index.read(body) } catch {
      if let query = error.query { throw query }
      if error.isDamage { ItemIndex.remove(at: path) }
      return nil
    }
  }

  /// Returns a file with the stamp that it had before it was read; nil if it is not a regular file.
  private static func read(_ path: String) -> (FileStamp, [UInt8])? {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let stamp = StoreListing.stamp(of: descriptor), let bytes = try? LocalFile.read(descriptor) else {
      return nil
    }
    return (stamp, bytes)
  }

  /// An identifier of this start of the machine; empty if the system has none.
  private static var boot: String {
    (try? LocalFile.read("/proc/sys/kernel/random/boot_id")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
