import OrgKit
import SyncKit
import Synchronization

/// The Org files of the store as the hub reads them, parsed once for each content.
final class HubFiles: Sendable {
  private let store: any LocalFiles
  private let parsed = Mutex(Parsed())

  private struct Parsed {
    var files: [String: (file: HubFile, settings: OrgSettings)] = [:]
    var size = 0
  }

  /// The number of bytes of files that are kept parsed.
  private static let limit = 32 << 20

  init(_ store: any LocalFiles) { self.store = store }

  /// Returns a file as it is now; nil if it does not exist, is a link or cannot be read.
  func file(_ path: String, _ settings: OrgSettings) -> HubFile? {
    guard let content = try? store.read(path)?.bytes else { return nil }
    let digest = Digest(of: content)
    if let known = parsed.withLock({ $0.files[path] }), known.file.digest == digest, known.settings == settings {
      return known.file
    }
    let file = HubFile(path, content, settings)
    parsed.withLock { parsed in
      if parsed.size > Self.limit { parsed = Parsed() }
      parsed.files[path] = (file, settings)
      parsed.size += content.count
    }
    return file
  }
}
