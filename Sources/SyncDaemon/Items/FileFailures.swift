import SyncKit
import Synchronization

/// The files and folders of a store that exist and could not be read, by path, with the reasons.
final class FileFailures: Sendable {
  private let held: Mutex<[String: String]>

  /// Begins with the folders that a listing could not read.
  init(_ listing: StoreListing) { held = Mutex(listing.unread) }

  var all: [String: String] { held.withLock { $0 } }

  func record(_ error: SyncError, of path: String) {
    let start = "cannot read \(path): "
    let reason = error.message.hasPrefix(start) ? String(error.message.dropFirst(start.count)) : error.message
    held.withLock { $0[path] = reason }
  }

  /// Reads a file; nil if it does not exist, or if that fails, which is recorded.
  func read(_ path: String, in store: any LocalFiles) -> (FileStamp, [UInt8])? {
    do throws(SyncError) { return try store.read(path) } catch {
      record(error, of: path)
      return nil
    }
  }
}
