import Foundation
import OrgKit
import SyncKit
import Testing

@testable import BackendOrgMobile

/// Kills at every step; each entry must arrive exactly once.
@Suite struct CrashTests {
  private static let file = "* One\n:PROPERTIES:\n:ID: 1234\n:END:\ntext\n* Two\n* Three\n"

  /// A desktop and a phone that are in sync, and the phone's edits, none of which can be repeated unnoticed.
  private func workload() async throws -> (place: Desktop, desktop: Phone, phone: Phone) {
    let place = try Desktop()
    let desktop = Phone("desk", at: place.staging, role: .desktop)
    try await desktop.write(Self.file, to: "work.org")
    try await desktop.write("* Other\n", to: "other.org")
    try await desktop.sync()
    let phone = Phone(at: place.staging)
    try await phone.sync()
    try await phone.edit("work.org") { document in
      document.append("* Added\nwith text")
      try document[document.place("Two")].setKeyword("TODO")
      document.move(try document.place("Three"), below: try document.place("One"))
    }
    try await phone.edit("other.org") { $0.append("* Added elsewhere") }
    try await phone.write("* Captured\n", to: "inbox.org")
    return (place, desktop, phone)
  }

  private func expectOnce(_ desktop: Phone, _ phone: Phone, _ story: String) async throws {
    for (name, titles) in [("work.org", ["Added", "TODO Two", "Three", "One"]), ("other.org", ["Added elsewhere"])] {
      let text = try await desktop.text(name)
      for title in titles {
        #expect(text.components(separatedBy: "* \(title)\n").count == 2, "\(title) in \(text) \(story)")
      }
      #expect(try await phone.text(name) == text, "\(story)")
    }
    #expect(try await desktop.text("inbox.org") == "* Captured\n", "\(story)")
  }

  @Test func `a phone that is killed at any step of sending loses nothing`() async throws {
    var steps = 1
    while true {
      let (place, desktop, phone) = try await workload()
      let life = Life(steps: steps)
      _ = try await phone.reborn(life).sync()
      guard life.isOver else { break }
      // Emacs may or may not pull and push before the phone is back.
      if steps.isMultiple(of: 2) { try await desktop.sync() }
      for _ in 0..<2 {
        #expect(try await phone.reborn().sync().failure == nil, "step \(steps)")
        #expect(try await desktop.sync().failure == nil)
      }
      let report = try await phone.reborn().sync()
      #expect(report.result == .synced, "step \(steps): \(report.actions)")
      try await expectOnce(desktop, phone, "killed at \(steps)")
      withExtendedLifetime(place) {}
      steps += 1
    }
    #expect(steps > 6)
    print("*** a phone was killed at \(steps - 1) steps ***")
  }

  @Test func `a desktop that is killed between reading and clearing the capture file loses nothing`() async throws {
    var steps = 1
    while true {
      let (place, desktop, phone) = try await workload()
      try await phone.sync()
      let life = Life(steps: steps)
      _ = try await desktop.reborn(life).sync()
      guard life.isOver else { break }
      // A phone adds something before the desktop is back.
      if steps.isMultiple(of: 2) {
        let capture = place.read("staging/mobileorg.org") ?? ""
        try place.write(capture + "* Late\n", to: "staging/mobileorg.org")
      }
      #expect(try await desktop.reborn().sync().failure == nil, "step \(steps)")
      #expect(try await phone.sync().failure == nil)
      #expect(try await phone.sync().result == .synced)
      let inbox = try await desktop.text("inbox.org")
      #expect(inbox == "* Captured\n" + (steps.isMultiple(of: 2) ? "* Late\n" : ""), "step \(steps)")
      try await desktop.write("* Captured\n", to: "inbox.org")
      try await expectOnce(desktop, phone, "killed at \(steps)")
      steps += 1
    }
    #expect(steps > 12)
    print("*** a desktop was killed at \(steps - 1) steps ***")
  }
}
