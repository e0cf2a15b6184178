import Synchronization

/// The archives that this process writes, now or at any time later.
enum WrittenArchives {
  private static let databases = Mutex<Set<String>>([])

  /// Adds the archive with this database.
  static func add(_ database: String) { databases.withLock { _ = $0.insert(database) } }

  /// Returns true if the archive with this database was added.
  static func contain(_ database: String) -> Bool { databases.withLock { $0.contains(database) } }
}

extension SQLiteArchive {
  /// Tells the readers in this process that it is going to write the archive in `folder`, so that none of them makes the
  /// writer's connection read-only. An archive that the process has opened for writing before needs no such call.
  public static func expectWriting(in folder: String) { WrittenArchives.add(ArchiveFolder(path: folder).database) }
}
