/// Opens single files that people have sealed themselves, such as `notes.org.gpg`, and seals them again. Nothing that was
/// opened ever leaves the memory.
///
/// What is wrong with a file is told as the rest of a sentence that the file's name begins.
public protocol FileSealer: Sendable {
  /// Opens a file. Throws if the key is not at hand without asking anybody, if the file is not whole or holds more than
  /// `limit` bytes, and if it could not be sealed again for exactly those who can read it.
  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile

  /// Seals a text in the form of `file`, for everybody who can read that and for nobody else.
  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8]
}

/// A sealed file that was opened.
public struct OpenedFile: Hashable, Sendable {
  public var text: [UInt8]
  /// Everybody who can read the file, as the format calls them.
  public var readers: Set<String>
  /// Whether the sealed form is text too.
  public var isArmored: Bool

  public init(text: [UInt8], readers: Set<String>, isArmored: Bool) {
    self.text = text
    self.readers = readers
    self.isArmored = isArmored
  }
}
