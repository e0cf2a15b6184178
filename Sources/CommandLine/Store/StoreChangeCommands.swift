import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd store put`: writes a file.
struct StorePutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put", abstract: "Write a file of the store.",
    discussion: """
      The version that it replaces is in the history, and `syncd undo last` undoes the command. A file whose content is damaged is \
      replaced, too. Example: syncd store put notes.org /tmp/notes.org
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.", completion: .storeFiles) var path: StorePath
  @Argument(help: "File with the content. Default: standard input.", completion: .file()) var file: String?

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let path = try path.path(in: configuration)
    let content = Content(try LocalFile.read(file.map(ServiceFile.absolute) ?? "/dev/stdin"))
    let isChanged = try await Workspace.with(configuration, .exclusive) { workspace in
      try await StoreEdit(workspace, as: "written with `syncd store put`").put(content, at: path)
    }
    StoreChangeReport(common, [path].filter { _ in isChanged }).print(
      "wrote", otherwise: "\(path) has this content already")
  }
}

/// `syncd store mv`: renames a file.
struct StoreMoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv", abstract: "Rename a file of the store.",
    discussion: "Its content and time stay. Example: syncd store mv notes.org archive/notes.org")

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.", completion: .storeFiles) var path: StorePath
  @Argument(help: "New path in the store; no file may have it.") var target: StorePath

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let (path, target) = (try path.path(in: configuration), try target.path(in: configuration))
    try await Workspace.with(configuration, .exclusive) { workspace in
      try await StoreEdit(workspace, as: "moved with `syncd store mv`").move(path, to: target)
    }
    StoreChangeReport(common, [path, target]).print("moved \(path) to \(target)")
  }
}

/// `syncd store rm`: removes files.
struct StoreRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove files of the store.",
    discussion: """
      The files are in the history: `syncd undo last` undoes the command, and `syncd deleted` lists them. A file whose content is \
      damaged is removed, too. Example: syncd store rm old.org
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "Files in the store.", completion: .storeFiles) var paths: [StorePath]

  func run() async throws {
    let configuration = try common.configuration(of: paths)
    let paths = try paths.map { try $0.path(in: configuration) }
    let removed = try await Workspace.with(configuration, .exclusive) { workspace in
      let edit = try await StoreEdit(workspace, as: "removed with `syncd store rm`")
      var removed: [SyncPath] = []
      for path in paths {
        guard try await edit.put(nil, at: path) else {
          throw SyncError(.notFound, "\(path) not found in the store")
        }
        removed.append(path)
      }
      return removed
    }
    StoreChangeReport(common, removed).print("removed")
  }
}

/// The report of a command that changed files of the store.
struct StoreChangeReport {
  private let common: CommonOptions
  private let paths: [SyncPath]

  init(_ common: CommonOptions, _ paths: [SyncPath]) { (self.common, self.paths) = (common, paths) }

  /// Prints one sentence, whose subject is the files unless it says more than one word.
  ///
  /// - Parameter otherwise: what to print if nothing was changed.
  func print(_ sentence: String, otherwise: String = "") {
    if common.json {
      return Console.print(json: ["version": 1, "paths": .array(paths.map { .string($0.description) })])
    }
    guard !common.quiet else { return }
    if paths.isEmpty { return Console.print(otherwise) }
    let text = sentence.contains(" ") ? sentence : "\(sentence) \(paths.map(\.description).joined(separator: ", "))"
    Console.print("\(text); the next pass sends the change to the remotes")
  }
}
