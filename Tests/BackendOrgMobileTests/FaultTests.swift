import Foundation
import OrgKit
import SyncKit
import Testing

@testable import BackendOrgMobile
@testable import CipherOrgMobile

/// Staging areas in bad states: partly pushed, maintained by hand, damaged, locked, with the wrong password.
@Suite struct FaultTests {
  private let place: Desktop
  private let phone: Phone

  /// A staging area as left by a push of `files`, and a phone that has synced with it.
  init() async throws {
    place = try Desktop()
    phone = Phone(at: place.staging)
    try push(["a.org": "* A\n", "sub/b c.org": "* B\n", "d.org": "* D\n"])
    #expect(try await phone.sync().result == .synced)
    #expect(await phone.names == ["a.org", "d.org", "sub/b c.org"])
  }

  private func push(_ files: [String: String], checksums: Bool = true, links: [String] = []) throws {
    for (name, text) in files { try place.write(text, to: "staging/" + name) }
    let names = files.keys.sorted() + links
    let index = "#+READONLY\n#+TODO: TODO | DONE\n" + names.map { "* [[file:\($0)][\($0)]]\n" }.joined()
    try place.write(index, to: "staging/index.org")
    var list = ChecksumList()
    list.lines = (files.map { ($0.key, $0.value) } + [("index.org", index)]).map {
      .init(digest: ChecksumList.digest(of: Array($0.1.utf8), digits: 32), name: Array($0.0.utf8))
    }
    if checksums {
      try place.write(list.bytes, to: "staging/checksums.dat")
    } else {
      try? FileManager.default.removeItem(atPath: place.staging + "/checksums.dat")
    }
  }

  private func names() async -> [String] { await phone.names }

  @Test func `without digests, every file is accepted`() async throws {
    try push(["a.org": "* A2\n", "sub/b c.org": "* B\n", "d.org": "* D\n"], checksums: false)
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("a.org") == "* A2\n")
  }

  @Test func `a file that differs from its digest is read three times, then accepted`() async throws {
    try place.write("* A2, the push is still running\n", to: "staging/a.org")
    let remote = try await phone.remote()
    for look in 1...3 {
      let results = try await remote.read([try #require(SyncPath("a.org"))], into: MemorySink(limit: 1 << 20))
      if case .read = results[0] { #expect(look == 3) } else { #expect(look < 3) }
    }
    // Another process counts from the start, and the store keeps its changes.
    _ = try await phone.sync()
    #expect(try await phone.text("a.org") == "* A\n")
  }

  @Test func `a truncated index removes nothing`() async throws {
    for cut in ["", "#+READONLY\n", "#+READONLY\n#+TODO: TODO | DONE\n* [[file:a.org][a.org]]\n* [[fi"] {
      try place.write(cut, to: "staging/index.org")
      _ = try await phone.sync()
      #expect(await names().count == 3, "\(cut)")
    }
    try FileManager.default.removeItem(atPath: place.staging + "/index.org")
    let report = try await phone.sync()
    #expect(report.result == .unreachable && report.failure?.message.contains("push") == true)
    try FileManager.default.removeItem(atPath: place.staging + "/checksums.dat")
    #expect(try await phone.sync().result == .held)
    #expect(await names().count == 3)
  }

  @Test func `a file that the index lists but the staging area lacks is reported and removes nothing`() async throws {
    try FileManager.default.removeItem(atPath: place.staging + "/a.org")
    try place.write("* D2\n", to: "staging/d.org")
    try push(["d.org": "* D2\n", "sub/b c.org": "* B\n"], links: ["a.org", "new.org"])
    let report = try await phone.sync()
    #expect(report.result == .failed && report.counts.failed == 2)
    #expect(try await phone.text("a.org") == "* A\n")
    #expect(try await phone.text("d.org") == "* D2\n")
  }

  @Test func `a file that the index no longer lists is removed, also if it is still in the staging area`() async throws
  {
    try push(["d.org": "* D\n", "sub/b c.org": "* B\n"])
    #expect(try await phone.sync().counts.removed == 1)
    #expect(await names() == ["d.org", "sub/b c.org"])
    #expect(place.read("staging/a.org") == "* A\n")
  }

  @Test func `names that lead outside the staging area are ignored`() async throws {
    try place.write("* Secret\n", to: "outside.org")
    let links = ["../outside.org", "/etc/passwd", "sub/../../outside.org", ".", "sub//x.org", "mobileorg.org"]
    try push(["a.org": "* A\n", "d.org": "* D\n", "sub/b c.org": "* B\n", "per%41 [x] ü.org": "* P\n"], links: links)
    #expect(try await phone.sync().result == .synced)
    #expect(await names() == ["a.org", "d.org", "per%41 [x] ü.org", "sub/b c.org"])
  }

  @Test func `edits wait while Emacs has the capture file open`() async throws {
    let lock = place.staging + "/.#mobileorg.org"
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "ann@host.1:2")
    try await phone.edit("a.org") { try $0[$0.place("A")].setKeyword("TODO") }
    let report = try await phone.sync()
    #expect(
      report.result == .waiting
        && report.actions.contains { $0.detail.contains("Emacs has unsaved changes in mobileorg.org") })
    #expect(place.read("staging/mobileorg.org") == nil)
    try FileManager.default.removeItem(atPath: lock)
    try await phone.sync()
    #expect(place.read("staging/mobileorg.org")?.contains("F(edit:todo) [[olp:a.org:A][A]]") == true)
  }

  @Test func `changes that org-mobile cannot carry are reported and kept`() async throws {
    try await phone.write("picture", to: "picture.png")
    try await phone.write("* Mine\n", to: "agendas.org")
    try await phone.write("* [#A] A\n", to: "a.org")
    let report = try await phone.sync()
    #expect(report.result == .failed && report.counts.failed == 2 && report.counts.waiting == 1)
    #expect(
      report.actions.contains { $0.path.description == "agendas.org" && $0.detail.contains("org-mobile reserves") })
    #expect(place.read("staging/agendas.org") == nil && place.read("staging/picture.png") == nil)
    #expect(place.read("staging/mobileorg.org")?.contains("F(edit:priority)") == true)
  }

  /// Random bytes of whole blocks that the password decrypts to some text, as happens once in 256 times.
  private static func decryptable(_ password: String) async throws -> [UInt8] {
    let cipher = SaltedCipher(password: Array(password.utf8), random: Runtime.real.random)
    return try cipher.seal([0xFF, 0xFE, 0x00, 0x80] + Array("* Note\n".utf8), salt: Runtime.real.random(8))
  }

  @Test(arguments: [true, false])
  func `a capture file that does not decrypt to text is neither applied nor changed`(isDesktop: Bool) async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: "right")
    try await desk.write("* A\n", to: "a.org")
    try await desk.sync()
    let phone = Phone(at: place.staging, password: "right")
    try await phone.sync()
    let sealed = try await Self.decryptable("right")
    try Data(sealed).write(to: URL(filePath: place.staging + "/mobileorg.org"))
    let device = isDesktop ? desk : phone
    try await device.write("* TODO A\n", to: "a.org")
    for _ in 0..<2 {
      let report = try await device.sync()
      #expect(report.result == .unauthorized, "\(report)")
      #expect(place.bytes("staging/mobileorg.org") == sealed)
    }
    // The next pass continues once the file is gone.
    try place.write("", to: "staging/mobileorg.org")
    #expect(try await device.sync().result == (isDesktop ? .synced : .waiting))
  }

  @Test func `a staged file that does not decrypt to text is not overwritten`() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: "right")
    try await desk.write("* A\n", to: "inbox.org")
    try await desk.sync()
    let sealed = try await Self.decryptable("right")
    try Data(sealed).write(to: URL(filePath: place.staging + "/inbox.org"))
    let cipher = SaltedCipher(password: Array("right".utf8), random: Runtime.real.random)
    let capture = try cipher.seal(Array("* Captured\n".utf8), salt: Runtime.real.random(8))
    try Data(capture).write(to: URL(filePath: place.staging + "/mobileorg.org"))
    #expect(try await desk.sync().result == .unauthorized)
    #expect(place.bytes("staging/inbox.org") == sealed && place.bytes("staging/mobileorg.org") == capture)
    #expect(try await desk.text("inbox.org") == "* A\n")
  }

  @Test func `with a wrong or missing password, nothing changes`() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: "right")
    try await desk.write("* A\n", to: "a.org")
    try await desk.sync()
    let before = try FileManager.default.subpathsOfDirectory(atPath: place.staging).sorted()
    let index = place.bytes("staging/index.org")
    for password in ["wrong", nil] as [String?] {
      let phone = Phone(at: place.staging, password: password)
      try await phone.write("* Mine\n", to: "inbox.org")
      let report = try await phone.sync()
      #expect(report.result == .unauthorized, "\(report)")
      #expect(await phone.names == ["inbox.org"])
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.staging).sorted() == before)
    #expect(place.bytes("staging/index.org") == index)
  }

  @Test func `an encrypted file with a flipped bit is not accepted as the user's text`() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: "right")
    try await desk.write("* A\n" + String(repeating: "text\n", count: 40), to: "a.org")
    try await desk.sync()
    var bytes = try #require(place.bytes("staging/a.org"))
    bytes[40] ^= 1
    try place.write(bytes, to: "staging/a.org")
    let phone = Phone(at: place.staging, password: "right")
    let remote = try await phone.remote()
    for look in 1...4 {
      switch try await remote.read([try #require(SyncPath("a.org"))], into: MemorySink(limit: 1 << 20))[0] {
      case .postponed: #expect(look < 3)
      case .failed(let error): #expect(look >= 3 && error.message.contains("another password"))
      default: Issue.record("it was read")
      }
    }
  }

  @Test func `an unencrypted capture file in an encrypted staging area is left unchanged`() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop, password: "right")
    try await desk.write("* A\n", to: "a.org")
    try await desk.sync()
    try place.write("* Somebody's note\n", to: "staging/mobileorg.org")
    for device in [desk, Phone(at: place.staging, password: "right")] {
      try await device.write("* Mine\n", to: "inbox.org")
      let report = try await device.sync()
      #expect(report.result == .failed && report.failure?.message.contains("not encrypted") != false, "\(report)")
    }
    #expect(place.read("staging/mobileorg.org") == "* Somebody's note\n")
  }
}
