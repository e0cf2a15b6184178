import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd item`: commands for scripts that work on entries without a store.
struct ItemCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "item", abstract: "Work on entries of a folder without a store.",
    subcommands: [ItemApplyCommand.self])
}

/// `syncd item apply`: carries out recorded calls of Org's commands on the files of a folder.
struct ItemApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Carry out calls of Org's commands on the files of a folder.",
    discussion: """
      Reads the calls from a JSON file, changes the Org files of the folder and prints one answer per call. Times, identifiers \
      and answers come from the file, so that the result is the same every time. Neither settings nor the service are used, \
      and nothing is recorded in the history. --settings names a JSON file with Org variables, which may be missing.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: "JSON file with the calls.", completion: .file(extensions: ["json"])) var calls: String
  @Option(name: .customLong("in"), help: "Folder with the Org files.", completion: .directory) var folder: String
  @Option(help: "Version of Org whose layout is used: 9.5 or 9.7.") var layout = "9.5"

  func run() async throws {
    let file = try JSONDecoder().decode(CallFile.self, from: Data(try LocalFile.read(calls)))
    ProcessZone.set(file.tz ?? "UTC")
    var settings = OrgSettings()
    if let file = common.settings, LocalFile.exists(file) {
      settings = try JSONDecoder().decode(OrgSettings.self, from: Data(try LocalFile.read(file)))
    }
    settings["org-version"] = .text(layout)
    let identifiers = SequentialIdentifiers()
    var run = CallRun(file, try files(), settings: settings, zone: .local) { identifiers.next() }
    let answers = run.run()
    for (path, content) in run.files.changes.sorted(by: { $0.key < $1.key }) {
      try LocalFile.write(content, to: "\(folder)/\(path)")
    }
    Console.print(bytes: Array(try JSONEncoder().encode(answers)) + [UInt8(ascii: "\n")])
  }

  private func files() throws -> OrgFileSet {
    let root = ServiceFile.absolute(folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".org") }
    return OrgFileSet(folder: root, home: ProcessInfo.processInfo.environment["HOME"], names: names) { path in
      try? LocalFile.read("\(root)/\(path)")
    }
  }
}

/// Identifiers `00000000-0000-4000-8000-000000000001` and so on, which are the same in every run.
private final class SequentialIdentifiers: Sendable {
  private let count = Mutex(0)

  func next() -> String {
    let number = count.withLock { count in
      count += 1
      return String(count, radix: 16)
    }
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
  }
}
