import OrgKit
import SyncDaemon
import SyncKit
import Synchronization

/// The Org files of the store as the hub reads them, parsed once for each content.
final class HubFiles: Sendable {
  private let root: String
  private let parsed = Mutex(Parsed())

  private struct Parsed {
    var files: [String: (file: HubFile, settings: OrgSettings)] = [:]
    var size = 0
  }

  /// The number of bytes of files that are kept parsed.
  private static let limit = 32 << 20

  init(root: String) { self.root = root }

  /// Returns a file as it is now; nil if it does not exist, is a link or cannot be read.
  func file(_ path: String, _ settings: OrgSettings) -> HubFile? {
    guard LocalFile.linkTarget("\(root)/\(path)") == nil, let content = try? LocalFile.read("\(root)/\(path)") else {
      return nil
    }
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
