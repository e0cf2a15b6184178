package import ItemIndex
package import OrgKit
package import SyncKit

/// The index of a store's entries, in its state folder.
package struct StoreIndex: Sendable {
  /// What exists and could not be read, by path, with the reasons: its entries are missing here.
  package let unread: [String: String]
  private let index: ItemIndex
  private let path: String

  /// Opens the index and makes it agree with the files; nil without a state folder, or if it cannot be written.
  ///
  /// - Parameter listing: the files; nil to list them if a file or folder has changed.
  package init?(
    _ configuration: DaemonConfiguration, _ store: any LocalFiles, _ listing: StoreListing?, _ settings: OrgSettings
  ) throws(SyncError) {
    guard LocalFile.isFolder(configuration.stateFolder) else { return nil }
    path = Self.path(in: StateFolder(path: configuration.stateFolder))
    do throws(IndexFailure) {
      index = try ItemIndex(at: path, IndexOptions(settings), boot: Self.boot)
      if listing == nil, let known = try index.known(), store.look({ known.agrees($0) }) == true {
        unread = [:]
        return
      }
    } catch {
      if error.isDamage { ItemIndex.remove(at: path) }
      return nil
    }
    let listing = if let listing { listing } else { try store.list() }
    let failures = FileFailures(listing)
    do throws(IndexFailure) {
      // A file that cannot be read now has no entries in the index; the next command tries it again.
      let read = { @Sendable (path: String) in failures.read(path, in: store) }
      try index.refresh(listing.files, now: { StoreListing.now }, read: read, isWhole: { failures.all.isEmpty })
    } catch {
      if error.isDamage { ItemIndex.remove(at: path) }
      return nil
    }
    unread = failures.all
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

  /// An identifier of this start of the machine; empty if the system has none.
  private static var boot: String {
    (try? LocalFile.read("/proc/sys/kernel/random/boot_id")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
