internal import HTTPStorage
internal import SyncKit

/// The URL of a folder on a server, and of its files.
///
/// Paths are stored as decoded bytes and encoded component by component; nothing else modifies them.
struct Address: Hashable, Sendable {
  /// Scheme, host and port, as in the settings.
  let origin: String
  /// The decoded components of the folder's path.
  let root: [[UInt8]]

  /// Returns nil unless `text` is an http or https URL without a user, a query and a fragment.
  init?(_ text: String) {
    guard let separator = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[separator.upperBound...]
    let host = rest.prefix { $0 != "/" }
    guard !host.isEmpty, !rest.contains(where: { "?#".contains($0) }), !host.contains("@") else { return nil }
    origin = scheme + "://" + host
    root = PercentCoding.parts(of: rest[host.endIndex...])
    guard !root.contains(where: { $0 == [0x2E] || $0 == [0x2E, 0x2E] || $0.contains(0) }) else { return nil }
  }

  /// The URL of the folder itself; folders end in a slash (nginx answers 409 otherwise).
  var text: String { origin + PercentCoding.path(root) + (root.isEmpty ? "" : "/") }

  /// Returns the URL of a file.
  func file(_ path: SyncPath) -> String { origin + PercentCoding.path(root + path.parts.map(Array.init)) }

  /// Returns the URL of a subfolder; of the folder itself for nil.
  func folder(_ path: SyncPath?) -> String { path.map { file($0) + "/" } ?? text }
}
