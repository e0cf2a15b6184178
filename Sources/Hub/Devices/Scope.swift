/// What a device may do.
package enum Scope: String, Sendable, CaseIterable {
  /// Read everything and change everything.
  case all
  /// Only read.
  case read
  /// Only add entries to the inbox.
  case capture

  /// Returns true if a device with this scope may do what needs `other`.
  func allows(_ other: Scope) -> Bool { self == .all || self == other }
}
