package import SyncKit

/// A device that is paired with the hub, or was.
package struct HubDevice: Sendable, Hashable {
  /// The opaque identifier.
  package var id: String
  /// The name that a person gave it.
  package var name: String
  /// The limit of what it may do.
  package var scope: Scope
  /// When it was paired.
  package var created: Timestamp
  /// When it last sent a request.
  package var seen: Timestamp
  /// The address that it last came from.
  package var address: String
  /// True if it may not come back.
  package var isRevoked: Bool

  /// The device for a list.
  package var json: JSON {
    [
      "id": .string(id), "name": .string(name), "scope": .string(scope.rawValue),
      "created": .string("\(CivilTime(created))"), "seen": .string("\(CivilTime(seen))"), "address": .string(address),
    ]
  }
}
