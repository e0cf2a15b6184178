#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Base64 with the alphabet for addresses and without padding (RFC 4648, section 5), as web push writes keys and tokens.
package enum Base64URL {
  /// Returns the text of bytes.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { letter in
        switch letter {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: letter
        }
      })
  }

  /// Returns the bytes of a text; nil if it is not of this form. Padding is accepted.
  package static func bytes(of text: String) -> [UInt8]? {
    let digits = text.trimmingSuffix { $0 == "=" }
    guard digits.utf8.allSatisfy(isDigit), digits.utf8.count % 4 != 1 else { return nil }
    let padded = digits.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    return Data(base64Encoded: padded + padding).map(Array.init)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while isRemoved: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isRemoved(last) { rest.removeLast() }
    return rest
  }
}
