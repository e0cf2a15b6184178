package import OrgKit
package import SyncKit

/// The `match` of a remote: which subtrees of the store's Org files it has.
package struct MatchRule: Sendable {
  /// The match as in the settings.
  package let text: String
  package let match: OrgMatch

  /// Parses a match in Org's syntax; returns nil if it is invalid or has a part that is not supported.
  package init?(_ text: String) {
    guard let match = OrgMatch(text) else { return nil }
    (self.text, self.match) = (text, match)
  }

  /// Patterns of the files that have subtrees. Other files, also encrypted Org files, are not synced with the remote.
  package static let patterns = ["*.[oO][rR][gG]"]

  /// Returns true if the file at `path` has subtrees.
  package static func applies(to path: SyncPath) -> Bool {
    path.name.count > 4 && path.name.suffix(4).map { $0 | 0x20 } == Array(".org".utf8)
  }

  /// The maximum size of a file whose subtrees are selected, in bytes.
  static let largestFile = 32 << 20

  /// Identifies the rule and the form of the parts; a change of the form changes the number.
  var id: String { Digest(of: Array("1 \(text)".utf8)).short }

  func address(of store: String) -> String { "\(store) with match \"\(text)\"" }

  func identity(of root: RootIdentity) -> RootIdentity {
    RootIdentity(
      address: address(of: root.address), id: root.id.map { "\($0) match \(id)" }, generation: root.generation)
  }
}
