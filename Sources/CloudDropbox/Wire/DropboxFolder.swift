import Foundation
internal import SyncKit

/// A Dropbox folder, and the mapping of its files to Dropbox paths.
struct DropboxFolder: Hashable, Sendable {
  /// Empty for Dropbox's root, otherwise `/` and the components.
  let path: String
  private let depth: Int

  /// Names that Dropbox rejects or never syncs, ignoring case (Dropbox, "Naming files").
  private static let refused: Set<String> = [
    ".dropbox", ".dropbox.attr", ".dropbox.cache", "desktop.ini", "thumbs.db", ".ds_store", "icon\r",
  ]

  /// Returns nil unless the text is empty, `/`, or an absolute path.
  init?(_ text: String) {
    let text = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard !text.isEmpty else {
      (path, depth) = ("", 0)
      return
    }
    guard text.hasPrefix("/"), let inner = SyncPath(String(text.dropFirst())) else { return nil }
    (path, depth) = (text, inner.parts.count)
  }

  /// The naming rules: case-insensitive, composed Unicode, valid text.
  static let naming = NamingRules(
    foldsCase: true, foldsUnicode: true, requiresUTF8: true, forbiddenBytes: [UInt8(ascii: "\\"), 0x7F],
    unicodeForm: .composed)

  /// The address for messages.
  var address: String { "dropbox:" + (path.isEmpty ? "/" : path) }

  /// The Dropbox path of a file in the folder.
  func path(of file: SyncPath) -> String { path + "/" + String(decoding: file.bytes, as: UTF8.self) }

  /// The path relative to the folder of a Dropbox path; nil if it is the folder itself or outside it.
  func file(_ path: String) -> SyncPath? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    guard parts.count > depth else { return nil }
    return SyncPath(bytes: Array(parts.dropFirst(depth).joined(separator: [UInt8(ascii: "/")])))
  }

  /// The reason why Dropbox would not store the file under exactly this name; nil if it would.
  static func violation(by path: SyncPath) -> String? {
    if let violation = naming.violation(by: path) { return violation }
    let text = String(decoding: path.bytes, as: UTF8.self)
    for part in text.split(separator: "/") {
      if refused.contains(part.lowercased()) { return "Dropbox refuses the name \(part.debugDescription)" }
      if part.hasSuffix(" ") || part.hasSuffix(".") {
        return "Dropbox refuses names that end in a space or a dot"
      }
    }
    return nil
  }
}
