import Foundation
import OrgKit
import SyncKit
import Testing

@testable import BackendOrgMobile

/// The edits of each capture file that real Emacs has pulled, applied here: the entries must be equal to Emacs'.
@Suite struct EffectTests {
  static let pulls = [
    "01-todo", "02-tags", "04-heading", "05-body", "06-addheading", "08-refile", "09-flags", "11-olp-links", "12-ids",
    "13-conflicts",
  ]

  private static func files(_ folder: String) throws -> [SyncPath: [UInt8]] {
    let root = Desktop.here + "/Fixtures/pull/" + folder
    var files: [SyncPath: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".org") {
      guard !name.hasSuffix("from-mobile.org") else { continue }
      files[try #require(SyncPath(name))] = FormatTests.fixture("pull/\(folder)/\(name)")
    }
    return files
  }

  @Test("an edit has the same effect here as in Emacs", arguments: pulls)
  func effects(pull: String) throws {
    var files = OrgFiles(try Self.files(pull + "/org"), todoLines: ["TODO DONE"])
    let capture = try #require(FormatTests.fixture("pull/\(pull)/mobileorg.org"))
    var counts = (edits: 0, errors: 0)
    for case .edit(let edit, _) in CaptureReader(capture).pieces {
      counts.edits += 1
      do { try files.apply(edit) } catch { counts.errors += 1 }
    }
    #expect(counts.edits > 0)
    for (path, expected) in try Self.files(pull + "/expected/org") {
      let document = try #require(files[path], "\(path)")
      #expect(Self.outline(document) == Self.outline(OrgDocument(expected, todoKeywords: ["TODO DONE"])), "\(path)")
    }
    let output = try #require(FormatTests.fixture("pull/\(pull)/expected/output")).string
    let errors = output.split(separator: "\n").first?.split(separator: "=").last.flatMap { Int($0) } ?? 0
    #expect(counts.errors == errors)
  }

  /// The meaning of a document, without layout and without text that Emacs adds.
  static func outline(_ document: OrgDocument) -> [String] {
    document.entries.map { entry in
      let text = entry.text.textLines.map { $0.trimmed.string }.filter { !$0.isEmpty && !$0.hasPrefix("CLOSED:") }
      let head = [entry.keyword ?? "", entry.priority ?? "", entry.heading.string, entry.tags.joined(separator: ":")]
      return String(repeating: "*", count: entry.level) + " \(head) \(text)"
    }
  }
}
