import QRCodes
import SyncKit
import Testing

@testable import Hub

@Suite("Pairing by a paired device")
struct PairingTests {
  private func code(_ answer: JSON) throws -> String {
    let link = try answer["link"].string
    return String(try #require(link.split(separator: "#").last))
  }

  private func pair(_ folder: HubFolder, _ code: String) async -> (status: Int, json: JSON, response: HubResponse) {
    await folder.send("POST", "/api/v1/pair", #"{"code": "\#(code)", "name": "Chrome on Android"}"#)
  }

  @Test(
    "a device gets a link with its QR code, which pairs one device once, with the name and scope that were asked for")
  func link() async throws {
    let folder = try HubFolder()
    let phone = try folder.device()
    #expect(await phone.send("POST", "/pairings", "{}").status == 503)
    try folder.database.remember(address: "https://hub.example.org:8484")
    let answer = await phone.send("POST", "/pairings", #"{"name": "tablet", "scope": "read"}"#)
    #expect(answer.status == 200 && answer.json["seconds"] == 300, "\(answer.json)")
    let link = try answer.json["link"].string
    #expect(link.hasPrefix("https://hub.example.org:8484/pair#"))
    let rows = try #require(QRCode(Array(link.utf8))).rows
    #expect(answer.json["qr"] == .array(rows.map(JSON.string)))
    let paired = await pair(folder, try code(answer.json))
    #expect(paired.status == 200 && paired.json["device"]?["name"] == "tablet", "\(paired.json)")
    #expect(paired.json["device"]?["scope"] == "read")
    #expect(await pair(folder, try code(answer.json)).status == 403)
  }

  @Test("each open stream gets an event when another device is paired")
  func announcement() async throws {
    let folder = try HubFolder()
    try folder.database.remember(address: "http://\(HubFolder.host)")
    let phone = try folder.device()
    let subscription = try folder.hub.subscribe(phone.device)
    #expect(await pair(folder, try code(await phone.send("POST", "/pairings", "{}").json)).status == 200)
    folder.hub.endStreams()
    var names: [String] = []
    for await event in subscription.events { names.append(event.name) }
    #expect(names == ["hello", "device"])
  }

  @Test("a code that a device made ends with the device, and those of others stay valid")
  func revokedMaker() async throws {
    let folder = try HubFolder()
    try folder.database.remember(address: "http://\(HubFolder.host)")
    let (lost, kept) = (try folder.device("lost"), try folder.device("kept"))
    let first = try code(await lost.send("POST", "/pairings", "{}").json)
    let second = try code(await kept.send("POST", "/pairings", "{}").json)
    let third = try folder.database.pairingCode(named: nil, .all)
    _ = try folder.database.revoke("lost")
    #expect(await pair(folder, first).status == 403)
    #expect(await pair(folder, second).status == 200)
    #expect(await pair(folder, third).status == 200)
  }

  @Test("a device that may not do everything cannot pair another one, and an unknown scope is refused")
  func refused() async throws {
    let folder = try HubFolder()
    try folder.database.remember(address: "http://\(HubFolder.host)")
    for scope in [Scope.read, .capture] {
      #expect(await (try folder.device("limited", scope)).send("POST", "/pairings", "{}").status == 403)
    }
    let phone = try folder.device()
    #expect(await phone.send("POST", "/pairings", #"{"scope": "everything"}"#).status == 422)
    #expect(await phone.send("POST", "/pairings", #"{"to": "x"}"#).status == 422)
  }
}
