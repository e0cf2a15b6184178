import ArchiveSQLite
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Removes a leaked text from the history: all previous versions of a file, and all others with the text.
package struct HistoryPurge {
  private let workspace: Workspace
  private let path: SyncPath
  /// The text; nil if only the versions of the file are removed.
  private let text: [UInt8]?
  /// The contents to remove.
  package private(set) var digests: Set<Digest> = []
  /// What still has a version that is to be removed, as sentences.
  package private(set) var remains: [String] = []

  /// Finds what to remove. Changes nothing in the history.
  package init(_ path: SyncPath, text: [UInt8]?, in workspace: Workspace) async throws {
    self.workspace = workspace
    self.path = path
    self.text = text
    digests = try await workspace.history.contents(of: path)
    guard text != nil || !digests.isEmpty else {
      throw SyncError(.notFound, "the history has no version of \(path); give its path in the store")
    }
    if text != nil { digests.formUnion(try await contentsWithText()) }
    try await checkFile()
    try await checkRemotes()
    try await checkConflicts()
    remains += copies.map { "\($0) is a copy of an earlier archive; delete it" }
  }

  /// Removes the contents, except those that the store, a remote or a conflict has.
  package func carryOut() async throws(SyncError) {
    try await workspace.writable?.purge(digests, of: path)
    // It keeps words of former versions for a while, and is made again from the files.
    StoreIndex.remove(in: workspace.state)
  }

  /// Returns the files of the state folder that contain the text, and the folder of the contents if a compressed one does.
  package func filesWithText() async throws(SyncError) -> [String] {
    guard let text else { return [] }
    var found = try await contentsWithText().isEmpty ? [] : [workspace.state.file("contents")]
    for file in try Self.files(in: workspace.state.path) where try ByteSearch(text).isFound(inFile: file) {
      found.append(file)
    }
    return found
  }

  private func contentsWithText() async throws(SyncError) -> Set<Digest> {
    guard let text else { return [] }
    var found: Set<Digest> = []
    for digest in try await workspace.history.allContents() {
      guard var reader = try await workspace.archive.content(digest)?.reader() else { continue }
      var search = ByteSearch(text)
      while let chunk = try await reader.next() { search.add(chunk) }
      if search.isFound { found.insert(digest) }
    }
    return found
  }

  /// The present file is not a previous version. It must not contain the text, and the remotes must have it.
  private mutating func checkFile() async throws {
    let present = try await StoreEdit(workspace, as: "").current(path)?.digest
    if let text, let present, let bytes = try await workspace.archive.content(present)?.bytes() {
      var search = ByteSearch(text)
      search.add(bytes)
      if search.isFound { remains.append("\(path) still contains the text; remove it there first") }
    }
    for decision in try await workspace.history.decisions(on: path) {
      guard let agreed = decision.agreement?.digest, agreed != present else { continue }
      remains.append("\(decision.remote) still has the version of \(path) before your last edit; run `syncd --once`")
    }
    if let present { digests.remove(present) }
  }

  private mutating func checkRemotes() async throws(SyncError) {
    for (remote, other, digest) in try await workspace.history.agreements(on: digests) {
      digests.remove(digest)
      if other != path {
        remains.append("\(other) on \(remote) has the same content as a version that you want to remove")
      }
    }
    for remote in workspace.configuration.remotes where remote.keepsFormerVersions {
      remains.append("\(remote.name) keeps all former versions; remove the text from its history with its own tools")
    }
  }

  private mutating func checkConflicts() async throws(SyncError) {
    for conflict in try await workspace.history.conflicts().map(\.conflict) {
      let versions = [conflict.base, conflict.local, conflict.remote, conflict.marked].compactMap(\.self)
      guard !digests.isDisjoint(with: versions) else { continue }
      digests.subtract(versions)
      remains.append("\(conflict.path) has a conflict; run `syncd resolve` first")
    }
    if try await workspace.archive.intendedPaths().contains(path) {
      remains.append("a pass over \(path) was interrupted; run `syncd --once`")
    }
  }

  /// The archives that were set aside, or kept by an upgrade.
  private var copies: [String] {
    let names = (try? StateFile.names(in: workspace.state.path)) ?? []
    return names.filter { $0.contains(".damaged-") || $0.hasPrefix("archive.sqlite.format-") }.sorted()
      .map { workspace.state.file($0) }
  }

  private static func files(in folder: String) throws(SyncError) -> [String] {
    var files: [String] = []
    for name in try StateFile.names(in: folder).sorted() {
      let path = "\(folder)/\(name)"
      if (try? StateFile(path, O_RDONLY | O_DIRECTORY, followsLinks: false)) != nil {
        files += try Self.files(in: path)
      } else if !ControlSocket.names.contains(name) {
        // Sockets have no content.
        files.append(path)
      }
    }
    return files
  }
}

extension RemoteConfiguration {
  fileprivate var keepsFormerVersions: Bool { (sync.type as? any SyncBackend.Type)?.keepsFormerVersions == true }
}
