import ArgumentParser
import SyncDaemon
import SyncKit

/// The options that describe a new remote. On a terminal, what they leave open is asked.
struct RemoteSetup: ParsableArguments {
  @Option(help: "Kind of remote: folder, webdav, dropbox, git, rsync-ssh and others that `init` lists.")
  var with: String?
  @Option(help: "Folder to sync with; short for `--with folder --set path=…`.", completion: .directory)
  var folder: String?
  @Option(help: "Encrypt the files on the remote: none, age, gpg.")
  var encryption: String?
  @Option(
    help:
      "Setting of the remote, as KEY=VALUE; for a secret, file:PATH, command:PROGRAM, env:NAME or keyring:NAME. Repeatable."
  )
  var set: [String] = []

  /// Throws a usage error if `name` cannot be the name of a remote.
  static func check(name: String) throws {
    guard !name.isEmpty, name.utf8.allSatisfy(isInName) else {
      throw ValidationError("the name of a remote can have only letters, digits, \"-\" and \"_\"")
    }
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns the questions and the options that answer them.
  func interview() throws -> Interview {
    let given = folder.map { set + ["path=\($0)"] } ?? set
    return try Self.interview(given: given)
  }

  static func interview(given: [String]) throws -> Interview {
    let ask: ((String) -> String?)? = Console.canAsk ? { Self.ask($0) } : nil
    return try Interview(given: given, ask: ask, askSecretly: { SecretPrompt.answer(to: $0) })
  }

  private static func ask(_ question: String) -> String? {
    Console.error(question + " ", terminator: "")
    return readLine(strippingNewline: true)
  }

  /// Returns the remote that the answers describe. Answers that `check` refuses are asked again. On a terminal, the remote is
  /// also contacted, and the user decides what to do if that fails.
  ///
  /// - Parameters:
  ///   - store: the name of its store; nil if there is only one.
  ///   - file: the text of the settings file with the remote.
  ///   - path: the path of the settings file.
  ///   - check: throws what is wrong with it.
  func draft(
    named name: String, store: String? = nil, _ interview: Interview, in file: (RemoteDraft) -> String, at path: String,
    check: (RemoteDraft) throws -> Void
  ) async throws -> RemoteDraft {
    let registry = Program.registry
    var kind = try interview.kind(
      of: RemoteKind.all(of: registry), named: with ?? (folder == nil ? nil : "folder"), defaultAnswer: "folder")
    kind.encryption = try interview.encryption(of: kind.encryptions(of: registry), named: encryption)
    var draft = RemoteDraft(remote: name, kind: kind)
    draft.own = store.map { [("store", TOMLValue.string($0).text)] } ?? []
    draft.answers = try interview.answers(for: draft)
    return try await FirstContact.accepted(draft, interview, in: file, at: path, check: check)
  }
}

extension RemoteDraft {
  /// Writes the secrets that were typed into files that only their owner can read, in the folder of the settings file.
  func writeSecrets(forFileAt settings: String) throws(SyncError) {
    let folder = settings.lastIndex(of: "/").map { String(settings[..<$0]) } ?? "."
    guard !secrets.isEmpty else { return }
    try LocalFile.makeFolder("\(folder)/secrets")
    for secret in secrets {
      let file = "\(folder)/\(secret.file)"
      if LocalFile.exists(file) { try LocalFile.move(file, to: "\(file).\(CivilTime(Runtime.real.now()))") }
      try LocalFile.writePrivately(Array("\(secret.value)\n".utf8), to: file)
      Console.error("the secret is in \(file), which only you can read")
    }
  }

  /// What to run next.
  var nextStep: String {
    let login = kind.needsLogin ? "sign in with `syncd login \(remote)`, then " : ""
    return "next, \(login)run `syncd --once --dry-run` to see the plan and `syncd --once` to sync"
  }
}

extension RemoteConfiguration {
  /// Creates the folder of the remote if it is missing, which no pass does unless the settings say so. The folder above it must
  /// exist: if it does not, a disk is probably not mounted.
  func makeFolders() {
    for folder in cloud?.settings.localFolders ?? [] {
      do throws(SyncError) {
        guard try LocalFile.makeOneFolder(folder) else { continue }
        Console.error("created the folder \(folder)")
      } catch { Console.error("\(error.message). Mount its disk, or create the folder, before you sync") }
    }
  }
}
