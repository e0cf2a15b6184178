import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The hub with TLS, with real certificates.
@Suite("The hub with TLS", .serialized) struct HubEncryptionTests {
  @Test("other machines reach it over TLS by the names in the settings, and nothing is answered without TLS")
  func encrypted() async throws {
    let certificates = try await Certificates()
    defer { certificates.remove() }
    try await certificates.make("hub")
    let program = try HubProgram(
      ["a.org": "* TODO One\n"], hub: certificates.settings("hub", listen: "\"0.0.0.0:0\""),
      authority: certificates.authority)
    let started = try await program.service()
    #expect(started.url.hasPrefix("https://hub.test:"))
    let port = started.url.split(separator: ":").last ?? ""
    let hub = ServedHub(program: program, running: started.running, url: "https://127.0.0.1:\(port)")
    let named = [HTTPHeader("Host", "hub.test:\(port)")]
    #expect(try await hub.send("GET", "/health", headers: named).status == 200)
    #expect(try await hub.send("GET", "/health", headers: [HTTPHeader("Host", "0.0.0.0:\(port)")]).status == 421)
    let link = try await program.succeed("pair", "--name", "phone").trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(link.hasPrefix("https://hub.test:\(port)/pair#"), "\(link)")
    let code = link.split(separator: "#").last ?? ""
    let paired = try await program.client.send(
      HTTPRequest(
        "POST", hub.url + "/api/v1/pair",
        headers: named + [
          HTTPHeader("Origin", "https://hub.test:\(port)"), HTTPHeader("Content-Type", "application/json"),
        ],
        body: HTTPBytes(#"{"code": "\#(code)"}"#)))
    #expect(paired.status == 200)
    let cookie = try #require(paired.header("Set-Cookie"))
    _ = try await paired.bytes()
    #expect(cookie.hasPrefix("__Host-syncd=") && cookie.contains("; Secure"), "\(cookie)")

    let plain = ServedHub(program: program, running: started.running, url: "http://127.0.0.1:\(port)")
    await #expect(throws: (any Error).self) { _ = try await plain.send("GET", "/health") }
    let answer = try await hub.batch(
      1, client: "client-1", #"{"op": "add", "fields": {"title": {"new": "Milk"}}}"#,
      token: try await program.token("tablet"))
    #expect(answer.status == 200 && program.text("org/inbox.org").hasPrefix("* Milk\n"), "\(answer)")
    #expect(try await hub.stop().status == 0)
  }

  @Test("a certificate that is valid for thousands of years is used")
  func endless() async throws {
    let certificates = try await Certificates()
    defer { certificates.remove() }
    try await certificates.make("endless", days: 2_900_000)
    let program = try HubProgram(
      remote: false, hub: certificates.settings("endless"), authority: certificates.authority)
    let hub = try await program.service()
    #expect(try await hub.send("GET", "/health").status == 200)
    #expect(try await hub.stop().status == 0)
  }

  @Test("a client that checks refuses an expired certificate and one for another name; the log names an expired one")
  func invalid() async throws {
    let certificates = try await Certificates()
    defer { certificates.remove() }
    try await certificates.make("expired", days: -1)
    try await certificates.make("other", names: "DNS:other.test")
    for name in ["expired", "other"] {
      let program = try HubProgram(remote: false, hub: certificates.settings(name), authority: certificates.authority)
      let hub = try await program.service()
      await #expect(throws: (any Error).self) { _ = try await hub.send("GET", "/health") }
      #expect(hub.running.errors.contains("expired.pem expired on ") == (name == "expired"), "\(hub.running.errors)")
      #expect(try await hub.stop().status == 0)
    }
  }

  @Test("a renewed certificate is used without a restart, and an unusable one is not")
  func renewed() async throws {
    let certificates = try await Certificates()
    defer { certificates.remove() }
    try await certificates.make("hub", days: -1)
    try await certificates.make("next")
    try await certificates.make("unrelated")
    let program = try HubProgram(remote: false, hub: certificates.settings("hub"), authority: certificates.authority)
    let hub = try await program.service()
    await #expect(throws: (any Error).self) { _ = try await hub.send("GET", "/health") }
    try certificates.replace("hub", by: "next")
    try await hub.running.logs("the hub uses the renewed certificate")
    #expect(try await hub.send("GET", "/health").status == 200)
    // A key of another certificate.
    try FileManager.default.removeItem(atPath: certificates.folder + "/hub.key")
    try FileManager.default.copyItem(
      atPath: certificates.folder + "/unrelated.key", toPath: certificates.folder + "/hub.key")
    try await hub.running.logs("the hub continues with the former certificate")
    #expect(try await hub.send("GET", "/health").status == 200)
    #expect(try await hub.stop().status == 0)
  }

  @Test("files that are missing or do not belong together are refused with the reason")
  func files() async throws {
    let certificates = try await Certificates()
    defer { certificates.remove() }
    try await certificates.make("hub")
    try await certificates.make("other")
    for (key, reason) in [("missing", "missing.key"), ("other", "belong together"), ("ca", "belong together")] {
      let settings = certificates.settings("hub").replacing("hub.key", with: "\(key).key")
      let program = try HubProgram(remote: false, hub: settings)
      let outcome = try await program.command("serve").finish()
      #expect(outcome.status == 8 && outcome.err.contains(reason), "\(key): \(outcome.story)")
    }
  }

  @Test("an address for other machines needs TLS or the name of a proxy, in settings and options")
  func open() async throws {
    let program = try HubProgram(remote: false, hub: "listen = \"0.0.0.0:0\"")
    let refused = try await program.command([]).finish()
    #expect(
      refused.status == 8 && refused.err.contains("[hub.tls]") && refused.err.contains("behind"), "\(refused.story)")
    let behind = try HubProgram(remote: false, hub: "behind = [\"10.0.0.2\"]\nhosts = [\"hub.test\"]")
    let running = try behind.command("serve", "--listen", "0.0.0.0:0").start()
    let link = try await running.prints(/serving at (\S+)\//)
    #expect(link == "https://hub.test")
    running.kill(SIGTERM)
    #expect(try await running.ended().status == 0)
  }
}
