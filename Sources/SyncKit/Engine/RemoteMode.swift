public import SettingsRegistry

/// The directions in which changes pass between the store and a remote, and if deletions do.
public enum RemoteMode: String, Sendable, CaseIterable, SettingValue {
  /// Changes pass in both directions.
  case both
  /// Changes of the store pass to the remote. The remote's changes stay there; the store never changes because of it.
  case send
  /// Changes of the remote pass to the store. The store's changes stay there; nothing is written to the remote, not even a marker.
  case receive
  /// Changes pass in both directions, but no deletion does: no path disappears from a side that has it.
  case noDelete = "no-delete"

  /// Returns true if a pass may write to `side`.
  func mayChange(_ side: Side) -> Bool {
    switch self {
    case .both, .noDelete: true
    case .send: side == .remote
    case .receive: side == .local
    }
  }
}
