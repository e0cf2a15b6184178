internal import SyncKit

extension JSON {
  /// The value as one line that is safe in a header: characters beyond printable ASCII are escaped, which JSON allows in
  /// strings, the only place where they occur.
  var headerText: String {
    var text = ""
    for unit in line.utf16 {
      if (0x20..<0x7F).contains(unit) {
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }
}
