import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files that a person names on the command line, outside store and remotes.
enum LocalFile {
  /// The bytes of the file at `path`.
  static func read(_ path: String) throws(SyncError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SyncError(.pathFailed, "\(path) cannot be read")
    }
    return Array(data)
  }

  /// Writes the bytes to the file at `path`, whole or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
    do { try Data(bytes).write(to: URL(filePath: path), options: .atomic) } catch {
      throw SyncError(.pathFailed, "\(path) cannot be written: \(error)")
    }
  }

  /// Removes the file at `path`.
  static func remove(_ path: String) throws(SyncError) {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw SyncError(.pathFailed, "\(path) cannot be removed: \(error)")
    }
  }

  /// Gives the file at `path` another name, which must be free.
  static func move(_ path: String, to other: String) throws(SyncError) {
    do { try FileManager.default.moveItem(atPath: path, toPath: other) } catch {
      throw SyncError(.pathFailed, "\(path) cannot be moved to \(other): \(error)")
    }
  }

  /// Lets everybody who may read the file at `path` run it.
  static func makeExecutable(_ path: String) throws(SyncError) {
    do { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) } catch {
      throw SyncError(.pathFailed, "\(path) cannot be made executable: \(error)")
    }
  }

  /// Whether something is at `path`.
  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Makes the folder at `path` and those above it.
  static func makeFolder(_ path: String) throws(SyncError) {
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw SyncError(.pathFailed, "\(path) cannot be made: \(error)")
    }
  }
}
