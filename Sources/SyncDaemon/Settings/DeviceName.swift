public import SyncKit

/// The name of a device in the settings: letters, digits, hyphens and underscores.
public struct DeviceName: TextSettingValue, Hashable {
  /// The name.
  public let text: String

  public init?(text: String) {
    guard text == Device.name(from: text) else { return nil }
    self.text = text
  }

  public static var form: SettingForm {
    SettingForm(
      "a name of up to \(Device.longestName) letters, digits, hyphens and underscores, such as \"laptop\"",
      schema: [
        "type": "string",
        "pattern": .string("^[A-Za-z0-9]([A-Za-z0-9_-]{0,\(Device.longestName - 2)}[A-Za-z0-9])?$"),
      ])
  }
}
