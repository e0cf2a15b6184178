import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd service`: has the system's service manager run syncd.
struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Let the service manager of this machine run syncd for you.",
    subcommands: [Print.self, Install.self, Uninstall.self])

  struct Print: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the service file.")
    @OptionGroup var common: CommonOptions

    @Option(name: .customLong("for"), help: "The service manager: systemd or launchd; by default that of this machine.")
    var manager = ServiceFile.Manager.ofThisMachine

    func run() throws { Console.print(try ServiceFile(common, for: manager).text, terminator: "") }
  }

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Put the service file in its place.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      _ = try common.configuration()
      let file = try ServiceFile(common)
      try LocalFile.makeFolder(file.folder)
      try LocalFile.write(Array(file.text.utf8), to: file.path)
      Console.print("wrote \(file.path); start it with: \(file.start)")
    }
  }

  struct Uninstall: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove the service file.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      let file = try ServiceFile(common)
      guard LocalFile.exists(file.path) else {
        throw SyncError(.notFound, "there is no service file at \(file.path)")
      }
      try LocalFile.remove(file.path)
      Console.print("removed \(file.path); if the service runs, stop it with: \(file.stop)")
    }
  }
}
