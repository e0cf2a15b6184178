internal import SettingsRegistry

/// The owner of the account.
enum Identity {
  static let id = "12345"
  static let name = "Ada Test"

  static func description(of account: Account) -> JSON {
    [
      "type": "user", "id": .string(id), "name": .string(name), "login": "ada@example.org",
      "space_amount": .integer(account.quota ?? 10 << 30), "space_used": .integer(account.usedBytes),
      "max_upload_size": .integer(5 << 30),
    ]
  }
}
