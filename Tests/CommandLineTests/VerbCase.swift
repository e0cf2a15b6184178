import Foundation
import OrgKit
import Testing

@testable import CommandLine

/// A folder with calls of Org's commands and the files that Emacs wrote: see `OrgKitTests/Corpus/verbs/README.md`.
struct VerbCase {
  let folder: URL
  var name: String { folder.lastPathComponent }

  init(_ folder: URL) { self.folder = folder }

  /// False if Emacs did not find the entry of a call, such as one with COMMENT in an outline path.
  var isFoundByEmacs: Bool {
    let answers = try? String(contentsOf: folder.appending(path: "out.json"), encoding: .utf8)
    return !(answers ?? "").contains("Heading not found")
  }

  /// The cases in a folder, in the order of their names.
  static func all(in folder: URL) throws -> [VerbCase] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      VerbCase(folder.appending(path: $0))
    }.filter { FileManager.default.fileExists(atPath: $0.folder.appending(path: "call.json").path) }
  }

  /// Carries out the calls, and returns how files or answers differ from those of Emacs; nil if they are equal.
  func difference() throws -> String? {
    let calls = try JSONDecoder().decode(CallFile.self, from: Data(contentsOf: folder.appending(path: "call.json")))
    let before = files("before")
    let numbers = Numbers()
    var run = CallRun(
      calls, OrgFileSet(before, folder: "/home/ada/org", home: "/home/ada"), settings: try settings(),
      zone: try Self.zone(calls.tz ?? "UTC")
    ) { numbers.next() }
    let answers = run.run()
    let after = before.merging(run.files.changes) { $1 }.mapValues {
      String(decoding: $0, as: UTF8.self).replacing("/home/ada", with: "~")
    }
    return try difference(of: after) ?? difference(of: answers)
  }

  private func settings() throws -> OrgSettings {
    var settings = OrgSettings()
    if let bytes = try? Data(contentsOf: folder.appending(path: "settings.json")) {
      settings = try JSONDecoder().decode(OrgSettings.self, from: bytes)
    }
    settings["org-version"] = "9.5"
    return settings
  }

  private func difference(of files: [String: String]) -> String? {
    let emacs = self.files("after").mapValues { String(decoding: $0, as: UTF8.self) }
    let paths = Set(files.keys).union(emacs.keys).sorted().filter { files[$0] != emacs[$0] }
    guard !paths.isEmpty else { return nil }
    return paths.map { "\($0) of Emacs:\n\(emacs[$0] ?? "missing")\nours:\n\(files[$0] ?? "missing")" }
      .joined(separator: "\n")
  }

  /// Any text of an error is right where Emacs failed.
  private func difference(of answers: [CallAnswer]) throws -> String? {
    let bytes = try? Data(contentsOf: folder.appending(path: "out.json"))
    let emacs = try bytes.map { try JSONDecoder().decode([CallValue].self, from: $0) }
    for (index, answer) in answers.enumerated() {
      let wanted = emacs?[index]
      let isExport = answer.verb.hasPrefix("export")
      if (answer.error == nil) != (wanted?["error"] == nil)
        || wanted?["value"] != nil && answer.value != wanted?["value"]
          && !(isExport && means(answer.value?.text, wanted?["value"]?.text))
      {
        return "call \(index + 1): \(answer), and Emacs answered \(wanted.map { "\($0)" } ?? "nothing")"
      }
    }
    return nil
  }

  /// Returns true if an export has the words of the one by Emacs and no others. Emacs leaves out the headline of the entry and
  /// adds a table of contents.
  private func means(_ ours: String?, _ emacs: String?) -> Bool {
    let (ours, emacs) = (Self.words(ours ?? ""), Self.words(emacs ?? ""))
    return emacs.subtracting(["Table", "of", "Contents", "LABEL"]).isSubset(of: ours)
      && ours.subtracting(["Pack", "bags", "x"]).isSubset(of: emacs)
  }

  /// The words of a text without HTML elements other than links.
  private static func words(_ text: String) -> Set<String> {
    let links = text.replacing(/<a href="([^"]*)"[^>]*>/) { $0.1 + " " }
    let plain = links.replacing(/<\/?[a-z][^>:]*>/, with: " ").replacing(/&(#x?)?[a-z0-9]+;/, with: " ")
      .replacing("\\n", with: " ")
    return Set(plain.split { !$0.isLetter && !$0.isNumber }.map { $0 == "X" ? "x" : String($0) })
  }

  /// Returns the files of one side, by their paths.
  private func files(_ side: String) -> [String: [UInt8]] {
    if let single = try? Data(contentsOf: folder.appending(path: "\(side).org")) { return ["notes.org": Array(single)] }
    let place = folder.appending(path: side)
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: place.path)) ?? []
    return names.reduce(into: [:]) { files, name in
      files[name] = (try? Data(contentsOf: place.appending(path: name))).map { Array($0) }
    }
  }

  private static func zone(_ name: String) throws -> OrgZone {
    let zone = try #require(TimeZone(identifier: name))
    return OrgZone(name: name) { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
  }
}

/// Identifiers in the order of the recorded results.
private final class Numbers: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func next() -> String {
    lock.withLock {
      count += 1
      return "00000000-0000-4000-8000-" + String(format: "%012x", count)
    }
  }
}
