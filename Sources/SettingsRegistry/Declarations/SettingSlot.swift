import Synchronization

/// Holds what was read for a setting: filled once, while its settings are read, and the same for all copies of them.
final class SettingSlot<Value: Sendable>: Sendable {
  /// What was read, and where.
  final class Content: Sendable {
    let value: Value
    let origin: SettingOrigin

    init(_ value: Value, from origin: SettingOrigin) {
      self.value = value
      self.origin = origin
    }
  }

  private let reference = AtomicLazyReference<Content>()

  /// What was read; nil before.
  var content: Content? { reference.load() }

  /// Keeps `value` unless the slot is already filled.
  func fill(_ value: Value, from origin: SettingOrigin) {
    _ = reference.storeIfNil(Content(value, from: origin))
  }
}
