import Foundation
import Testing

/// The text of an invitation, as an attacker reads it.
enum InvitationText {
  /// Returns what an invitation contains.
  static func content(of invitation: String) throws -> String {
    let letters = invitation.dropFirst("syncd:join/1/".count).replacing("-", with: "+").replacing("_", with: "/")
    let padded = letters + String(repeating: "=", count: (4 - letters.count % 4) % 4)
    return String(decoding: try #require(Data(base64Encoded: String(padded))).dropLast(4), as: UTF8.self)
  }

  /// Returns the invitation in a text that a terminal showed.
  static func invitation(in shown: String) throws -> String {
    String(try #require(shown.firstMatch(of: /syncd:join\S+/), "\(shown)").0)
  }
}
