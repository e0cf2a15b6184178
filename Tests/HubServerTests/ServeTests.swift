import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The real program, with clients by HTTP.
@Suite("syncd serve", .serialized) struct ServeTests {
  @Test("it prints a link that pairs a browser, serves the client, syncs, and ends with its streams open")
  func flow() async throws {
    let program = try HubProgram(["a.org": "* TODO One\n"])
    let hub = try await program.serve()
    for _ in 0..<90_000 where !hub.running.text.contains("/pair#") { try await Task.sleep(for: .milliseconds(10)) }
    let code = try #require(hub.running.text.firstMatch(of: /\/pair#([a-z2-7]+)/)?.1)
    let paired = try await program.client.send(
      HTTPRequest(
        "POST", hub.url + "/api/v1/pair",
        headers: [HTTPHeader("Origin", hub.url), HTTPHeader("Content-Type", "application/json")],
        body: HTTPBytes(#"{"code": "\#(code)", "name": "browser"}"#)))
    #expect(paired.status == 200)
    let cookie = try #require(paired.header("Set-Cookie")).prefix { $0 != ";" }
    _ = try await paired.bytes()
    let headers = [HTTPHeader("Cookie", String(cookie)), HTTPHeader("Origin", hub.url)]
    let session = try await hub.send("GET", "/api/v1/session", headers: headers)
    #expect(session.status == 200 && session.json["device"]?["name"] == "browser", "\(session)")
    #expect(try await hub.send("GET", "/api/v1/session").status == 401)
    #expect(try await hub.send("GET", "/health").status == 200)
    let shell = try await program.client.send(HTTPRequest("GET", hub.url + "/"))
    #expect(shell.status == 200 && shell.header("Content-Security-Policy")?.contains("trusted-types own") ?? false)
    _ = try await shell.bytes()
    let forged = try await hub.send("GET", "/health", headers: [HTTPHeader("Host", "evil.example")])
    #expect(forged.status == 421)

    let stream = try await program.client.send(
      HTTPRequest("GET", hub.url + "/api/v1/events", headers: headers))
    var heard = ""
    let added = try await hub.send("POST", "/api/v1/capture", #"{"text": "Milk"}"#, headers: headers)
    #expect(added.status == 200, "\(added)")
    while !heard.contains("event: batch"), let chunk = try await stream.next() {
      heard += String(decoding: chunk, as: UTF8.self)
    }
    #expect(heard.contains("retry: 2000") && heard.contains("event: hello"), "\(heard)")
    for _ in 0..<90_000 where !program.text("home/inbox.org").contains("* Milk") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(program.text("home/inbox.org").contains("* Milk"))
    let log = try await program.succeed("log")
    #expect(log.contains("inbox.org: edited by browser"), "\(log)")
    let outcome = try await hub.stop()
    #expect(outcome.status == 0, "\(outcome.story)")
  }

  @Test("the hub yields the store to commands, and a batch is undone by syncd undo")
  func undo() async throws {
    let program = try HubProgram(["a.org": "* TODO One\n"])
    let hub = try await program.serve()
    let token = try await program.token("phone")
    let items = try await hub.send("GET", "/api/v1/items", token: token)
    guard case .array(let list)? = items.json["items"], let id = try list.first?["id"].string else {
      Issue.record("\(items)")
      return
    }
    let patch = #"{"op": "edit", "id": "\#(id)", "fields": {"title": {"old": "One", "new": "Two"}}}"#
    let answer = try await hub.batch(1, client: "client-1", patch, token: token)
    guard case .integer(let pass)? = answer.json["pass"] else {
      Issue.record("\(answer)")
      return
    }
    #expect(program.text("org/a.org") == "* TODO Two\n")
    try await program.succeed("todo", "set", "DONE", "a.org::Two")
    #expect(program.text("org/a.org").hasPrefix("* DONE Two\n"))
    try await program.succeed("undo", "last")
    try await program.succeed("undo", "\(pass)")
    #expect(program.text("org/a.org") == "* TODO One\n")
    try await hub.stop()
  }

  @Test("the history of an entry has its versions under whichever title, with device and text")
  func history() async throws {
    let program = try HubProgram(["a.org": "* Other\n* TODO One\nFirst text.\n"])
    try await program.succeed("--once")
    // A pass that runs during an edit would stand after it, with the version that it sends.
    try await program.succeed("pause")
    let hub = try await program.serve()
    let token = try await program.token("phone")
    func entry() async throws -> (id: String, json: JSON) {
      let list = try await hub.send("GET", "/api/v1/items?q=text", token: token).json
      guard case .array(let items)? = list["items"], let item = items.first else { throw TestFailure(list.line) }
      return (try item["id"].string, item)
    }
    let id = try await entry().id
    let text = #"{"op": "edit", "id": "\#(id)", "fields": {"body": {"old": "First text.", "new": "Second text."}}}"#
    #expect(try await hub.batch(1, client: "client-1", text, token: token).status == 200)
    let title = #"{"op": "edit", "id": "\#(id)", "fields": {"title": {"old": "One", "new": "Renamed"}}}"#
    #expect(try await hub.batch(2, client: "client-1", title, token: token).status == 200)
    let answer = try await hub.send("GET", "/api/v1/items/\(entry().id)/history", token: token).json
    guard case .array(let versions)? = answer["versions"] else { throw TestFailure(answer.line) }
    #expect(versions.map { $0["item"]?["title"] } == ["Renamed", "One", "One"], "\(answer.line)")
    #expect(versions.map { $0["item"]?["body"] } == ["Second text.", "Second text.", "First text."])
    #expect(versions.map { $0["change"] } == ["changed", "changed", "added"])
    #expect(versions.prefix(2).map { $0["cause"] } == ["edited by phone", "edited by phone"], "\(answer.line)")
    try await hub.stop()
  }

  @Test("devices are listed and revoked by commands")
  func devices() async throws {
    let program = try HubProgram(["a.org": "* One\n"], remote: false)
    let hub = try await program.serve()
    let token = try await program.token("phone")
    #expect(try await hub.send("GET", "/api/v1/tags", token: token).status == 200)
    #expect(try await program.succeed("devices").contains("phone"))
    #expect(try await program.succeed("pair", "--json").contains(hub.url + "/pair#"))
    try await program.succeed("devices", "revoke", "phone")
    let answer = try await hub.send("GET", "/api/v1/tags", token: token)
    #expect(answer.status == 401 && answer.json["type"] == "/problems/revoked")
    #expect(try await program.command("devices", "revoke", "phone").finish().status == 4)
    try await hub.stop()
  }

  @Test("the open stream of a device ends when a command revokes it, and not only at the next comment")
  func revokedStream() async throws {
    let program = try HubProgram(remote: false)
    let hub = try await program.serve()
    let stream = try await hub.stream(token: program.token("phone"))
    var text = ""
    while !text.contains("event: hello"), let bytes = try await stream.next() {
      text += String(decoding: bytes, as: UTF8.self)
    }
    try await program.succeed("devices", "revoke", "phone")
    // A stream gets a comment every 20 seconds; three of them mean that nothing ends it.
    var rest = ""
    while rest.ranges(of: ":\n\n").count < 3, let bytes = try await stream.next() {
      rest += String(decoding: bytes, as: UTF8.self)
    }
    #expect(rest.contains("event: device\n"), "\(text)\(rest)")
    #expect(try await stream.next() == nil)
    try await hub.stop()
  }

  @Test("a hub that starts forgets devices that never came back")
  func tidied() async throws {
    let program = try HubProgram(remote: false)
    try FileManager.default.createDirectory(
      atPath: program.root + "/state", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database = try HubDatabase(in: program.root + "/state")
    _ = try database.add("forgotten", .all, from: "", at: Timestamp(seconds: 1_500_000_000))
    let hub = try await program.serve()
    for _ in 0..<90_000 where try !database.devices().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try database.devices().isEmpty)
    try await hub.stop()
  }

  @Test("an address that other computers can reach, and a port in use, are refused with the reason")
  func addresses() async throws {
    let program = try HubProgram(remote: false)
    let outcome = try await program.command("serve", "--listen", "0.0.0.0:8484").finish()
    #expect(outcome.status == 8 && outcome.err.contains("loopback"), "\(outcome.story)")
    let hub = try await program.serve()
    let other = try HubProgram(remote: false)
    let taken = try await other.command("serve", "--listen", String(hub.url.dropFirst("http://".count))).finish()
    #expect(taken.status == 9 && taken.err.contains("another program uses that port"), "\(taken.story)")
    #expect(taken.err.contains("--listen") && !taken.err.contains("systemctl"), "\(taken.story)")
    // An address for documentation, which no machine has.
    let foreign = try await other.command("serve", "--listen", "192.0.2.1:8484", "--host", "x").finish()
    #expect(foreign.status == 8 && foreign.err.contains("192.0.2.1"), "\(foreign.story)")
    try await hub.stop()
  }

  @Test("a request that is too large is refused with the reason, and the hub goes on")
  func large() async throws {
    let program = try HubProgram(remote: false)
    let hub = try await program.serve()
    let token = try await program.token("phone")
    let large = String(repeating: " ", count: 2 << 20)
    #expect(try await hub.send("POST", "/api/v1/batches", large, token: token).status == 413)
    let header = HTTPHeader("X-Large", String(repeating: "x", count: 20 << 10))
    let refused = try? await hub.send("GET", "/health", headers: [header])
    #expect(refused == nil || refused?.status != 200)
    #expect(try await hub.send("GET", "/health").status == 200)
    try await hub.stop()
  }
}
