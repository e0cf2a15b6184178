internal import SyncKit

/// The staging area on its storage: whole files, encrypted and decrypted, with the index and the digests that define what is live.
struct StagingArea: Sendable {
  /// A file of the area: its clear text and the version that was read.
  struct File: Sendable {
    var bytes: Bytes
    var revision: Revision
    var isFirm: Bool
    /// True if it was encrypted there.
    var isSealed: Bool
  }

  /// A larger file is not an Org file that anybody edits.
  static let largestFile = 64 << 20

  let storage: any Storage
  let cipher: (any Cipher)?

  var address: String { storage.address }

  static func path(_ name: String) -> SyncPath {
    guard let path = SyncPath(name) else { preconditionFailure("\(name) is a name of the protocol") }
    return path
  }

  /// Reads a file; nil if it is not there. Throws if that is unknown, or if it is not encrypted as the settings say.
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

  /// Each file is judged by its own first bytes (org-mobile.el leaves only the checksums in clear).
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

  /// All bytes of a content; throws if it is incomplete or differs from its metadata.
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

  /// What is live: what the index and the digests name, never what merely lies there. Nil where nothing was pushed yet.
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

  /// What a push says is in the area.
  struct Contents: Hashable, Sendable {
    var index: StagingIndex
    var checksums: ChecksumList
    fileprivate var indexBytes: Bytes

    /// True if the index is the one that the digests were taken with; if not, a push is in progress, or a user keeps the
    /// area by hand.
    var isSettled: Bool { checksums.verifies(indexBytes, as: Bytes(StagingName.index.utf8)) ?? true }

    /// Returns false if a file was decrypted to something that is neither text nor what the digests say.
    func believes(_ file: File, at path: SyncPath) -> Bool {
      !file.isSealed || file.bytes.isText || checksums.verifies(file.bytes, as: path.bytes) == true
    }

    /// The files that are named, without those that the protocol itself is made of. Names that lead outside are invalid.
    var files: Set<SyncPath> {
      let own = [StagingName.index, StagingName.checksums, StagingName.capture].map { Bytes($0.utf8) }
      return Set((index.names + checksums.names).filter { !own.contains($0) }.compactMap { SyncPath(bytes: $0) })
    }
  }

  /// The capture file; a missing one is blank. Throws if it does not decrypt to text: the cipher cannot prove that the
  /// password was right or that no bit has flipped, and what is written in its place would be all that is left.
  func capture() async throws(SyncError) -> (file: CaptureFile, bytes: Bytes, revision: Revision?) {
    guard let file = try await read(Self.path(StagingName.capture)) else { return (CaptureFile([]), [], nil) }
    guard !file.isSealed || file.bytes.isText else { throw Self.notText(Self.path(StagingName.capture), in: address) }
    return (CaptureFile(file.bytes), file.bytes, file.revision)
  }

  /// A file that was decrypted to something that is not text.
  static func notText(_ path: SyncPath, in address: String) -> SyncError {
    SyncError(
      .unauthorized,
      "\(path) in \(address) does not decrypt to text: it was encrypted with another password, or it is damaged; it was not "
        + "changed. Compare the passwords on all devices. If they are the same, move the file away")
  }

  /// Returns true if Emacs has the capture file open and modified: it shows that by a link beside it.
  func captureIsLocked() async throws(SyncError) -> Bool {
    if case .absent = try await storage.confirm(file: Self.path(StagingName.captureLock)) { return false }
    return true
  }
}
