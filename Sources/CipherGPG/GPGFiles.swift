internal import SyncKit

/// Files that users have encrypted with gpg or Emacs. Uses the keys and the agent of this machine.
struct GPGFiles: FileSealer {
  let keyring: Keyring
  let sleep: @Sendable (Duration) async throws -> Void

  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile {
    let head = try head(of: sealed)
    let (text, facts) = try await pipeline(.decrypt).run(sealed, atMost: limit)
    guard !facts.isSigned else { throw SyncError(.suspect, "is signed, and the merged file would not be") }
    return OpenedFile(text: text, readers: head.keys, isArmored: head.isArmored)
  }

  /// Encrypts for the same readers, whose keys need not be trusted again. gpg's configuration may add keys, so the result is
  /// compared with the request.
  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8] {
    let operation = Pipeline.Operation.encryptAgain(for: file.readers.sorted(), isArmored: file.isArmored)
    let sealed = try await pipeline(operation).run(text).bytes
    guard try head(of: sealed).keys == file.readers else {
      throw SyncError(.suspect, "would be encrypted for other keys than before, because gpg.conf adds or removes some")
    }
    return sealed
  }

  private func head(of sealed: [UInt8]) throws(SyncError) -> MessageHead {
    do throws(Complaint) { return try MessageHead(sealed) } catch { throw SyncError(error) }
  }

  private func pipeline(_ operation: Pipeline.Operation) throws(SyncError) -> Pipeline {
    do throws(Complaint) { return try Pipeline(operation, try keyring.context(), sleep) } catch {
      throw SyncError(error)
    }
  }
}
