import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd manual`: writes the manual pages for packages.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Write the manual pages to a folder.", shouldDisplay: false)

  @Argument(help: "Folder; each page is written to the subfolder of its section.", completion: .directory) var folder:
    String

  func run() throws {
    for (name, text) in try Manual(registry: Program.registry).pages().sorted(by: { $0.key < $1.key }) {
      let section = "\(folder)/man\(name.suffix(1))"
      try LocalFile.makeFolder(section)
      try LocalFile.write(Array(text.utf8), to: "\(section)/\(name)")
    }
  }
}
