import Foundation

/// The naming rules of the service: unique in a folder, ignoring case; stored as they are written.
enum Names {
  private static let longest = 255

  /// The key that all spellings of a name share.
  static func key(_ name: String) -> String { name.precomposedStringWithCanonicalMapping.lowercased() }

  /// Throws for a name that the service refuses.
  static func check(_ name: String) throws(APIError) {
    if name.unicodeScalars.count > longest { throw APIError(400, "item_name_too_long") }
    let isInvalid =
      name.isEmpty || name == "." || name == ".." || name.hasSuffix(" ")
      || name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
    if isInvalid { throw APIError(400, "item_name_invalid") }
  }
}
