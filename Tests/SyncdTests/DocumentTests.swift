import Foundation
import ProgramTesting
import Testing

/// The examples of README and `docs/`: every settings file is parsed, and every command must exist.
@Suite("Examples and links in the documents") struct DocumentTests {
  @Test("settings files are valid")
  func settings() throws {
    let sandbox = try Sandbox(remotes: [])
    var count = 0
    for (name, text) in Documents.all {
      for block in text.matches(of: /(?ms)^```toml\n(.*?)^```/).map(\.1) {
        let store = block.contains("[store]") ? "" : "[store]\npath = \"~/org\"\n\n"
        try sandbox.write(store + block, to: "example.toml")
        var command = sandbox.command(["settings", "check"], settings: "example.toml")
        command.environment["HOME"] = sandbox.root
        let outcome = try command.run()
        #expect(outcome.status == 0, "\(name):\n\(block)\n\(outcome.story)")
        count += 1
      }
    }
    #expect(count >= 6, "only \(count) settings files were found")
  }

  @Test("commands and options exist")
  func commands() throws {
    var helps: [[String]: String] = [:]
    var count = 0
    for (name, text) in Documents.all {
      for match in text.matches(of: /(?m)`syncd ([^`\n]*)`|^ *\$ syncd (.*)$/) {
        // In a console, what follows a pipe is another program.
        let line = match.1 ?? match.2?.split(separator: " | ").first ?? ""
        let words = line.split { " [](|)\\".contains($0) }.map(String.init)
        let names = Array(
          words.prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } && !$0.hasPrefix("-") }.prefix(2))
        guard let help = try help(on: names, &helps) else {
          Issue.record("\(name): unknown command `syncd \(names.joined(separator: " "))`")
          continue
        }
        for option in words where option.hasPrefix("-") {
          #expect(Self.options(in: help).contains(option), "\(name): \(match.0) has no \(option)")
        }
        count += 1
      }
    }
    #expect(count >= 30, "only \(count) commands were found")
  }

  @Test("links lead to existing pages and headings, and the index lists every page")
  func links() throws {
    for (name, text) in Documents.all {
      let page = Documents.file(name)
      for link in text.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) where !link.contains("://") {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target =
          parts[0].isEmpty ? page : page.deletingLastPathComponent().appending(path: parts[0]).standardizedFileURL
        #expect(FileManager.default.fileExists(atPath: target.path), "\(name): there is no \(link)")
        guard parts.count == 2, let content = try? String(contentsOf: target, encoding: .utf8) else { continue }
        #expect(Self.anchors(in: content).contains(parts[1]), "\(name): there is no heading for \(link)")
      }
    }
    let index = try Documents.text("docs/README.md")
    for (name, _) in Documents.all where !["README.md", "docs/README.md"].contains(name) {
      #expect(index.contains("(\(name))") || index.contains("(\(name)#"), "docs/README.md does not name \(name)")
    }
  }

  @Test("tests that a page names as `SUITE/FUNCTION` or `SUITE` exist, and so do folders of tests")
  func tests() throws {
    let folder = Documents.project.appending(path: "Tests")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("Tests.swift") }
    let suites = Dictionary(grouping: files) { URL(filePath: $0).deletingPathExtension().lastPathComponent }
    var count = 0
    for (name, text) in Documents.all {
      for match in text.matches(of: /`(\w+Tests)(?:\/(\w+))?`/) {
        let place = [String(match.1), match.2.map(String.init)].compactMap(\.self).joined(separator: "/")
        if FileManager.default.fileExists(atPath: folder.appending(path: place).path) { continue }
        let sources = try suites[String(match.1), default: []].map {
          try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        let isThere = sources.contains { source in match.2.map { source.contains("func \($0)(") } ?? true }
        #expect(isThere, "\(name): there is no test \(match.0)")
        count += 1
      }
    }
    #expect(count >= 50, "only \(count) tests were found")
  }

  /// The anchors of the headings of a page, as GitHub generates them.
  private static func anchors(in page: String) -> Set<String> {
    Set(
      page.matches(of: /(?m)^#+ (.*)$/).map { heading in
        heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
      })
  }

  private static func options(in help: String) -> Set<String> {
    Set(help.split { " ,[]<>\n".contains($0) }.map(String.init).filter { $0.hasPrefix("-") })
  }

  /// The help of a command, or of the command whose argument the last word is; nil if there is none.
  private func help(on names: [String], _ known: inout [[String]: String]) throws -> String? {
    if let help = known[names] { return help }
    let outcome = try Command([Sandbox.binary] + names + ["--help"]).run()
    let isThere = outcome.status == 0 && outcome.text.contains("USAGE: syncd \(names.joined(separator: " "))")
    if isThere { known[names] = outcome.text }
    return isThere ? outcome.text : names.count > 1 ? try help(on: names.dropLast(), &known) : nil
  }
}
