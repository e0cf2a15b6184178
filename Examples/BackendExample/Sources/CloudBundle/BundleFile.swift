import Foundation
internal import SyncKit

/// The bundle on disk: read and replaced as a whole, durably and under a lock.
struct BundleFile: Sendable {
  let path: String

  private var folder: String { URL(filePath: path).deletingLastPathComponent().path }
  /// The next bundle while it is being written; every replica ignores names like this one.
  private var leftover: String { path + ".syncd-next.tmp" }

  /// Reads the bundle; `.notFound` if there is none.
  func read() throws(SyncError) -> Bundle {
    guard let bytes = try bytes() else { throw SyncError(.notFound, "there is no bundle at \(path)") }
    guard let bundle = Bundle(bytes) else {
      throw SyncError(.wrongReplica, "\(path) is damaged or no bundle; restore it, or move it away and run again")
    }
    return bundle
  }

  /// Creates an empty bundle if there is none.
  func create() throws(SyncError) {
    try locked { () throws(SyncError) in
      if try bytes() == nil { try replace(by: Bundle()) }
    }
  }

  /// Changes the bundle under a lock.
  func update<Value>(_ change: (inout Bundle) -> Value) throws(SyncError) -> Value {
    try locked { () throws(SyncError) in
      let old = try read()
      var new = old
      let value = change(&new)
      if new != old { try replace(by: new) }
      return value
    }
  }

  /// Removes a half-written bundle that a crash left.
  func removeLeftover() throws(SyncError) {
    guard access(folder, F_OK) == 0 else { return }
    try locked { () throws(SyncError) in
      guard unlink(leftover) == 0 || errno == ENOENT else { throw failure("remove the half-written \(leftover)") }
    }
  }

  private func bytes() throws(SyncError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read \(path)")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do { return Array(try file.readToEnd() ?? Data()) } catch { throw failure("read \(path)") }
  }

  /// The new bundle is durable before it is renamed, and the name is durable before the change is reported.
  private func replace(by bundle: Bundle) throws(SyncError) {
    let descriptor = open(leftover, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write \(leftover)") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var bytes = bundle.bytes
    try BundleFailpoint.writing.reach(writing: &bytes)
    do {
      try file.write(contentsOf: bytes)
      try file.synchronize()
    } catch {
      throw failure("write \(leftover)")
    }
    try BundleFailpoint.written.reach()
    guard rename(leftover, path) == 0 else { throw failure("replace \(path)") }
    try BundleFailpoint.replaced.reach()
    try inFolder { descriptor throws(SyncError) in
      guard fsync(descriptor) == 0 else { throw failure("sync \(folder)") }
    }
  }

  private func locked<Value>(_ body: () throws(SyncError) -> Value) throws(SyncError) -> Value {
    try inFolder { descriptor throws(SyncError) in
      // The lock is released with the descriptor, also when the process dies.
      guard flock(descriptor, LOCK_EX) == 0 else { throw failure("lock \(folder)") }
      return try body()
    }
  }

  private func inFolder<Value>(_ body: (CInt) throws(SyncError) -> Value) throws(SyncError) -> Value {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open \(folder)") }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  private func failure(_ action: String) -> SyncError {
    let number = errno
    let code: SyncError.Code = number == ENOSPC || number == EDQUOT ? .noSpace : .unavailable
    return SyncError(code, "cannot \(action): \(String(cString: strerror(number)))")
  }
}
