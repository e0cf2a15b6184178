/// Decrypts single files that the user encrypted, such as `notes.org.gpg`, and encrypts them again. Decrypted data never leaves
/// memory.
///
/// An error's message is the rest of a sentence that begins with the file's name.
public protocol FileSealer: Sendable {
  /// Opens a file. Throws if the key is not available without a prompt, if the file is incomplete or has more than `limit`
  /// bytes, and if it cannot be encrypted again for exactly its recipients.
  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile

  /// Encrypts a text in the form of `file`, for exactly the recipients of that file.
  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8]
}

/// A file that was decrypted.
public struct OpenedFile: Hashable, Sendable {
  /// The decrypted text.
  public var text: [UInt8]
  /// The recipients of the file, as the format names them.
  public var readers: Set<String>
  /// True if the encrypted form is text too.
  public var isArmored: Bool

  public init(text: [UInt8], readers: Set<String>, isArmored: Bool) {
    self.text = text
    self.readers = readers
    self.isArmored = isArmored
  }
}
