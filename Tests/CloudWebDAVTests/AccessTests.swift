import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Access to a WebDAV server")
struct AccessTests {
  @Test("Digest authentication never sends the password", arguments: [TestServer.Kind.apache, .lighttpd, .wsgidav])
  func digest(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind, ["--auth", "digest"], password: "secret: with a colon") else {
      return
    }
    defer { server.stop() }
    let storage = try server.storage(at: server.folder().url) {
      $0.credentials = .digest(user: server.user, password: server.password)
    }
    try await storage.expectToWork()
  }

  @Test("a wrong password is reported once, as such")
  func wrongPassword() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let storage = try server.storage(at: server.folder().url, password: "wrong")
    await #expect { try await storage.list(since: Known()) } throws: { ($0 as? SyncError)?.code == .unauthorized }
  }

  @Test("TLS requires a trusted authority, and uses HTTP/2 if the server does")
  func tls() async throws {
    guard let server = try await TestServer.own(.apache, ["--tls"]) else { return }
    defer { server.stop() }
    let trusting = try server.storage(at: server.folder().url) { $0.caFile = server.run + "/ca.pem" }
    try await trusting.expectToWork()
    let strict = try server.storage(at: server.folder().url)
    await #expect { try await strict.list(since: Known()) } throws: {
      ($0 as? SyncError)?.message.contains("ca-file") == true
    }
  }

  @Test("a client certificate gives access, and without it the server refuses")
  func clientCertificate() async throws {
    guard let server = try await TestServer.own(.apache, ["--tls", "--client-certs"]) else { return }
    defer { server.stop() }
    let certified = try server.storage(at: server.folder().url) {
      $0.caFile = server.run + "/ca.pem"
      $0.clientCertificate = HTTPClient.ClientCertificate(file: server.run + "/client.pem")
    }
    try await certified.expectToWork()
    let nobody = try server.storage(at: server.folder().url) { $0.caFile = server.run + "/ca.pem" }
    await #expect(throws: SyncError.self) { try await nobody.list(since: Known()) }
  }

  @Test("plain http to a remote host is refused before anything is sent")
  func plainHTTP() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let storage = try server.storage(at: "http://dav.example.org/")
    await #expect { try await storage.list(since: Known()) } throws: { ($0 as? SyncError)?.code == .invalidSettings }
  }
}

extension WebDAVStorage {
  /// Uses every operation once.
  func expectToWork() async throws {
    try await createRoot()
    let path = try SyncPath("folder/a b.org").orThrow("")
    guard case .done(let entry?) = try await write(Content(Array("one\n".utf8)), to: path, if: .absent) else {
      throw TestFailure("the file could not be created")
    }
    let content = Content(Array("two\n".utf8))
    guard case .done(let newer?) = try await write(content, to: path, if: .unchanged(entry.revision)) else {
      throw TestFailure("the file could not be replaced")
    }
    #expect(try await list(since: Known()).entries.map(\.path) == [path])
    #expect(try await text(of: path) == Array("two\n".utf8))
    guard case .done(nil) = try await remove(path, if: .unchanged(newer.revision)) else {
      throw TestFailure("the file could not be removed")
    }
  }
}
