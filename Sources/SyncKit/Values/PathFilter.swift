/// Decides which paths are synced.
///
/// Rules are tried in order and the last one that matches decides, as git does. An ignored folder is not entered,
/// so nothing below it can be included again.
public struct PathFilter: Sendable {
  private let rules: Rules
  /// Further rules, of a remote; a path must be accepted by each of them.
  private var narrower: [Rules] = []
  /// The text that the filter was made from; another text is another filter.
  public private(set) var text: String

  /// Creates a filter. Lines that are not patterns are skipped.
  ///
  /// - Parameters:
  ///   - include: patterns of which a file, or a folder above it, must match at least one; none means all.
  ///   - ignore: lines in the syntax of `.gitignore`, later ones winning.
  public init(include: [String] = [], ignore: [String] = []) {
    rules = Rules(include, ignore)
    text = Self.text(include, ignore)
  }

  /// Returns a filter that accepts what this one accepts and the patterns do not refuse. Nothing that this one refuses can be
  /// included again. A conflict copy is accepted if its file is: it has a version of that file.
  public func narrowed(include: [String], ignore: [String]) -> PathFilter {
    guard !include.isEmpty || !ignore.isEmpty else { return self }
    var filter = self
    filter.narrower.append(Rules(include, ignore))
    filter.text += "\n\u{1}\n" + Self.text(include, ignore)
    return filter
  }

  private static func text(_ include: [String], _ ignore: [String]) -> String {
    (include + ["\u{0}"] + ignore).joined(separator: "\n")
  }

  /// Returns true if the file at `path` is synced: neither it nor a folder above it is ignored.
  public func accepts(_ path: SyncPath) -> Bool {
    guard accepts(file: path.bytes) else { return false }
    return path.ancestors.allSatisfy { accepts(folder: $0.bytes) }
  }

  /// Returns true if a file is synced, given that the folders above it are not ignored.
  public func accepts(file path: [UInt8]) -> Bool {
    guard !isReserved(path) else { return false }
    // The rules are about the file that a placeholder stands for: if it is synced, it must not seem to be absent.
    if let placeholder = Placeholder(bytes: path) { return accepts(file: placeholder.file.bytes) }
    guard rules.accepts(file: path) else { return false }
    guard !narrower.isEmpty else { return true }
    let original = Self.original(of: SyncPath(trusted: path)).bytes
    return narrower.allSatisfy { $0.accepts(file: original) }
  }

  /// Returns true if files below a folder may be synced, given that the folders above it are not ignored.
  public func accepts(folder path: [UInt8]) -> Bool {
    !isReserved(path) && rules.accepts(folder: path) && narrower.allSatisfy { $0.accepts(folder: path) }
  }

  private static func original(of path: SyncPath) -> SyncPath {
    var path = path
    while let original = ConflictName.original(of: path) { path = original }
    return path
  }

  private func isReserved(_ path: [UInt8]) -> Bool {
    let name = path.suffix(from: path.lastIndex(of: SyncPath.separator).map { $0 + 1 } ?? 0)
    return ReservedName.isReserved(name) || ReservedName.isRepository(name)
  }
}

/// The patterns of one place in the settings.
private struct Rules: Sendable {
  private let includes: [GlobPattern]
  private let ignores: [GlobPattern]

  init(_ include: [String], _ ignore: [String]) {
    includes = include.compactMap(GlobPattern.init)
    ignores = ignore.compactMap(GlobPattern.init)
  }

  func accepts(file path: [UInt8]) -> Bool {
    !isIgnored(path, isFolder: false) && (includes.isEmpty || isIncluded(path))
  }

  func accepts(folder path: [UInt8]) -> Bool { !isIgnored(path, isFolder: true) }

  private func isIncluded(_ path: [UInt8]) -> Bool {
    includes.contains { $0.matches(path, isFolder: false) }
      || path.indices.contains { end in
        path[end] == SyncPath.separator && includes.contains { $0.matches(Array(path[..<end]), isFolder: true) }
      }
  }

  private func isIgnored(_ path: [UInt8], isFolder: Bool) -> Bool {
    for pattern in ignores.reversed() where pattern.matches(path, isFolder: isFolder) { return !pattern.isNegated }
    return false
  }
}

/// Names that are reserved for the program and never synced.
public enum ReservedName {
  /// The file in the root of a remote that has the replica's id.
  public static let marker = ".syncd-root"

  private static let infix = Array(".syncd-".utf8)
  private static let suffix = Array(".tmp".utf8)

  /// Returns true for the marker and for temporaries: `*.syncd-*.tmp`.
  public static func isReserved(_ name: ArraySlice<UInt8>) -> Bool {
    isTemporary(name) || name.elementsEqual(marker.utf8)
  }

  /// Returns true for `.git`, the folder of a repository or the file that points to it. It is never synced, whatever the
  /// ignore rules say, because a repository from elsewhere could run programs here.
  public static func isRepository(_ name: ArraySlice<UInt8>) -> Bool {
    name.count == 4 && name.first == UInt8(ascii: ".") && name.elementsEqual(".git".utf8) { $0 | 0x20 == $1 | 0x20 }
  }

  /// Returns true for temporaries: `*.syncd-*.tmp`.
  public static func isTemporary(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.count >= infix.count + suffix.count, name.last == UInt8(ascii: "p"), name.suffix(4) == suffix[...] else {
      return false
    }
    let body = name.dropLast(suffix.count)
    return body.indices.contains { body[$0] == infix[0] && body[$0...].starts(with: infix) }
  }
}
