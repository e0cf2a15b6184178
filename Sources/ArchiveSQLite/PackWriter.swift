import SyncKit
internal import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Appends frames to pack files. What was appended before is never changed.
///
/// A frame counts only once a row of the database points to it, and that row is written after ``sync()``. What a crash leaves
/// behind the last such frame is never read.
final class PackWriter: Sendable {
  private struct State {
    var zstandard: Zstandard?
    /// The file that is appended to, and the position of the next frame in it.
    var current: (pack: Int, file: StateFile, end: Int)?
    /// The files that are not durable.
    var unsynced: [Int: StateFile] = [:]
    /// The lowest number that the next file may have.
    var least = 1
  }

  private let files: PackFiles
  private let state = Mutex(State())

  /// The size at which the next file is begun.
  private static let largest = 64 << 20

  init(_ files: PackFiles) { self.files = files }

  /// Returns a block as a frame.
  func compressed(_ bytes: [UInt8], against former: [UInt8] = []) throws(SyncError) -> [UInt8] {
    try state.withLock { state throws(SyncError) in
      let zstandard = state.zstandard ?? Zstandard()
      state.zstandard = zstandard
      return try zstandard.compressed(bytes, against: former)
    }
  }

  /// Appends a frame with `size` bytes of content. After a failure, as on a full disk, the next frame gets the same position.
  func append(_ frame: [UInt8], size: Int) throws(SyncError) -> BlockPlace {
    try state.withLock { state throws(SyncError) in
      var current = try current(&state)
      state.unsynced[current.pack] = current.file
      try current.file.write(frame, at: current.end)
      let place = BlockPlace(pack: current.pack, start: current.end, length: frame.count, size: size)
      current.end += frame.count
      state.current = current
      return place
    }
  }

  /// Makes everything that was appended durable. After a failure nothing that was appended since the last time may be used.
  func sync() throws(SyncError) {
    try state.withLock { state throws(SyncError) in
      guard !state.unsynced.isEmpty else { return }
      let files = state.unsynced
      state.unsynced = [:]
      do throws(SyncError) {
        try ArchiveFailpoint.packSyncing.reach()
        for (_, file) in files.sorted(by: { $0.key < $1.key }) { try file.sync() }
        try ArchiveFailpoint.packSynced.reach()
      } catch {
        // A second sync of the same file would succeed without having written anything.
        if let pack = state.current?.pack { state.least = pack + 1 }
        state.current = nil
        throw error
      }
    }
  }

  /// Begins another file with the next frame. Returns its number, which is above those of all present files.
  @discardableResult func beginAnotherFile() throws(SyncError) -> Int {
    let last = try files.numbers().last ?? 0
    return state.withLock { state in
      state.current = nil
      state.least = max(state.least, last + 1)
      return state.least
    }
  }

  /// Returns the file to append to: the last one that exists, or a new one.
  private func current(_ state: inout State) throws(SyncError) -> (pack: Int, file: StateFile, end: Int) {
    if let current = state.current, current.end < Self.largest { return current }
    if let full = state.current?.pack { state.least = full + 1 }
    try ContentFiles.makeFolder(files.folder)
    let last = try files.numbers().last ?? 0
    if last >= state.least, files.size(of: last) < Self.largest {
      return (last, try StateFile(files.path(of: last), O_WRONLY), files.size(of: last))
    }
    let pack = max(last + 1, state.least)
    let file = try StateFile(files.path(of: pack), O_WRONLY | O_CREAT | O_EXCL)
    try StateFile.syncFolder(files.folder)
    return (pack, file, 0)
  }
}
