import ArgumentParser
import QRCodes
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd invite`: prints the settings of remotes for another device.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Print an invitation with which another device sets up the same remotes.",
    discussion: """
      The invitation contains the settings of the remotes and the fingerprints of encrypted ones. It contains no passwords, \
      keys, programs and files of this device; with --with-secrets, it contains the passwords, encrypted with a passphrase. \
      Run `syncd join` with it on the other device. In a terminal it is also shown as a QR code.
      """)

  @OptionGroup var common: CommonOptions
  @Flag(help: "Show the QR code although the output is not a terminal.") var qr = false
  @Flag(help: "Include the passwords, encrypted with a passphrase that the command asks for.") var withSecrets = false
  @Argument(help: "Remotes to include. Default: all.", completion: .remotes) var remote: [String] = []

  func run() async throws {
    let stores = try common.stores(of: remote)
    let remotes = try stores.flatMap { store in
      try store.remotes(named: remote.filter { name in store.remotes.contains { $0.name == name } })
    }
    guard let environment = stores.first?.environment, !remotes.isEmpty else {
      throw SyncError(.invalidSettings, "\(common.settingsPath) has no remotes; add one with `syncd remote add NAME`")
    }
    let home = environment.variables["HOME"] ?? ""
    var invitation = Invitation(remotes: [])
    for store in stores {
      invitation.remotes += try await invited(remotes.filter { $0.storeName == store.storeName }, store, home)
    }
    if withSecrets {
      invitation.sealed = try SealedSecrets(try await secrets(of: remotes), passphrase: try passphrase())
    }
    try print(invitation, try invitation.uri)
  }

  private func invited(
    _ remotes: [RemoteConfiguration], _ store: DaemonConfiguration, _ home: String
  ) async throws -> [Invitation.Remote] {
    try await Workspace.with(store, .readOnly) { workspace in
      var all: [Invitation.Remote] = []
      for remote in remotes {
        let record = try await SealRecord(in: workspace.archive.journal(of: remote.name))
        if remote.encryption != nil, !remote.formatSeals, record == nil {
          Console.error(
            "\(remote.name) was never synced, so the invitation cannot pin its key; run `syncd --once` first")
        }
        all.append(Invitation.Remote(remote, home: home, fingerprint: record?.fingerprint))
      }
      return all
    }
  }

  private func secrets(of remotes: [RemoteConfiguration]) async throws -> [String: String] {
    var secrets: [String: String] = [:]
    for remote in remotes {
      for plugin in [remote.cloud, remote.sync, remote.encryption].compactMap(\.self) {
        for (key, secret) in plugin.settings.secrets {
          do { secrets[SealedSecrets.name(remote.name, plugin.type.id, key)] = try await secret.reveal() } catch {
            throw SyncError(.unauthorized, "cannot read `\(key)` of \(remote.name): \(error)")
          }
        }
      }
    }
    return secrets
  }

  /// Asks for a new passphrase, twice.
  private func passphrase() throws -> String {
    guard Console.canAsk else {
      throw ValidationError("--with-secrets requires a terminal, where it asks for a passphrase")
    }
    let least = SealedSecrets.shortestPassphrase
    while let typed = SecretPrompt.answer(
      to:
        "Passphrase for the secrets, at least \(least) characters (not shown). The other device asks for it.\n  passphrase"
    ) {
      if typed.count < least {
        Console.error("The passphrase has fewer than \(least) characters.")
      } else if SecretPrompt.answer(to: "The same again.\n  repetition") == typed {
        return typed
      } else {
        Console.error("The two passphrases differ.")
      }
    }
    throw ValidationError("the secrets need a passphrase")
  }

  private func print(_ invitation: Invitation, _ uri: String) throws {
    if common.json {
      return Console.print(
        json: [
          "version": 1, "invitation": .string(uri), "remotes": .array(invitation.remotes.map { .string($0.name) }),
          "secrets": .array((invitation.sealed == nil ? invitation.secrets : []).map(JSON.string)),
        ])
    }
    Console.print(uri)
    if qr || Console.outputIsTerminal { showCode(of: uri) }
    guard !common.quiet else { return }
    let secrets = invitation.sealed == nil ? invitation.secrets : []
    Console.error(
      "on the other device, run `syncd join` with this text"
        + (secrets.isEmpty ? "" : "; it asks for what an invitation never contains: \(secrets.joined(separator: ", "))")
    )
  }

  private func showCode(of uri: String) {
    guard let code = QRCode(Array(uri.utf8)) else {
      return Console.error("the invitation is too long for a QR code; copy the text, or invite to fewer remotes")
    }
    let lines = code.lines(isColored: Console.outputIsTerminal)
    Console.print(bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
  }
}

extension Invitation {
  /// The secrets that the other device needs, for people.
  fileprivate var secrets: [String] {
    remotes.flatMap { remote in
      remote.secrets.sorted { $0.key < $1.key }.flatMap { table, keys in keys.map { "`\($0)` of \(remote.name)" } }
    }
  }
}
