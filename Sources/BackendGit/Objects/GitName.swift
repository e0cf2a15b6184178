internal import SyncKit

/// Names that must not be in a repository, because git or some file system takes them for its own folder `.git`, or for a
/// way out of the tree. They are neither taken from a repository nor put into one. The rules are those by which
/// `git fsck` refuses a tree.
enum GitName {
  /// Why no file of this name can be in a repository; nil if one can.
  static func objection(to path: SyncPath) -> String? {
    path.parts.lazy.compactMap { objection(to: $0) }.first
  }

  /// The same for one part of a path.
  static func objection(to name: some Collection<UInt8>) -> String? {
    let name = Array(name)
    if name.isEmpty || name == [0x2E] || name == [0x2E, 0x2E] || name.contains(0x2F) || name.contains(0) {
      return "this is no name that a file can have"
    }
    guard isRepositoryOnMac(name) || name.split(separator: 0x5C).contains(where: isRepositoryOnWindows) else {
      return nil
    }
    return "git keeps this name for itself, or some file system takes it for `.git`"
  }

  /// HFS+ folds case and leaves out characters that one does not see.
  private static func isRepositoryOnMac(_ name: [UInt8]) -> Bool {
    guard let text = String(validating: name, as: UTF8.self) else { return false }
    let seen = text.unicodeScalars.filter { !unseen.contains($0.value) }
    return seen.elementsEqual(".git".unicodeScalars) { $0.properties.lowercaseMapping == String($1) }
  }

  private static let unseen = Set<UInt32>(
    Array(0x200C...0x200F) + Array(0x202A...0x202E) + Array(0x206A...0x206F) + [0xFEFF])

  /// NTFS folds case, drops dots and blanks at the end, has streams behind a colon, and a short name for `.git`.
  private static func isRepositoryOnWindows(_ name: ArraySlice<UInt8>) -> Bool {
    var file = name.prefix { $0 != UInt8(ascii: ":") }
    while let last = file.last, last == UInt8(ascii: " ") || last == UInt8(ascii: ".") { file.removeLast() }
    let text = String(decoding: file, as: UTF8.self)
    return [".git", "git~1"].contains(text.lowercased())
  }
}
