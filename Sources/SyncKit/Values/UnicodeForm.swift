internal import Foundation

/// A form of the letters that Unicode can write in several ways, such as é.
public enum UnicodeForm: String, CaseIterable, Hashable, Sendable {
  /// A letter and its marks are one character where there is one (NFC).
  case composed
  /// A letter and its marks are characters of their own (NFD).
  case decomposed

  /// Returns true if a name has this form. A name that is not UTF-8 has every form.
  public func holds(_ name: some Collection<UInt8>) -> Bool {
    guard name.contains(where: { $0 >= 0x80 }), let text = String(validating: name, as: UTF8.self) else { return true }
    let other =
      switch self {
      case .composed: text.precomposedStringWithCanonicalMapping
      case .decomposed: text.decomposedStringWithCanonicalMapping
      }
    return other.utf8.elementsEqual(name)
  }
}
