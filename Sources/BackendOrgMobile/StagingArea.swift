internal import SyncKit

/// The staging area in its storage: whole files, encrypted and decrypted, with the index and the checksums that define which
/// are live.
struct StagingArea: Sendable {
  /// A file of the area: its plain text and the version that was read.
  struct File: Sendable {
    var bytes: Bytes
    var revision: Revision
    var isFirm: Bool
    /// True if the file in the storage is encrypted.
    var isSealed: Bool
  }

  /// The maximum size; a larger file is not an Org file that people edit.
  static let largestFile = 64 << 20

  let storage: any Storage
  let cipher: (any Cipher)?

  var address: String { storage.address }

  static func path(_ name: String) -> SyncPath {
    guard let path = SyncPath(name) else { preconditionFailure("\(name) is a name of the protocol") }
    return path
  }

  /// Reads a file; returns nil if it does not exist. Throws if that is unknown, or if the file's encryption contradicts the
  /// settings.
  func read(_ path: SyncPath) async throws(SyncError) -> File? {
    let sink = MemorySink(limit: Self.largestFile)
    switch try await storage.read(file: path, into: sink) {
    case .read(let entry):
      let (bytes, isSealed) = try await opened(sink.bytes, path)
      return File(bytes: bytes, revision: entry.revision, isFirm: entry.isFirm, isSealed: isSealed)
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.changedMeanwhile, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Decrypts a file, which is recognised by its first bytes (org-mobile.el encrypts all files except the checksums).
  private func opened(_ bytes: Bytes, _ path: SyncPath) async throws(SyncError) -> (Bytes, Bool) {
    let isChecksums = path == Self.path(StagingName.checksums)
    guard let cipher else {
      guard !bytes.starts(with: "Salted__") else {
        throw SyncError(
          .unauthorized,
          "\(path) in \(address) is encrypted; set `encryption = \"openssl\"` and the password")
      }
      return (bytes, false)
    }
    if cipher.isEncrypted(bytes) { return (try await cipher.decrypt(bytes, as: path), true) }
    guard isChecksums || bytes.isEmpty else {
      throw SyncError(
        .pathFailed,
        "\(path) in \(address) is not encrypted, but the settings say so; ignored. Check "
          + "org-mobile-use-encryption in Emacs")
    }
    return (bytes, false)
  }

  /// Returns all bytes of a content; throws if it is incomplete or does not match its size and digest.
  static func whole(_ content: Content, of path: SyncPath) async throws(SyncError) -> Bytes {
    let bytes = try await content.bytes(atMost: largestFile)
    guard bytes.count == content.size, Digest(of: bytes) == content.digest else {
      throw SyncError(.changedMeanwhile, "\(path) changed while it was read; the next pass tries again")
    }
    return bytes
  }

  /// Replaces a file, encrypted if the area is.
  func write(_ bytes: Bytes, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    let sealed = path == Self.path(StagingName.checksums) ? bytes : try await cipher?.encrypt(bytes, as: path) ?? bytes
    try StorageFailpoint.commitStarting.reach()
    let result = try await storage.write(Content(sealed), to: path, if: condition)
    try StorageFailpoint.commitFinished.reach()
    return result
  }

  /// The live files: those in the index and in the checksums, and no other files. Nil if nothing was pushed yet.
  func contents() async throws(SyncError) -> Contents? {
    let index = try await read(Self.path(StagingName.index))
    let checksums = try await read(Self.path(StagingName.checksums))
    guard let index else {
      guard checksums != nil else { return nil }
      throw SyncError(.unavailable, "\(address) has no \(StagingName.index) now; a push may be in progress")
    }
    let isGarbled =
      index.isSealed && !index.bytes.starts(with: "#+") && index.bytes.firstRange(of: Bytes("[[file:".utf8)) == nil
    guard !isGarbled, !index.isSealed || String(validating: index.bytes, as: UTF8.self) != nil else {
      throw SyncError(
        .unauthorized, "cannot decrypt \(StagingName.index) in \(address): the password differs from the one in Emacs")
    }
    return Contents(
      index: StagingIndex(index.bytes), checksums: ChecksumList(checksums?.bytes ?? []), indexBytes: index.bytes)
  }

  /// The content of the area according to the last push.
  struct Contents: Hashable, Sendable {
    var index: StagingIndex
    var checksums: ChecksumList
    fileprivate var indexBytes: Bytes

    /// True if the checksums match the index; otherwise a push is in progress, or a user maintains the area by hand.
    var isComplete: Bool { checksums.verifies(indexBytes, as: Bytes(StagingName.index.utf8)) ?? true }

    /// Returns false if the decrypted file is not text and does not match its checksum.
    func believes(_ file: File, at path: SyncPath) -> Bool {
      !file.isSealed || file.bytes.isText || checksums.verifies(file.bytes, as: path.bytes) == true
    }

    /// The listed files, without those of the protocol itself. Names outside the area are invalid.
    var files: Set<SyncPath> {
      let own = [StagingName.index, StagingName.checksums, StagingName.capture].map { Bytes($0.utf8) }
      return Set((index.names + checksums.names).filter { !own.contains($0) }.compactMap { SyncPath(bytes: $0) })
    }
  }

  /// Reads the capture file; a missing one is blank. Throws if it does not decrypt to text: the cipher cannot prove that the
  /// password is right or that no bit has flipped, and the capture file would be overwritten by garbage.
  func capture() async throws(SyncError) -> (file: CaptureFile, bytes: Bytes, revision: Revision?) {
    guard let file = try await read(Self.path(StagingName.capture)) else { return (CaptureFile([]), [], nil) }
    guard !file.isSealed || file.bytes.isText else { throw Self.notText(Self.path(StagingName.capture), in: address) }
    return (CaptureFile(file.bytes), file.bytes, file.revision)
  }

  /// The error for a file that does not decrypt to text.
  static func notText(_ path: SyncPath, in address: String) -> SyncError {
    SyncError(
      .unauthorized,
      "\(path) in \(address) does not decrypt to text: it was encrypted with another password, or it is damaged; it was not "
        + "changed. Compare the passwords on all devices. If they are the same, move the file away")
  }

  /// Returns true if Emacs has unsaved changes of the capture file, which it shows by a lock link beside it.
  func captureIsLocked() async throws(SyncError) -> Bool {
    if case .absent = try await storage.confirm(file: Self.path(StagingName.captureLock)) { return false }
    return true
  }
}
