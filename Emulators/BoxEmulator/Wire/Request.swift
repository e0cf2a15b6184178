internal import EmulatorWire

/// A call of the API, with its path in parts.
struct Request {
  let call: Call
  /// The parts of the path below `/2.0`, or below `/api/2.0` for uploads.
  let parts: [String]
  /// The method and path with `:id` for ids, as in Box's reference.
  let route: String

  /// Returns nil for a path outside the API.
  init?(_ call: Call) {
    var parts = call.path.split(separator: "/").map(String.init)
    if parts.first == "api" { parts.removeFirst() }
    guard parts.first == "2.0" else { return nil }
    parts.removeFirst()
    self.call = call
    self.parts = parts
    let names = parts.map { Self.isID($0) ? ":id" : $0 }
    route = "\(call.method) /\(names.joined(separator: "/"))"
  }

  private static func isID(_ part: String) -> Bool {
    part.allSatisfy(\.isNumber) || part.count == 32 && part.allSatisfy(\.isHexDigit)
  }

  /// The only id in the path.
  var id: String { parts.first(where: Self.isID) ?? "" }
  /// The address that the client uses.
  var address: String { "http://\(call.headers["host"] ?? "")" }

  func query(_ name: String) -> String? { call.query[name] }

  func body<Body: Decodable>(_ type: Body.Type = Body.self) throws(APIError) -> Body {
    do { return try Call.decode(call.body, from: "request body") } catch { throw APIError(400, "bad_request") }
  }

  /// Throws unless the header `If-Match` is missing or names the item's version.
  func checkMatch(_ item: Item) throws(APIError) {
    guard let etag = call.headers["if-match"] else { return }
    guard etag.filter({ $0 != "\"" }) == item.etag else { throw APIError(412, "precondition_failed") }
  }
}
