import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
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

  /// The same so that nobody else can read it, not even for a moment.
  static func writePrivately(_ bytes: [UInt8], to path: String) throws(SyncError) {
    let temporary = "\(path).\(UInt32.random(in: 0...(.max)))"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SyncError(.pathFailed, "\(path) cannot be written: \(systemMessage)") }
    let count = unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
    let isSynced = fsync(descriptor) == 0
    guard close(descriptor) == 0, isSynced, count == bytes.count, unsafe rename(temporary, path) == 0 else {
      let error = SyncError(.pathFailed, "\(path) cannot be written: \(systemMessage)")
      try remove(temporary)
      throw error
    }
  }

  private static var systemMessage: String { unsafe String(cString: strerror(errno)) }

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
