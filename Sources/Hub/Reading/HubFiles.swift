import ItemIndex
import OrgKit
import SyncKit
import Synchronization

/// The Org files of the store as the hub reads them, parsed once for each content. A file with the same stamp as before is not read.
final class HubFiles: Sendable {
  private let store: any LocalFiles
  private let parsed = Mutex(Parsed())
  /// The number of files that were read.
  let reads = Atomic(0)

  private struct Known {
    var file: HubFile
    var settings: OrgSettings
    /// The stamp that the file had; nil if it can have changed since with the same stamp.
    var stamp: FileStamp?
  }

  private struct Parsed {
    var files: [String: Known] = [:]
    var size = 0
  }

  /// The number of bytes of files that are kept parsed.
  private static let limit = 32 << 20

  init(_ store: any LocalFiles) { self.store = store }

  /// Returns a file as it is now; nil if it does not exist, is a link or cannot be read.
  func file(_ path: String, _ settings: OrgSettings) -> HubFile? {
    let known = parsed.withLock { $0.files[path] }.flatMap { $0.settings == settings ? $0 : nil }
    if let known, let stamp = known.stamp, store.look({ $0(path) == stamp }) == true { return known.file }
    let now = Runtime.real.now().nanoseconds
    reads.add(1, ordering: .relaxed)
    guard let (stamp, content) = try? store.read(path) else { return nil }
    let certain = stamp.isCertain(readAt: now) ? stamp : nil
    if let known, known.file.digest == Digest(of: content) {
      parsed.withLock { $0.files[path]?.stamp = certain }
      return known.file
    }
    let file = HubFile(path, content, settings)
    parsed.withLock { parsed in
      if parsed.size > Self.limit { parsed = Parsed() }
      parsed.files[path] = Known(file: file, settings: settings, stamp: certain)
      parsed.size += content.count
    }
    return file
  }
}
