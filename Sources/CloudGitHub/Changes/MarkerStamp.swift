internal import SyncKit

/// A new generation of a device's archive in the marker. It would be a commit of its own with each pass that changes
/// something, so it is not stored, as for a branch that git itself serves; a rewritten history is detected instead.
enum MarkerStamp {
  static let refusal = "a branch does not store the generations of archives"
  private static let keywords: Set<Substring> = ["generation", "device"]
  private static let longest = 1 << 16

  /// True if the change of the marker changes nothing but generations and names of devices.
  static func isOne(_ change: Change) async throws(SyncError) -> Bool {
    guard change.path == GitHubStorage.marker, let new = change.content, let old = change.replaced,
      new.size <= longest, old.size <= longest
    else { return false }
    let texts = (try await new.bytes(), try await old.bytes())
    return rest(of: texts.0) == rest(of: texts.1)
  }

  private static func rest(of marker: [UInt8]) -> [Substring] {
    String(decoding: marker, as: UTF8.self).split(separator: "\n")
      .filter { !keywords.contains($0.prefix { $0 != " " }) }
  }
}
