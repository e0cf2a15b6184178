import ArgumentParser
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd hook`: makes git run syncd after a commit, a merge or a push.
struct HookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hook", abstract: "Install or remove git hooks that run syncd.",
    subcommands: [Install.self, Uninstall.self])

  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install", abstract: "Run syncd after each commit and merge in a repository.",
      discussion: """
        In a bare repository, syncd runs after each push. An existing hook is kept beside the new one, which runs it first.
        """)

    @OptionGroup var common: CommonOptions
    @Option(name: .customLong("on"), help: "Install this hook instead of the default ones. Repeatable.")
    var hooks: [GitHooks.Name] = []
    @Argument(help: "Repository.", completion: .directory) var repository: String

    func run() async throws {
      _ = try common.stores()
      let git = GitHooks(repository: repository)
      let folder = try await git.folder()
      try LocalFile.makeFolder(folder)
      let command = GitHooks.command(program: try ServiceFile.program(), settings: common.namedSettings)
      let paths = (hooks.isEmpty ? try await git.usual() : hooks).map { "\(folder)/\($0.rawValue)" }
      for path in paths {
        if let notice = try GitHook(path: path).install(command) { Console.error("syncd: \(notice)") }
        if !common.json, !common.quiet { Console.print("installed \(path)") }
      }
      if common.json { Console.print(json: ["version": 1, "hooks": .array(paths.map(JSON.string))]) }
    }
  }

  struct Uninstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "uninstall", abstract: "Remove syncd's hooks and restore the previous ones.")

    @OptionGroup var common: CommonOptions
    @Argument(help: "Repository.", completion: .directory) var repository: String

    func run() async throws {
      let folder = try await GitHooks(repository: repository).folder()
      let hooks = GitHooks.Name.allCases.map { GitHook(path: "\(folder)/\($0.rawValue)") }
      let removed = try hooks.filter { hook in try hook.uninstall() }.map(\.path)
      if common.json { return Console.print(json: ["version": 1, "hooks": .array(removed.map(JSON.string))]) }
      if !common.quiet { for path in removed { Console.print("removed \(path)") } }
    }
  }
}

/// The hooks of one git repository.
struct GitHooks {
  let repository: String

  /// A hook in which git can run syncd.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case postCommit = "post-commit"
    case postMerge = "post-merge"
    case postRewrite = "post-rewrite"
    case postCheckout = "post-checkout"
    case postReceive = "post-receive"
    case prePush = "pre-push"
  }

  /// Returns git's hook folder, which `core.hooksPath` may set. For Husky's folder of generated files, returns its parent,
  /// which has the user's hooks.
  func folder() async throws -> String {
    let folder = try await ask("--path-format=absolute", "--git-path", "hooks")
    return folder.hasSuffix("/.husky/_") ? String(folder.dropLast(2)) : folder
  }

  /// Returns the hooks that run after new files arrive: a bare repository makes no commits itself.
  func usual() async throws -> [Name] {
    try await ask("--is-bare-repository") == "true" ? [.postReceive] : [.postCommit, .postMerge]
  }

  private func ask(_ words: String...) async throws -> String {
    let question = BoundedCommand(
      ["git", "-C", repository, "rev-parse"] + words, variables: ProcessInfo.processInfo.environment)
    do { return String(decoding: try await question.output(), as: UTF8.self).trimmingSuffix("\n") } catch {
      throw SyncError(.notFound, "\(repository) is not a git repository, or git cannot run: \(error)")
    }
  }

  /// Returns the command that runs syncd in a hook: it never fails, never waits for another instance and takes no input.
  static func command(program: String, settings: String?) -> String {
    let options = settings.map { " --settings " + quoted($0) } ?? ""
    return "\(quoted(program))\(options) --once --quiet --timeout 60s </dev/null || true"
  }

  /// Quotes a word for a shell.
  private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
