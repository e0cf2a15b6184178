import ArgumentParser
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd hook`: has git run syncd after a commit, a merge or a push.
struct HookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hook", abstract: "Let git run syncd.", subcommands: [Install.self])

  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sync after each commit and merge in a repository, after the hooks that are there already.",
      discussion: "In a bare repository it is after each push that arrives.")

    @OptionGroup var common: CommonOptions
    @Option(name: .customLong("on"), help: "Another hook than these; may be repeated.")
    var hooks: [GitHooks.Name] = []
    @Argument(help: "The repository.", completion: .directory) var repository: String

    func run() async throws {
      _ = try common.configuration()
      let git = GitHooks(repository: repository)
      let folder = try await git.folder()
      try LocalFile.makeFolder(folder)
      let command = GitHooks.command(
        program: try ServiceFile.program(), settings: common.settings.map(ServiceFile.absolute))
      for name in hooks.isEmpty ? try await git.usual() : hooks {
        try GitHooks.add(command, to: "\(folder)/\(name.rawValue)")
        Console.print("added to \(folder)/\(name.rawValue)")
      }
    }
  }
}

/// The hooks of one git repository.
struct GitHooks {
  let repository: String

  /// A hook by which git can run syncd.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case postCommit = "post-commit"
    case postMerge = "post-merge"
    case postRewrite = "post-rewrite"
    case postCheckout = "post-checkout"
    case postReceive = "post-receive"
    case prePush = "pre-push"
  }

  private static let marks = (begin: "# >>> syncd >>>", end: "# <<< syncd <<<")

  /// Where git looks for hooks: `core.hooksPath` may say elsewhere than in the repository. Husky's folder of generated
  /// files, which it writes anew, has those that are meant for people beside it.
  func folder() async throws -> String {
    let folder = try await ask("--path-format=absolute", "--git-path", "hooks")
    return folder.hasSuffix("/.husky/_") ? String(folder.dropLast(2)) : folder
  }

  /// The hooks that tell of new files: nobody commits in a bare repository.
  func usual() async throws -> [Name] {
    try await ask("--is-bare-repository") == "true" ? [.postReceive] : [.postCommit, .postMerge]
  }

  private func ask(_ words: String...) async throws -> String {
    let question = BoundedCommand(
      ["git", "-C", repository, "rev-parse"] + words, variables: ProcessInfo.processInfo.environment)
    do { return String(decoding: try await question.output(), as: UTF8.self).trimmingSuffix("\n") } catch {
      throw SyncError(.notFound, "\(repository) is no git repository, or git cannot be run: \(error)")
    }
  }

  /// The lines of a hook that run syncd: no failure of it is one of git, it waits for no one and takes no input.
  static func command(program: String, settings: String?) -> String {
    let options = settings.map { " --settings " + quoted($0) } ?? ""
    return """
      \(marks.begin)
      \(quoted(program))\(options) --once --quiet --timeout 60s </dev/null || true
      \(marks.end)
      """
  }

  /// Adds `command` at the end of the hook at `path`, or replaces what was added before. A hook that is no shell script
  /// is kept beside it and run first.
  static func add(_ command: String, to path: String) throws(SyncError) {
    var text = "#!/bin/sh\n"
    if LocalFile.exists(path) {
      text = String(decoding: try LocalFile.read(path), as: UTF8.self)
      if !isShellScript(text) {
        let kept = "\(path).before-syncd"
        try LocalFile.move(path, to: kept)
        text = "#!/bin/sh\n\(quoted(kept)) \"$@\" || exit $?\n"
      }
    }
    text = without(text)
    if !text.hasSuffix("\n") { text += "\n" }
    try LocalFile.write(Array((text + command + "\n").utf8), to: path)
    try LocalFile.makeExecutable(path)
  }

  private static func isShellScript(_ text: String) -> Bool {
    guard let first = text.split(separator: "\n").first, first.hasPrefix("#!") else {
      return !text.hasPrefix("\u{7F}ELF")
    }
    return ["sh", "bash", "dash", "zsh", "ksh"].contains { first.hasSuffix("/\($0)") || first.hasSuffix(" \($0)") }
  }

  /// The hook without what was added to it.
  private static func without(_ text: String) -> String {
    guard let begin = text.firstRange(of: marks.begin), let end = text.firstRange(of: marks.end),
      begin.lowerBound < end.lowerBound
    else { return text }
    let rest = text[end.upperBound...]
    return String(text[..<begin.lowerBound]) + (rest.hasPrefix("\n") ? rest.dropFirst() : rest)
  }

  /// A word of a shell command.
  private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
