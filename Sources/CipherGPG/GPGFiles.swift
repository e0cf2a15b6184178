internal import SyncKit

/// Files that people have sealed with gpg or Emacs, by the keys and the agent of this machine.
struct GPGFiles: FileSealer {
  let keyring: Keyring
  let sleep: @Sendable (Duration) async throws -> Void

  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile {
    do throws(Complaint) {
      let head = try MessageHead(sealed)
      let pipeline = try Pipeline(.open, try keyring.context(), atMost: limit, sleep)
      let (text, facts) = try await pipeline.run(sealed)
      guard !facts.isSigned else { throw Complaint("is signed, and what is merged would not be") }
      return OpenedFile(text: text, readers: head.keys, isArmored: head.isArmored)
    } catch { throw SyncError(error) }
  }

  /// For keys that the file was sealed for before nobody has to be trusted anew. That gpg has used exactly these is looked
  /// at afterwards, whatever its own settings add.
  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8] {
    do throws(Complaint) {
      let work = Pipeline.Work.sealAgain(for: file.readers.sorted(), isArmored: file.isArmored)
      let sealed = try await Pipeline(work, try keyring.context(), sleep).run(text).bytes
      guard try MessageHead(sealed).keys == file.readers else {
        throw Complaint("would be sealed for other keys than before: gpg.conf has its own say in that")
      }
      return sealed
    } catch { throw SyncError(error) }
  }
}
