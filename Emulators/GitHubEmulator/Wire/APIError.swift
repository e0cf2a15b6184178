internal import EmulatorWire
internal import SettingsRegistry

/// An error of the API: a status and a message.
struct APIError: Error {
  var status: Int
  var message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  var reply: Reply {
    Reply(
      status: status,
      json: [
        "message": .string(message), "documentation_url": "https://docs.github.com/rest",
        "status": .string("\(status)"),
      ])
  }
}
