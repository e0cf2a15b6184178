import ArgumentParser
import SyncDaemon
import SyncKit

import class Foundation.Pipe
import class Foundation.Process

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd login`: signs in to a remote, and stores the result where the settings say.
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Sign in to a remote that needs it, such as Dropbox.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "Remote, or its kind if only one remote has it, such as dropbox.") var name: String

  func run() async throws {
    let (remote, plugin) = try remote(in: common.stores())
    let signIn = try await Self.signIn(to: plugin)
    if common.json {
      return Console.print(json: ["version": 1, "remote": .string(remote), "account": .string(signIn.account)])
    }
    if !common.quiet { Console.print("signed in to \(remote) as \(signIn.account)") }
  }

  /// Lets the user sign in, and stores the result.
  static func signIn(to plugin: ChosenPlugin) async throws -> SignIn {
    let signIn = try await plugin.make(as: (any SigningIn).self).signIn(Terminal())
    try await keep(signIn)
    return signIn
  }

  /// Returns the remote with this name or of this kind, and its plugin that supports signing in.
  private func remote(in stores: [DaemonConfiguration]) throws -> (String, ChosenPlugin) {
    let remotes = stores.flatMap(\.remotes)
    let candidates = remotes.flatMap { remote in
      [remote.cloud, remote.sync].compactMap(\.self).filter { $0.type is any SigningIn.Type }.map { (remote.name, $0) }
    }
    let named = candidates.filter { $0.0 == name }
    let found = named.isEmpty ? candidates.filter { $0.1.type.id == name } : named
    if let only = found.first, found.count == 1 { return only }
    guard found.isEmpty else {
      throw ValidationError(
        "\"\(name)\" is ambiguous; choose one of the remotes \(found.map(\.0).joined(separator: ", "))")
    }
    guard !remotes.contains(where: { $0.name == name }) else {
      throw ValidationError("the remote \"\(name)\" needs no sign-in")
    }
    let names = candidates.map(\.0).joined(separator: ", ")
    throw ValidationError(
      "no remote \"\(name)\" in \(common.settingsPath) needs a sign-in"
        + (names.isEmpty ? "" : "; these do: \(names)"))
  }

  private static func keep(_ signIn: SignIn) async throws {
    let secret = Array(try await signIn.secret.reveal().utf8)
    switch signIn.keeping {
    case .file(let path):
      if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try LocalFile.makeFolder(String(path[..<slash]))
      }
      try LocalFile.writePrivately(secret + [0x0A], to: path)
    case .command(let words): try await hand(secret, to: words)
    }
  }

  /// Runs a program that reads the secret from its standard input, where no process list shows it.
  private static func hand(_ secret: [UInt8], to words: [String]) async throws {
    var command = BoundedCommand(words, variables: ProcessInfo.processInfo.environment, input: secret)
    // A keyring may ask the user to unlock it.
    command.timeLimit = .seconds(300)
    do { _ = try await command.output() } catch let error as SecretError {
      throw SyncError(.pathFailed, "the sign-in was not stored: \(error.message)")
    }
  }
}

/// The user at the terminal, or a program in their place.
private struct Terminal: Conversation {
  func tell(_ text: String) { Console.error(text) }

  func ask(_ question: String) throws(SyncError) -> String {
    Console.error(question + " ", terminator: "")
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw SyncError(.unauthorized, "no answer; run `syncd login` in a terminal")
    }
    return line
  }
}
