/// A file's bytes as Unicode scalars, with an error for each sequence that is not UTF-8.
struct DecodedText {
  private(set) var scalars: [Unicode.Scalar] = []
  private(set) var mistakes: [Diagnostic] = []
  private var location: TextLocation

  /// Decodes `bytes`. U+FFFD replaces invalid UTF-8, and a byte order mark at the beginning is skipped.
  init(_ bytes: [UInt8], file: String) {
    location = TextLocation(file: file)
    scalars.reserveCapacity(bytes.count)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    decode(bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...])
  }

  private mutating func decode(_ bytes: ArraySlice<UInt8>) {
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        append(Unicode.UTF8.decode(encoded))
      case .error:
        mistakes.append(Diagnostic("this is not UTF-8", at: location))
        append("\u{FFFD}")
      case .emptyInput:
        return
      }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    scalars.append(scalar)
    location.advance(over: scalar)
  }
}
