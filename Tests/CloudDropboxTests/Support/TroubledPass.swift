import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

/// A device and a Dropbox that have drifted apart in every way.
struct TroubledPass: Sendable {
  let dropbox: TestDropbox
  let folder: String
  let device: TestDevice
  private let before: [String: String]

  private static let base =
    ["same", "ours", "theirs", "gone here", "gone there", "both"] + (0..<5).map { "batch \($0)" }

  /// - Parameter url: how the device reaches the Dropbox.
  init(on dropbox: TestDropbox, by url: String? = nil, timeout: Duration = .seconds(20)) async throws {
    self.dropbox = dropbox
    let folder = "/\(UUID().uuidString)"
    self.folder = folder
    let archive = MemoryArchive()
    let storage = try await dropbox.storage(folder, by: url, journal: archive.journal(of: "test")) {
      $0.timeout = timeout
    }
    device = TestDevice("one", archive: archive, storage: storage)
    for name in Self.base { try await device.write("* \(name)\n", to: "\(name).org") }
    for _ in 0..<2 { try await device.expectHealthyRun("before the trouble") }
    try await device.write("* ours\nedited here\n", to: "ours.org")
    try await device.write("* both\nadded here\n", to: "both.org")
    try await device.write("* new here\n", to: "new/here.org")
    try await device.write("", to: "new/empty.org")
    for number in 0..<5 { try await device.write("* batch \(number)\nedited\n", to: "batch \(number).org") }
    await device.store.take(try syncPath("gone here.org"))
    try await dropbox.emulator.put("* theirs\nedited there\n", at: "\(folder)/theirs.org")
    try await dropbox.emulator.put("* both\nadded there\n", at: "\(folder)/both.org")
    try await dropbox.emulator.put("* new there\n", at: "\(folder)/new there.org")
    try await dropbox.emulator.remove("\(folder)/gone there.org")
    before = try await device.texts()
  }

  /// What both sides have to hold in the end.
  private static let expected: [String: String] = {
    var texts = [
      "same.org": "* same\n", "ours.org": "* ours\nedited here\n", "theirs.org": "* theirs\nedited there\n",
      "both.org": "* both\nadded here\nadded there\n", "new/here.org": "* new here\n", "new/empty.org": "",
      "new there.org": "* new there\n",
    ]
    for number in 0..<5 { texts["batch \(number).org"] = "* batch \(number)\nedited\n" }
    return texts
  }()

  /// Nothing of the store may be gone or shortened but for what the Dropbox really lacks or has changed.
  func expectNothingLost(_ comment: String) async throws {
    let after = try await device.texts()
    for (path, text) in before where path != "gone there.org" {
      let lines = Set((after[path] ?? "").split(separator: "\n"))
      #expect(Set(text.split(separator: "\n")).subtracting(lines) == [], "\(comment): \(path) has lost something")
    }
    for (path, text) in after {
      #expect(Self.expected[path] == text || before[path] == text, "\(comment): \(path) holds \(text)")
    }
  }

  /// Calm runs have to make everything right, at most three of them.
  func expectHealing(_ comment: String) async throws {
    var report = await device.sync()
    for _ in 0..<2 where report.result != .synced { report = await device.sync() }
    #expect(
      report.result == .synced,
      "\(comment): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })")
    #expect(try await device.texts() == Self.expected, "\(comment)")
    let there = await dropbox.emulator.texts(below: folder).filter { $0.key != ".syncd-root" }
    #expect(there == Self.expected, "\(comment)")
  }
}
