/// The reason why a file cannot be decrypted. The caller adds the file's name.
enum AgeError: Error, Hashable {
  /// The file does not begin like an age file.
  case notAge
  /// The header or the armor violates the format.
  case malformed(String)
  /// The file was decrypted, but cannot be encrypted for the same recipients.
  case readers(String)
  /// None of the available keys decrypts the file.
  case noKey
  /// The file is truncated or was modified.
  case damaged
}
