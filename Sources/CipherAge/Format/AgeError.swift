/// Why a file could not be opened. The sentences are completed at the edge, where the file's name is known.
enum AgeError: Error, Hashable {
  /// It does not begin as an age file does.
  case notAge
  /// The header, or the armor around the file, is not as the format demands.
  case malformed(String)
  /// It was decrypted, and cannot be encrypted again for the same recipients.
  case readers(String)
  /// None of the keys at hand opens it.
  case noKey
  /// It was decrypted, and is not what was encrypted: it was cut, or changed.
  case damaged
}
