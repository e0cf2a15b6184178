internal import EmulatorWire

extension Call {
  /// The called route of the API; nil if the path is not one.
  var route: String? { path.hasPrefix("/2/") ? String(path.dropFirst(3)) : nil }

  /// The argument of a route whose body is JSON.
  func argument<Argument: Decodable>(_ type: Argument.Type = Argument.self) throws(BadInput) -> Argument {
    let isJSON = (headers["content-type"] ?? "").hasPrefix("application/json")
    guard isJSON || body.isEmpty else { throw BadInput("Bad HTTP \"Content-Type\" header") }
    return try Self.decode(body.isEmpty ? Array("null".utf8) : body, from: "request body")
  }

  /// The argument of a route whose body is a content.
  func headerArgument<Argument: Decodable>(_ type: Argument.Type = Argument.self) throws(BadInput) -> Argument {
    guard let text = headers["dropbox-api-arg"] else { throw BadInput("Must provide HTTP header \"Dropbox-API-Arg\"") }
    return try Self.decode(Array(text.utf8), from: "HTTP header \"Dropbox-API-Arg\"")
  }
}

extension BadInput {
  /// Sent as plain text with status 400.
  var reply: Reply { Reply(status: 400, text: "Error in call to API function: \(message)") }
}
