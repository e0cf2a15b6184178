internal import SyncKit

/// A folder in Box, as the settings name it: by its path, or by its id, which stays when the folder is renamed.
struct BoxFolder: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    /// Empty for All Files.
    case path([String])
    case id(String)
  }

  let place: Place

  /// The id of All Files.
  static let allFiles = "0"
  private static let longestName = 255

  /// Returns nil unless the text is empty, `/`, an absolute path or `id:` and a number.
  init?(_ text: String) {
    if text.hasPrefix("id:") {
      let id = String(text.dropFirst(3))
      guard ItemID.isValid(id) else { return nil }
      place = .id(id)
      return
    }
    let text = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard !text.isEmpty else {
      place = .path([])
      return
    }
    guard text.hasPrefix("/"), let inner = SyncPath(String(text.dropFirst())) else { return nil }
    place = .path(inner.parts.map { String(decoding: $0, as: UTF8.self) })
  }

  /// The address for messages.
  var address: String {
    switch place {
    case .path(let names): "box:/" + names.joined(separator: "/")
    case .id(let id): "box:id:\(id)"
    }
  }

  /// The naming rules: names that differ only in case are one; the other limits count characters.
  static let naming = NamingRules(
    foldsCase: true, foldsUnicode: true, requiresUTF8: true, maximumNameLength: 4 * longestName,
    forbiddenBytes: Set([UInt8(ascii: "\\"), 0x7F] + (1..<0x20)))

  /// The reason why Box would not store the file under this name; nil if it would, as far as is known.
  static func violation(by path: SyncPath) -> String? {
    if let violation = naming.violation(by: path) { return violation }
    for part in path.parts {
      let name = String(decoding: part, as: UTF8.self)
      if name.unicodeScalars.count > longestName { return "the name is too long for Box" }
      if name.hasSuffix(" ") { return "Box refuses names that end in a space" }
    }
    return nil
  }
}

/// The id of a file or folder: digits, which may be too many for a number.
enum ItemID {
  static func isValid(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 32
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
