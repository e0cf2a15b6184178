/// The address of something on a network. In a settings file `${NAME}` expands.
///
/// It contains no password, because addresses are shown and logged; a password is a separate setting.
public struct URLText: Sendable, Hashable {
  /// The whole address.
  public let text: String

  /// The part before `://`, in lower-case letters.
  public var scheme: String { text.prefix { $0 != ":" }.lowercased() }

  /// Parses an address; nil unless it is `SCHEME://…` without spaces, control characters and passwords.
  public init?(_ text: String) {
    guard let separator = text.firstRange(of: "://"), Self.isScheme(text[..<separator.lowerBound]) else { return nil }
    let rest = text[separator.upperBound...]
    guard !rest.isEmpty, text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else { return nil }
    guard !Self.hasPassword(rest.prefix { !"/?#".contains($0) }) else { return nil }
    self.text = text
  }

  private static func hasPassword(_ authority: Substring) -> Bool {
    authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard text.first?.isLetter == true else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  }
}

extension URLText: SettingValue {
  /// `SCHEME://…` without a password.
  public static var form: SettingForm {
    SettingForm(
      "an address without a password",
      schema: ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*://[^ ]+$"])
  }

  /// Reads a string.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let text) = node.value else { throw .expected(Self.form, at: node) }
    guard let url = URLText(try environment.expanded(text, at: node.location)) else {
      throw SettingsError("expected \(Self.form.name)", at: node.location)
    }
    self = url
  }

  /// The address as a string.
  public var written: TOMLValue? { .string(text) }
}
