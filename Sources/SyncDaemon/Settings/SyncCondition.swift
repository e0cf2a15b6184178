public import SettingsRegistry

/// A state of this machine in which the service syncs by itself.
public enum SyncCondition: String, Sendable, CaseIterable, SettingValue {
  /// The machine is not running on its battery.
  case mains
  /// The network connection is not metered, as one of a phone is.
  case unmetered
}
