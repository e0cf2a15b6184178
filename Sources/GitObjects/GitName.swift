package import SyncKit

/// Names that must not occur in a repository, because git or some file system resolves them to its folder `.git`, or to a path
/// outside the tree. They are neither read from a repository nor written to one. The rules are those of `git fsck` for trees.
package enum GitName {
  /// The reason why a repository cannot contain this path; nil if it can.
  package static func violation(by path: SyncPath) -> String? {
    path.parts.lazy.compactMap { violation(by: $0) }.first
  }

  /// The same for one component of a path.
  package static func violation(by name: some Collection<UInt8>) -> String? {
    let name = Array(name)
    if name.isEmpty || name == [0x2E] || name == [0x2E, 0x2E] || name.contains(0x2F) || name.contains(0) {
      return "this is not a valid file name"
    }
    guard isRepositoryOnMac(name) || name.split(separator: 0x5C).contains(where: isRepositoryOnWindows) else {
      return nil
    }
    return "git reserves this name, or some file systems treat it as `.git`"
  }

  /// HFS+ ignores case and invisible characters, all of which are beyond ASCII.
  private static func isRepositoryOnMac(_ name: [UInt8]) -> Bool {
    guard spells(name.lazy.filter({ $0 < 0x80 }), ".git"), let text = String(validating: name, as: UTF8.self) else {
      return false
    }
    return text.unicodeScalars.allSatisfy { $0.isASCII || unseen.contains($0.value) }
  }

  private static let unseen = Set<UInt32>(
    Array(0x200C...0x200F) + Array(0x202A...0x202E) + Array(0x206A...0x206F) + [0xFEFF])

  /// NTFS ignores case and trailing dots and spaces, has streams after a colon, and a short name for `.git`.
  private static func isRepositoryOnWindows(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.first == UInt8(ascii: ".") || name.first.map({ $0 | 0x20 }) == UInt8(ascii: "g") else { return false }
    var file = name.prefix { $0 != UInt8(ascii: ":") }
    while let last = file.last, last == UInt8(ascii: " ") || last == UInt8(ascii: ".") { file.removeLast() }
    return spells(file, ".git") || spells(file, "git~1")
  }

  /// Returns true if these are the letters of an ASCII word, in either case.
  private static func spells(_ letters: some Sequence<UInt8>, _ word: String) -> Bool {
    letters.elementsEqual(word.utf8) { letter, wanted in
      letter == wanted || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) && letter | 0x20 == wanted
    }
  }
}
