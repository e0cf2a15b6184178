internal import SyncKit

/// One component of a path as a C string.
struct FileName: Hashable, Sendable {
  /// The bytes with the NUL at their end.
  let characters: [CChar]

  init(_ bytes: some Collection<UInt8>) {
    characters = bytes.map { CChar(bitPattern: $0) } + [0]
  }

  init(_ text: String) { self.init(text.utf8) }

  /// The bytes without the NUL.
  var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }
}

extension SyncPath {
  var fileName: FileName { FileName(name) }
}
