/// The files that a verb may read and change, by their paths relative to one folder.
///
/// Files are read on demand and once. A changed file is held here; nothing is written.
public struct OrgFileSet: Sendable {
  /// The absolute path of the folder, which Org writes into archive files.
  public let folder: String
  /// The user's home folder, which Org abbreviates as `~` in properties.
  public let home: String?
  /// The paths of all Org files of the set, sorted: Org's agenda files.
  public let names: [String]
  private let read: @Sendable (String) -> [UInt8]?
  private var loaded: [String: [UInt8]] = [:]
  /// The files that verbs changed or created.
  public private(set) var changed: Set<String> = []

  /// Creates a set whose files are read on demand; `read` returns nil for a file that does not exist.
  public init(
    folder: String, home: String? = nil, names: [String], read: @escaping @Sendable (String) -> [UInt8]?
  ) {
    (self.folder, self.home, self.names, self.read) = (folder, home, names.sorted(), read)
  }

  /// Creates a set of files in memory.
  public init(_ files: [String: [UInt8]], folder: String = "/org", home: String? = nil) {
    self.init(folder: folder, home: home, names: files.keys.filter { $0.hasSuffix(".org") }) { files[$0] }
  }

  /// The content of a file; nil if it does not exist.
  public subscript(path: String) -> [UInt8]? {
    mutating get {
      if let content = loaded[path] { return content }
      let content = read(path)
      loaded[path] = content
      return content
    }
  }

  /// Replaces the content of a file, or creates it.
  mutating func write(_ content: [UInt8], to path: String) {
    loaded[path] = content
    changed.insert(path)
  }

  /// The changed files with their contents.
  public var changes: [String: [UInt8]] { loaded.filter { changed.contains($0.key) } }

  /// Returns the absolute path of a file.
  func absolute(_ path: String) -> String { folder + "/" + path }

  /// Returns an absolute path as Org abbreviates it.
  func abbreviated(_ path: String) -> String {
    guard let home, path == home || path.hasPrefix(home + "/") else { return path }
    return "~" + path.dropFirst(home.count)
  }

  /// Returns the path relative to the folder of a path that a setting gives: absolute, below `~`, or relative to `file`. Nil if
  /// it is not in the folder.
  func relative(_ path: String, to file: String = "") -> String? {
    var absolute = path
    if path.hasPrefix("~/"), let home { absolute = home + path.dropFirst(1) }
    if !absolute.hasPrefix("/") {
      let base = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
      absolute = folder + "/" + base + absolute
    }
    var parts: [Substring] = []
    for part in absolute.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    let root = folder.split(separator: "/")
    guard parts.starts(with: root), parts.count > root.count else { return nil }
    return parts.dropFirst(root.count).joined(separator: "/")
  }
}
