import SyncKit

/// Backups of archives and remotes, taken before each pass.
actor Backups {
  private var archives: [Int: [MemoryArchive.Backup]] = [:]
  private var remotes: [Int: [MemoryStorage.Backup]] = [:]

  func add(_ backup: MemoryArchive.Backup, of device: Int) { archives[device, default: []].append(backup) }

  /// Adds a backup of a remote. An empty folder without a marker is not a backup.
  func add(_ backup: MemoryStorage.Backup, ofRemote remote: Int) {
    if backup.hasMarker { remotes[remote, default: []].append(backup) }
  }

  /// Restores an archive from one of its backups, if there is one.
  func restore(_ archive: MemoryArchive, of device: Int, seed: UInt64) async {
    var generator = SplitMix64(state: seed)
    guard let backup = archives[device]?.randomElement(using: &generator) else { return }
    await archive.restore(backup)
  }

  /// Restores a remote from one of its backups. Returns true if there was one.
  func restore(_ storage: MemoryStorage, of remote: Int, seed: UInt64) async -> Bool {
    var generator = SplitMix64(state: seed)
    guard let backup = remotes[remote]?.randomElement(using: &generator) else { return false }
    await storage.restore(backup)
    return true
  }
}
