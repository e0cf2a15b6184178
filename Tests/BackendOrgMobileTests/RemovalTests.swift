import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendOrgMobile

/// A file that is removed from the phone's store: the protocol has commands for entries only.
@Suite(.enabled(if: Desktop.emacs != nil, "*** SKIPPED: Emacs is not installed ***"))
struct RemovalTests {
  private static let file = """
    #+TITLE: Old plans
    * TODO One :a:
    text of one
    ** Below
    * Two

    """
  private let desktop: Desktop

  init() throws {
    desktop = try Desktop(["old.org": Self.file, "work.org": MobileTests.work])
    try desktop.push("--no-ids")
  }

  private func phone(_ removal: OrgMobile.Removal = .archive) async throws -> Phone {
    let phone = Phone(at: desktop.staging, removal: removal)
    #expect(try await phone.sync().result == .synced)
    return phone
  }

  private func names(_ phone: Phone) async -> [String] {
    await phone.names.filter { !["agendas.org", "from-mobile.org"].contains($0) }
  }

  @Test(
    "removing a file removes each of its entries, and the file stays removed",
    arguments: [OrgMobile.Removal.archive, .delete])
  func entriesGo(removal: OrgMobile.Removal) async throws {
    let phone = try await phone(removal)
    try await phone.remove("old.org")
    #expect(try await phone.sync().result == .waiting)
    let report = try await phone.sync()
    #expect(report.result == .waiting && report.counts.waiting == 1, "\(report)")
    let capture = desktop.bytes("staging/mobileorg.org")
    #expect(try await phone.reborn().sync().result == .waiting)
    #expect(desktop.bytes("staging/mobileorg.org") == capture)
    // An intermediate push changes nothing.
    try desktop.write(MobileTests.work + "* More\n", to: "org/work.org")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .waiting)

    let pull = try desktop.pull()
    #expect(pull.contains { $0.hasSuffix("flags=0 errors=0") }, "\(pull)")
    let rest = try #require(desktop.read("org/old.org"))
    #expect(rest.contains("#+TITLE: Old plans") && !rest.contains("One") && !rest.contains("Two"))
    let archive = desktop.read("org/old.org_archive")
    if removal == .archive {
      for line in Self.file.split(separator: "\n").dropFirst() {
        #expect(archive?.contains(line.drop { $0 == "*" }) == true, "\(line)")
      }
    } else {
      #expect(archive == nil)
    }
    #expect(try await phone.sync().result == .synced)
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(await names(phone) == ["work.org"])
    #expect(try await phone.reborn().sync().didSomething == false)
    // A user of the desktop writes into it: the file is pushed again.
    try desktop.write(rest + "* Three\n", to: "org/old.org")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("old.org") == desktop.read("org/old.org"))
  }

  @Test func `with flags, the entries of a removed file are flagged and the file returns with them`() async throws {
    let phone = try await phone(.flag)
    try await phone.remove("old.org")
    try await phone.sync()
    let pull = try desktop.pull()
    #expect(pull.contains("counts: new=0 edits=0 flags=2 errors=0"), "\(pull)")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    let text = try await phone.text("old.org")
    #expect(text == desktop.read("org/old.org") && text.contains("it was removed on phone"))
    #expect(try await phone.sync().didSomething == false)
  }

  @Test func `a file that was edited on the desktop meanwhile survives its removal`() async throws {
    let phone = try await phone()
    try await phone.remove("old.org")
    try await phone.sync()
    try desktop.write(Self.file + "* Three\n", to: "org/old.org")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("old.org") == Self.file + "* Three\n")
    #expect(try desktop.pull().contains("counts: nothing to pull"))
  }

  @Test func `a reverted removal disappears from the capture file`() async throws {
    let phone = try await phone()
    try await phone.remove("old.org")
    try await phone.sync()
    try await phone.sync()
    try await phone.write(Self.file, to: "old.org")
    #expect(try await phone.sync().result == .synced)
    #expect(desktop.read("staging/mobileorg.org") == "\n")
    #expect(try desktop.pull().contains("counts: nothing to pull"))
    #expect(await names(phone) == ["old.org", "work.org"])
  }

  @Test func `a file that Emacs no longer pushes needs no edits`() async throws {
    let phone = try await phone()
    try await phone.remove("old.org")
    try await phone.sync()
    try FileManager.default.removeItem(atPath: desktop.root + "/org/old.org")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(desktop.read("staging/mobileorg.org") == "\n")
    #expect(await names(phone) == ["work.org"])
  }

  @Test func `a renamed file arrives in Emacs under its new name, with every entry`() async throws {
    let phone = try await phone()
    try await phone.remove("old.org")
    try await phone.write(Self.file, to: "new.org")
    for _ in 1...2 { #expect(try await phone.sync().counts.failed == 0) }
    let pull = try desktop.pull()
    #expect(pull.contains { $0.hasSuffix("errors=0") }, "\(pull)")
    let texts = ["new.org", "old.org", "old.org_archive", "from-mobile.org"].map { desktop.read("org/\($0)") ?? "" }
    for line in Self.file.split(separator: "\n") {
      #expect(texts.contains { $0.contains(line) }, "\(line) in \(texts)")
    }
    #expect(texts[0].contains("* TODO One :a:\ntext of one\n** Below\n") && texts[0].contains("* Two\n"), "\(texts)")
    try desktop.push("--no-ids")
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.text("new.org") == desktop.read("org/new.org"))
    #expect(await names(phone) == ["new.org", "work.org"])
    #expect(try await phone.sync().didSomething == false)
  }

  @Test func `our desktop keeps every line of a removed file`() async throws {
    let place = try Desktop()
    let desk = Phone("desk", at: place.staging, role: .desktop)
    try await desk.write(Self.file, to: "old.org")
    try await desk.write("* Other\n", to: "work.org")
    try await desk.sync()
    let phone = Phone(at: place.staging)
    try await phone.sync()
    try await phone.remove("old.org")
    try await phone.sync()
    #expect(try await desk.sync().result == .synced)
    let archive = try await desk.text("old.org_archive")
    for line in Self.file.split(separator: "\n").dropFirst() { #expect(archive.contains(line), "\(line)") }
    #expect(try await desk.text("old.org").contains("#+TITLE: Old plans"))
    #expect(try await phone.sync().result == .synced)
    #expect(try await phone.sync().didSomething == false)
    #expect(await names(phone) == ["old.org_archive", "work.org"])
  }
}
