import QRCodes
import SyncKit

extension HubRoute {
  /// The route by which a paired device lets another one in.
  static let pairing: [HubRoute] = [
    HubRoute(
      method: "POST", path: "/pairings", scope: .all,
      summary: "Make a link that pairs another device, once and within 5 minutes, as `syncd pair` does"
    ) { hub, call in
      let (name, scope) = try asked(call.request.body)
      guard let address = try hub.database.address() else {
        throw Problem(503, "store", "The hub does not know its address yet. Try again.")
      }
      let code = try hub.database.pairingCode(named: name, scope, by: call.device.id)
      let link = PairingLink.text(address, code)
      return HubResponse([
        "link": .string(link), "seconds": .integer(Int(HubDatabase.codeLifetime)),
        "qr": .array((QRCode(Array(link.utf8))?.rows ?? []).map(JSON.string)),
      ])
    }
  ]

  /// Reads `{"name": "tablet", "scope": "read"}`. Both may be missing.
  private static func asked(_ body: [UInt8]) throws -> (name: String?, scope: Scope) {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let (name, word) = (reader.text("name", limit: 100), reader.text("scope") ?? Scope.all.rawValue)
    reader.refuseOthers()
    let scope = Scope(rawValue: word)
    if scope == nil { reader.mistake("scope", "Write all, read or capture.") }
    guard reader.mistakes.isEmpty, let scope else { throw Problem.invalid(reader.mistakes) }
    return (name.flatMap { $0.isEmpty ? nil : $0 }, scope)
  }
}
