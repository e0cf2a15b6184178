/// A file that a cloud's program puts in the place of one whose content is only in the cloud. It is never content, and the file
/// that it stands for is present, unchanged and unreadable.
public struct Placeholder: Hashable, Sendable {
  /// The name of the cloud, for messages.
  public let cloud: String
  /// The path of the file that it stands for.
  public let file: SyncPath

  /// The placeholder with this path; nil if the path is that of an ordinary file.
  public init?(_ path: SyncPath) { self.init(bytes: path.bytes) }

  init?(bytes path: [UInt8]) {
    let start = path.lastIndex(of: SyncPath.separator).map { $0 + 1 } ?? 0
    guard let (cloud, name) = Self.original(of: path[start...]) else { return nil }
    self.cloud = cloud
    file = SyncPath(trusted: Array(path[..<start]) + name)
  }

  /// Returns the name of the file for that of a placeholder: `.notes.org.icloud`, `notes.org.nextcloud`.
  private static func original(of name: ArraySlice<UInt8>) -> (cloud: String, name: ArraySlice<UInt8>)? {
    // Most names are decided by their last byte.
    guard name.last == UInt8(ascii: "d"), let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let rest = name[..<dot]
    switch String(decoding: name[dot...], as: UTF8.self) {
    case ".icloud" where rest.first == UInt8(ascii: ".") && rest.count > 1: return ("iCloud Drive", rest.dropFirst())
    case ".nextcloud" where !rest.isEmpty: return ("Nextcloud", rest)
    case ".owncloud" where !rest.isEmpty: return ("ownCloud", rest)
    default: return nil
    }
  }
}

extension Snapshot {
  /// The same listing in which placeholders, and the files that they stand for, are unread. A file that is listed itself is not.
  package var withUnreadPlaceholders: Snapshot {
    let placeholders = (0..<others.count).lazy.map { others.path(at: $0) }.compactMap { path in
      Placeholder(path).map { (path, $0) }
    }
    var parts: [Unread] = []
    for (path, placeholder) in placeholders {
      parts.append(Unread(path, .placeholder(cloud: placeholder.cloud)))
      if self[placeholder.file] == nil {
        parts.append(Unread(placeholder.file, .placeholder(cloud: placeholder.cloud)))
      }
    }
    return parts.isEmpty ? self : adding(unread: parts)
  }

  /// The files without content on this machine, with the name of the cloud that has it; without the placeholders themselves.
  var placeheldFiles: [(path: SyncPath, cloud: String)] {
    unread.compactMap { part in
      guard case .placeholder(let cloud) = part.reason, Placeholder(part.path) == nil else { return nil }
      return (part.path, cloud)
    }
  }

  /// A sentence for the user about these files; nil if there are none.
  package func placeholderNotice(_ side: Side) -> String? {
    let files = placeheldFiles
    guard let first = files.first else { return nil }
    let count =
      "\(files.count.counted("file")) in the \(side.word) \(files.count == 1 ? "is a placeholder" : "are placeholders")"
    return
      "\(count) of \(first.cloud) without content, such as \(first.path), and not synced; set the folder to be kept on this device"
  }
}
