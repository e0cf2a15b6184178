internal import RsyncWire
internal import SSHConnection
internal import SyncKit

extension RemoteHost {
  /// Throws unless there is an sftp that can do what the exclusive mode needs, and that sees the folder where it has been
  /// made.
  func requireSFTP(isMade: Bool = true) async throws(SyncError) {
    guard !hasSFTP else { return }
    let (root, path) = (root, folder.path)
    hasSFTP = try await sftp { client throws(SFTPError) in
      guard isMade else { return false }
      guard try client.perform([.stat(root)]) == [.found(.folder)] else {
        throw .lacks("the folder \(path) that rsync sees; an absolute `path` may help")
      }
      return true
    }
  }

  /// Puts what is staged in place, and removes the staging folder. Gives what could not be done, and why; then `moveBack` has
  /// to follow.
  ///
  /// - Parameter folders: those that the files lie in; they are made where they are missing.
  func publish(
    _ moves: [Move], below folders: [SyncPath], from staging: SyncPath
  ) async throws(SyncError) -> [SyncPath: String] {
    let (root, hasLinks) = (root, hasLinks)
    return try await sftp { client throws(SFTPError) in
      var publication = Publication(client, root: root)
      let ready = try publication.prepare(moves, below: folders)
      if !hasLinks, let first = ready.lazy.compactMap(\.staged).first {
        try publication.prove(with: first, in: staging)
        self.hasLinks = true
      }
      try publication.run(ready)
      if publication.obstacles.isEmpty {
        try publication.discard(
          moves.compactMap(\.staged), folders.compactMap { staging.appending($0.bytes) } + [staging])
      }
      return publication.obstacles
    }
  }

  /// Restores what a crash or a lost connection has left without its name, and removes the staging folder.
  func moveBack(_ moves: [Move], from staging: SyncPath) async throws(SyncError) {
    let root = root
    let inside = try await listed(in: staging)
    let nameless = try await sftp { client throws(SFTPError) in
      let (files, folders) = (inside.filter { !$0.isFolder }, inside.filter(\.isFolder))
      let publication = Publication(client, root: root)
      // First: a server that has only stalled can put nothing in place any more when it is looked who has lost his name.
      try publication.discard(files.map(\.path), folders.map(\.path) + [staging])
      return try publication.moveBack(moves)
    }
    if let path = nameless.first {
      throw SyncError(
        .unavailable,
        "cannot restore \(path) on \(folder.hostName); its content is in the same folder, in the file whose name ends in "
          + ".old.tmp, and in the history here")
    }
  }

  private func listed(in staging: SyncPath) async throws(SyncError) -> [(path: SyncPath, isFolder: Bool)] {
    do throws(SyncError) {
      return try await list().files.compactMap { file in
        SyncPath(bytes: file.name).map { (path: $0, isFolder: file.kind == .folder) }
      }.filter { $0.path.isInside(staging) }
    } catch {
      // Another step handles a folder that is missing for now.
      guard error.code == .notFound else { throw error }
      return []
    }
  }

  /// Tries out with a file that is staged for that whether the exclusive mode is possible, and removes the staging folder.
  func proveLinks(with staged: SyncPath, in staging: SyncPath) async throws(SyncError) {
    let root = root
    try await sftp { client throws(SFTPError) in
      let publication = Publication(client, root: root)
      let proof = Result { () throws(SFTPError) in try publication.prove(with: staged, in: staging) }
      try publication.discard([staged], [staging])
      try proof.get()
    }
  }

  /// Gives something another name that nothing has.
  func rename(_ path: SyncPath, to other: SyncPath) async throws(SyncError) -> Bool {
    let root = root
    return try await sftp { client throws(SFTPError) in
      try client.perform([.move(root + path.bytes, to: root + other.bytes)])[0].isDone
    }
  }

  /// Removes folders as far as they are empty; whether all of them are gone.
  func remove(folders: [SyncPath]) async throws(SyncError) -> Bool {
    let root = root
    return try await sftp { client throws(SFTPError) in
      try client.perform(folders.deepestFirst.map { .removeFolder(root + $0.bytes) }).allSatisfy(\.isDone)
    }
  }

  /// Where the folder is for sftp: as for a command, beginning in the home folder.
  private var root: [UInt8] { Array(ServerCommand.path(folder.path).utf8) }

  private func sftp<Value>(_ body: (SFTPClient) throws(SFTPError) -> Value) async throws(SyncError) -> Value {
    try await exchange(.subsystem("sftp")) { program throws(ExchangeFailure) in
      do throws(SFTPError) { return try body(try SFTPClient(program)) } catch { throw .sftp(error) }
    }.0
  }
}
