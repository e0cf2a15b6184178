import Synchronization

/// A storage whose uploads are read back and compared, as far as its capabilities require it.
///
/// After an altered upload, every upload is read back.
final class VerifiedStorage: StorageLayer {
  let storage: any Storage
  private let isDoubted = Mutex(false)

  init(storage: any Storage) { self.storage = storage }

  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value { try await work() }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results = try await storage.commit(changes)
    let uploads = try changes.indices.paired(with: results, from: address).compactMap { index, result in
      if case .done(_?) = result, changes[index].content != nil, !ReservedName.isReserved(changes[index].path.name) {
        index
      } else {
        nil
      }
    }
    var check = try await storage.capabilities().uploadCheck
    if isDoubted.withLock({ $0 }) { check = .each }
    var due = Self.due(uploads, check)
    try await verify(due, of: changes, isRequired: check == .each, &results)
    if check == .sampled, isDoubted.withLock({ $0 }) {
      due = uploads.filter { !due.contains($0) }
      try await verify(due, of: changes, isRequired: true, &results)
    }
    return results
  }

  /// Returns the uploads of a batch that are read back.
  private static func due(_ uploads: [Int], _ check: Capabilities.UploadCheck) -> [Int] {
    switch check {
    case .confirmed: []
    case .each: uploads
    case .sampled: uploads.indices.filter { $0 == 0 || $0 == uploads.count - 1 }.map { uploads[$0] }
    }
  }

  /// Reads uploads back and compares them. If an upload cannot be read and the check is required, its result becomes unknown, so
  /// that the next pass reads the file. A version that another writer has stored since is not an altered one.
  private func verify(
    _ due: [Int], of changes: [Change], isRequired: Bool, _ results: inout [WriteResult]
  ) async throws(SyncError) {
    guard !due.isEmpty else { return }
    let readings: [ReadResult]
    do throws(SyncError) { readings = try await storage.read(due.map { changes[$0].path }, into: DigestSink()) } catch {
      // The changes are made: that they could not be checked must not hide it.
      if isRequired { for index in due { results[index] = .unknown(error) } }
      return
    }
    for (index, reading) in try due.paired(with: readings, from: address) {
      guard let content = changes[index].content, case .done(let written?) = results[index] else { continue }
      guard case .read(let entry) = reading, let digest = entry.digest else {
        if case .failed(let error) = reading, error.found != nil {
          isDoubted.withLock { $0 = true }
          results[index] = .unknown(error)
        } else if isRequired {
          results[index] = .unknown(unread(changes[index].path))
        }
        continue
      }
      if digest == content.digest {
        results[index] = .done(entry)
      } else if entry.revision == written.revision {
        isDoubted.withLock { $0 = true }
        results[index] = .unknown(altered(changes[index].path, into: digest))
      }
    }
  }

  private func unread(_ path: SyncPath) -> SyncError {
    SyncError(.pathFailed, "cannot read \(path) back from \(address) to verify it")
  }

  private func altered(_ path: SyncPath, into digest: Digest) -> SyncError {
    var error = SyncError(.pathFailed, "\(address) has another content of \(path) than it was sent")
    error.found = digest
    return error
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    let findings = try await storage.diagnose()
    switch try await storage.capabilities().uploadCheck {
    case .confirmed: return findings
    case .each: return findings + [Finding(.good, "each upload is read back and compared")]
    case .sampled:
      return findings + [
        Finding(
          .note,
          "nothing but the size confirms an upload; the first and the last of each batch are read back, the others are not verified"
        )
      ]
    }
  }
}
