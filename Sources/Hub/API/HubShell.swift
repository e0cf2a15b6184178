/// A file of the web client.
package struct ShellFile: Sendable {
  /// The content.
  package let bytes: [UInt8]
  /// The media type.
  package let type: String
  /// The validator, in quotes.
  package let etag: String

  /// A file.
  package init(bytes: [UInt8], type: String, etag: String) { (self.bytes, self.type, self.etag) = (bytes, type, etag) }
}
