import Foundation
import ProgramTesting
import SyncDaemon
import SyncKit
import Testing

@testable import Hub

/// Who may come in, and which requests are refused before they reach the store.
@Suite("Access to the hub") struct AccessTests {
  @Test("every route refuses a request without a session, and answers a paired device", arguments: HubRoute.all)
  func routes(route: HubRoute) async throws {
    let folder = try HubFolder(["a.org": "* TODO One\n"])
    let device = try folder.device()
    let path = try await filled(route.path, device)
    let body = route.method == "POST" ? "{}" : nil
    let without = await folder.send(route.method, HubRoute.prefix + path, body)
    #expect(without.status == 401 && without.json["type"] == "/problems/pair")
    let answer = await device.send(route.method, path, body)
    let expected = [
      "POST /batches": 422, "POST /capture": 422, "POST /sync": 202, "POST /holds/{id}/allow": 404,
      "POST /holds/{id}/deny": 404, "POST /conflicts/resolve": 422, "POST /push": 422, "POST /push/test": 409,
      "POST /alerts/{date}/snooze": 422, "POST /alerts/over": 422, "POST /review": 422, "POST /read": 422,
      "POST /pairings": 503,
    ]
    #expect(answer.status == expected["\(route.method) \(route.path)"] ?? 200, "\(answer.json.line)")
    #expect(answer.response.fields.contains { $0.name == "Content-Security-Policy" })
    if case .events(let subscription) = answer.response.body { subscription.end() }
  }

  private func filled(_ path: String, _ device: TestDevice) async throws -> String {
    switch path {
    case "/items/{id}", "/items/{id}/history": path.replacing("{id}", with: try await device.id("One"))
    case "/conflicts/changes": path + "?path=a.org&remote=disk&pass=1"
    case "/passes/{number}/undo": path.replacing("{number}", with: "1")
    case "/devices/{id}": path.replacing("{id}", with: try device.folder.device("other").device.id)
    default: path.replacing("{id}", with: ItemID.file("a.org"))
    }
  }

  @Test("the document of the API names every route")
  func document() async throws {
    let device = try HubFolder().device()
    let document = await device.send("GET", "/openapi.json").json
    for route in HubRoute.all {
      #expect(document["paths"]?[HubRoute.prefix + route.path]?[route.method.lowercased()] != nil, "\(route.path)")
    }
  }

  @Test("without a session there are the shell and the health, and nothing else")
  func outside() async throws {
    let folder = try HubFolder(["a.org": "* One\n"])
    for path in ["/", "/pair", "/index.html"] { #expect(await folder.send("GET", path).status == 200) }
    #expect(await folder.send("GET", "/health").json == ["status": "ok"])
    #expect(await folder.send("GET", "/", fields: ["if-none-match": "\"1\""]).status == 304)
    for path in ["/a.org", "/state/hub.sqlite", "/../s.toml", "/%2e%2e/s.toml", "/..%2fs.toml", "/x%00"] {
      #expect(await folder.send("GET", path).status == 404, "\(path)")
    }
    #expect(await folder.send("GET", "/api/v1/nothing").status == 401)
    #expect(await (try folder.device()).send("GET", "/nothing").status == 404)
    #expect(await (try folder.device()).send("GET", "/items/..").status == 404)
  }

  @Test("another host name, another site, and another type of body are refused")
  func forged() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    let name = await device.send("GET", "/tags", fields: ["host": "evil.example"])
    #expect(name.status == 421 && name.json["type"] == "/problems/host")
    #expect(await folder.send("GET", "/health", fields: ["host": "evil.example:8484"]).status == 421)
    for host in ["localhost:8484", "[::1]:8484", "127.0.0.1"] {
      #expect(await folder.send("GET", "/health", fields: ["host": host]).status == 200)
    }
    #expect(await device.send("POST", "/sync", "{}", fields: ["origin": "http://evil.example"]).status == 403)
    #expect(await device.send("POST", "/sync", "{}", fields: ["origin": ""]).status == 403)
    #expect(
      await device.send("POST", "/sync", "{}", fields: ["sec-fetch-site": "cross-site"]).status == 403)
    #expect(
      await device.send("POST", "/sync", "{}", fields: ["origin": "", "sec-fetch-site": "same-origin"]).status == 202)
    #expect(await device.send("POST", "/sync", "{}", fields: ["content-type": "text/plain"]).status == 415)
    #expect(await device.send("GET", "/sync").status == 405)
    let large = String(repeating: "x", count: RequestLimits.body + 1)
    #expect(await device.send("POST", "/capture", large).status == 413)
    #expect(await device.send("POST", "/capture", "{").status == 400)
  }

  @Test("with TLS, the names in the settings are known, pages over plain HTTP are not, and the cookie is for TLS only")
  func encrypted() async throws {
    let folder = try HubFolder(network: HubNetwork(hosts: ["hub.example.org"], isEncrypted: true))
    let code = try folder.database.pairingCode(named: "phone", .all)
    let body = #"{"code": "\#(code)"}"#
    let host = ["host": "hub.example.org:8484"]
    let plain = host.merging(["origin": "http://hub.example.org:8484"]) { $1 }
    let secure = host.merging(["origin": "https://hub.example.org:8484"]) { $1 }
    #expect(await folder.send("POST", "/api/v1/pair", body, fields: plain).status == 403)
    #expect(await folder.send("POST", "/api/v1/pair", body, fields: ["host": "other.example.org"]).status == 421)
    let answer = await folder.send("POST", "/api/v1/pair", body, fields: secure)
    #expect(answer.status == 200, "\(answer.json.line)")
    let cookie = try #require(answer.response.fields.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie.hasPrefix("__Host-syncd=") && cookie.contains("; Secure") && cookie.contains("; Path=/;"))
    let token = cookie.dropFirst("__Host-syncd=".count).prefix { $0 != ";" }
    let path = "/api/v1/session"
    #expect(
      await folder.send("GET", path, fields: host.merging(["cookie": "__Host-syncd=\(token)"]) { $1 }).status == 200)
    // Another site of the same machine can set a cookie without the prefix.
    #expect(await folder.send("GET", path, fields: host.merging(["cookie": "syncd=\(token)"]) { $1 }).status == 401)
  }

  @Test("behind a proxy, other machines are refused, and failures count for the client that the proxy names")
  func proxied() async throws {
    let folder = try HubFolder(
      network: HubNetwork(hosts: ["hub.example.org"], proxies: [try #require(IPAddress(text: "10.0.0.2"))]),
      isTimeless: true)
    for address in ["10.0.0.3", "", "::ffff:10.0.0.3"] {
      let answer = await folder.send("GET", "/health", from: address)
      #expect(answer.status == 403 && answer.json["type"] == "/problems/proxy", "\(address)")
    }
    for address in ["10.0.0.2", "::ffff:10.0.0.2", "127.0.0.1", "::1"] {
      #expect(await folder.send("GET", "/health", from: address).status == 200, "\(address)")
    }
    func guess(_ forwarded: String, from address: String = "10.0.0.2") async -> Int {
      await folder.send(
        "GET", "/api/v1/tags", fields: ["cookie": "syncd=wrong", "forwarded": forwarded], from: address
      ).status
    }
    for number in 0..<10 {
      #expect(await guess("for=192.0.2.\(number), for=\"192.0.2.60:400\(number)\";proto=https") == 401)
    }
    #expect(await guess("proto=https; for=192.0.2.60") == 429)
    #expect(await guess("for=\"[2001:db8::1]:4711\"") == 401)
    // The field counts only if a proxy has written it.
    for number in 0..<10 { #expect(await guess("for=192.0.2.\(number)", from: "127.0.0.1") == 401) }
    #expect(await guess("for=192.0.2.99", from: "127.0.0.1") == 429)
  }

  @Test("a token of a program needs no origin")
  func bearer() async throws {
    let folder = try HubFolder()
    let device = try folder.device("shortcut", .capture)
    let answer = await folder.send(
      "POST", "/api/v1/capture", #"{"text": "Milk"}"#,
      fields: ["authorization": "Bearer \(device.token)", "origin": ""])
    #expect(answer.status == 200, "\(answer.json.line)")
    #expect(folder.text("inbox.org")?.hasPrefix("* Milk\n[") ?? false)
  }

  @Test("a pairing code lets one device in, once and within five minutes")
  func pairing() async throws {
    let folder = try HubFolder()
    let code = try folder.database.pairingCode(named: nil, .all)
    let body = #"{"code": "\#(code)", "name": "Ann's phone"}"#
    #expect(await folder.send("POST", "/api/v1/pair", body, fields: ["origin": "http://evil.example"]).status == 403)
    let answer = await folder.send("POST", "/api/v1/pair", body)
    #expect(answer.status == 200 && answer.json["device"]?["name"] == "Ann's phone")
    let cookie = try #require(answer.response.fields.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(await folder.send("GET", "/api/v1/session", fields: ["cookie": "a=b; \(pair)"]).status == 200)
    #expect(await folder.send("POST", "/api/v1/pair", body).status == 403)
    let late = try folder.database.pairingCode(named: nil, .all)
    let now = Timestamp(seconds: Runtime.real.now().seconds + 301)
    #expect(try folder.database.pair(late, named: "x", from: "", at: now) == nil)
  }

  @Test("after five wrong codes, no code is taken for a while")
  func guessing() async throws {
    let folder = try HubFolder(isTimeless: true)
    for _ in 0..<5 { #expect(await folder.send("POST", "/api/v1/pair", #"{"code": "wrong"}"#).status == 403) }
    let code = try folder.database.pairingCode(named: nil, .all)
    let answer = await folder.send("POST", "/api/v1/pair", #"{"code": "\#(code)"}"#)
    #expect(answer.status == 429 && answer.response.fields.contains { $0.name == "Retry-After" })
  }

  @Test("wrong secrets are refused, and too many of them for a while")
  func secrets() async throws {
    let folder = try HubFolder(isTimeless: true)
    for _ in 0..<10 {
      #expect(await folder.send("GET", "/api/v1/tags", fields: ["cookie": "syncd=wrong"]).status == 401)
    }
    #expect(await folder.send("GET", "/api/v1/tags", fields: ["cookie": "syncd=wrong"]).status == 429)
  }

  @Test("a revoked device receives the reason, and its stream ends")
  func revoked() async throws {
    let folder = try HubFolder()
    let (phone, other) = (try folder.device(), try folder.device("laptop"))
    guard case .events(let subscription) = await phone.send("GET", "/events").response.body else {
      Issue.record("no stream")
      return
    }
    #expect(await other.send("DELETE", "/devices/\(phone.device.id)").status == 200)
    var events: [String] = []
    for await event in subscription.events { events.append(event.name) }
    #expect(events == ["hello", "device"])
    let answer = await phone.send("GET", "/tags")
    #expect(answer.status == 401 && answer.json["type"] == "/problems/revoked")
    #expect(await other.send("DELETE", "/devices/\(phone.device.id)").status == 404)
    #expect(try folder.database.devices().map(\.name) == ["laptop"])
  }

  @Test("a device that was revoked by a command loses its stream")
  func revokedElsewhere() async throws {
    let folder = try HubFolder()
    let phone = try folder.device()
    guard case .events(let subscription) = await phone.send("GET", "/events").response.body else { return }
    folder.hub.endStreamsRevokedElsewhere()
    #expect(folder.hub.hasStreams)
    _ = try HubDatabase(in: folder.scratch.path + "/state").revoke("phone")
    folder.hub.endStreamsRevokedElsewhere()
    var names: [String] = []
    for await event in subscription.events { names.append(event.name) }
    #expect(names == ["hello", "device"])
  }

  @Test("a device that is revoked while it opens a stream loses it")
  func revokedMeanwhile() async throws {
    let folder = try HubFolder()
    let phone = try folder.device()
    _ = try HubDatabase(in: folder.scratch.path + "/state").revoke("phone")
    // Its session was checked before.
    let subscription = try folder.hub.subscribe(phone.device)
    #expect(!folder.hub.hasStreams)
    var names: [String] = []
    for await event in subscription.events { names.append(event.name) }
    #expect(names == ["hello", "device"])
  }

  @Test("a scope limits what a device may do")
  func scopes() async throws {
    let folder = try HubFolder(["a.org": "* One\n"])
    let (reader, shortcut) = (try folder.device("r", .read), try folder.device("c", .capture))
    #expect(await reader.send("GET", "/items").status == 200)
    #expect(await reader.send("POST", "/capture", #"{"text": "x"}"#).status == 403)
    #expect(await reader.send("GET", "/devices").status == 403)
    #expect(await shortcut.send("GET", "/items").status == 403)
    #expect(await shortcut.send("GET", "/session").status == 200)
    #expect(await shortcut.send("POST", "/batches", "{}").status == 403)
  }

  @Test("more requests of a device than the rate wait, and those of another one pass")
  func rate() async throws {
    let folder = try HubFolder(isTimeless: true)
    let (busy, other) = (try folder.device("busy"), try folder.device("other"))
    for _ in 0..<60 { #expect(await busy.send("GET", "/openapi.json").status == 200) }
    #expect(await busy.send("GET", "/openapi.json").status == 429)
    #expect(await other.send("GET", "/openapi.json").status == 200)
  }

  @Test("a device has four streams at most, and one that does not read is cut off")
  func streams() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    var subscriptions: [EventSubscription] = []
    for _ in 0..<4 {
      guard case .events(let subscription) = await device.send("GET", "/events").response.body else { return }
      subscriptions.append(subscription)
    }
    #expect(await device.send("GET", "/events").status == 429)
    subscriptions[3].end()
    guard case .events(let slow) = await device.send("GET", "/events").response.body else {
      Issue.record("the place of a stream that ended is not free")
      return
    }
    for _ in 0..<100 { folder.hub.announceChange() }
    var count = 0
    for await _ in slow.events { count += 1 }
    #expect(count == 64)
  }

  @Test("an answer that the device has already is not sent again")
  func validators() async throws {
    let device = try HubFolder(["a.org": "* One\n"]).device()
    let first = await device.send("GET", "/items")
    let etag = try #require(first.response.fields.first { $0.name == "ETag" }?.value)
    #expect(await device.send("GET", "/items", fields: ["if-none-match": etag]).status == 304)
    try device.folder.write("* Two\n", to: "a.org")
    #expect(await device.send("GET", "/items", fields: ["if-none-match": etag]).status == 200)
  }
}

extension HubRoute: CustomTestStringConvertible {
  public var testDescription: String { "\(method) \(path)" }
}
