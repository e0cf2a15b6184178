internal import RsyncWire
internal import SSHConnection
internal import SyncKit

extension RemoteHost {
  /// Throws unless the host has an sftp server that supports the exclusive mode and that sees the folder, once it is created.
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

  /// Puts staged files in place, and removes the staging folder. Returns the files that failed, with the reasons; then call
  /// `moveBack`.
  ///
  /// - Parameter folders: the parent folders of the files; missing ones are created.
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

  /// Returns true if the host has an sftp server that sees the folder and that can give files second names.
  func canLink() async throws(SyncError) -> Bool {
    guard !lacksLinks else { return false }
    do throws(SyncError) { try await requireSFTP() } catch {
      // Without sftp, as with a restricted key, everything else still works.
      guard error.code != .cancelled else { throw error }
      lacksLinks = true
    }
    return !lacksLinks
  }

  /// Makes no more links in this process, because one request has failed.
  func renounceLinks() { lacksLinks = true }

  /// Gives staged files, which stay, second names that must be free. A lookup shows which were made.
  ///
  /// - Parameters:
  ///   - folders: the parent folders of the new names; missing ones are created.
  ///   - trial: a temporary name for the test if the folder supports links.
  func link(_ moves: [Move], below folders: [SyncPath], trial: SyncPath) async throws(SyncError) {
    let (root, hasLinks) = (root, hasLinks)
    self.hasLinks = try await sftp { client throws(SFTPError) in
      var publication = Publication(client, root: root)
      let ready = try publication.prepare(moves, below: folders)
      guard let first = ready.lazy.compactMap(\.staged).first else { return hasLinks }
      if !hasLinks { try publication.prove(with: first, at: trial) }
      try publication.run(ready)
      return true
    }
  }

  /// Restores the names that a crash or a lost connection has left missing, and removes the staging folder.
  func moveBack(_ moves: [Move], from staging: SyncPath) async throws(SyncError) {
    let root = root
    let inside = try await listed(in: staging)
    let nameless = try await sftp { client throws(SFTPError) in
      let (files, folders) = (inside.filter { !$0.isFolder }, inside.filter(\.isFolder))
      let publication = Publication(client, root: root)
      // Discard first: a stalled server can then no longer put files in place while missing names are restored.
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
      // A later step handles a missing folder.
      guard error.code == .notFound else { throw error }
      return []
    }
  }

  /// Tests with a staged file if the exclusive mode is possible, and removes the staging folder.
  func proveLinks(with staged: SyncPath, in staging: SyncPath) async throws(SyncError) {
    let root = root
    try await sftp { client throws(SFTPError) in
      let publication = Publication(client, root: root)
      let proof = Result { () throws(SFTPError) in try publication.prove(with: staged, in: staging) }
      try publication.discard([staged], [staging])
      try proof.get()
    }
  }

  /// Renames a file or folder to an unused name.
  func rename(_ path: SyncPath, to other: SyncPath) async throws(SyncError) -> Bool {
    let root = root
    return try await sftp { client throws(SFTPError) in
      try client.perform([.move(root + path.bytes, to: root + other.bytes)])[0].isDone
    }
  }

  /// Removes folders if they are empty; returns true if all of them are gone.
  func remove(folders: [SyncPath]) async throws(SyncError) -> Bool {
    let root = root
    return try await sftp { client throws(SFTPError) in
      try client.perform(folders.deepestFirst.map { .removeFolder(root + $0.bytes) }).allSatisfy(\.isDone)
    }
  }

  /// The folder's path for sftp: as for a command, relative to the home folder.
  private var root: [UInt8] { Array(ServerCommand.path(folder.path).utf8) }

  private func sftp<Value>(_ body: (SFTPClient) throws(SFTPError) -> Value) async throws(SyncError) -> Value {
    try await exchange(.subsystem("sftp")) { program throws(ExchangeFailure) in
      do throws(SFTPError) { return try body(try SFTPClient(program)) } catch { throw .sftp(error) }
    }.0
  }
}
