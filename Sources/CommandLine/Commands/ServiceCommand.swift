import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd service`: lets the system's service manager run syncd.
struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Manage the service file for systemd or launchd.",
    subcommands: [Print.self, Install.self, Uninstall.self])

  struct Print: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "print", abstract: "Print the service file.")
    @OptionGroup var common: CommonOptions

    @Option(
      name: .customLong("for"),
      help: "Service manager: systemd, systemd-system or launchd. Default: the one of this user.")
    var manager = ServiceFile.Manager.ofThisUser

    func run() throws { Console.print(try ServiceFile.own(common, for: manager).text, terminator: "") }
  }

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install", abstract: "Install the service file for the current user.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      _ = try common.stores()
      let file = try ServiceFile.own(common)
      if let other = file.other {
        throw SyncError(
          .pathFailed,
          "no service file was written: \(other) runs syncd with the same settings file, and only one of two services can run; keep "
            + "that one, or disable and remove it, and run this again")
      }
      try LocalFile.makeFolder(file.folder)
      try LocalFile.write(Array(file.text.utf8), to: file.path)
      if common.json { return file.print(next: file.start) }
      if !common.quiet { Console.print("wrote \(file.path); to start the service, run: \(file.start)") }
    }
  }

  struct Uninstall: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "uninstall", abstract: "Remove the service file.")
    @OptionGroup var common: CommonOptions

    func run() throws {
      let file = try ServiceFile.own(common)
      guard file.isInstalled else {
        throw SyncError(.notFound, "no service file at \(file.path)")
      }
      try LocalFile.remove(file.path)
      if common.json { return file.print(next: file.stop) }
      if !common.quiet { Console.print("removed \(file.path); to stop a running service, run: \(file.stop)") }
    }
  }
}

extension ServiceFile {
  /// Prints the document of `--json`.
  ///
  /// - Parameter next: the command to run next.
  fileprivate func print(next: String) {
    Console.print(json: ["version": 1, "file": .string(path), "run": .string(next)])
  }
}
