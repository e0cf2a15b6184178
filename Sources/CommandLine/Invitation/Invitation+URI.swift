import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Invitation {
  /// The beginning of all invitations, with the version of their format.
  private static let prefix = "syncd:join/1/"
  /// The number of bytes at the end that detect a text that was not copied completely.
  private static let checkSize = 4

  /// The invitation as one word, which needs no quotes in a shell.
  var uri: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let bytes = Array(try encoder.encode(self))
      let text = Data(bytes + Digest(of: bytes).bytes.prefix(Self.checkSize)).base64EncodedString()
      return Self.prefix + text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
  }

  /// Reads an invitation; throws a usage error if it is not one, or not complete.
  init(uri: String) throws {
    guard uri.hasPrefix("syncd:join/") else {
      throw SyncError(
        .invalidSettings, "an invitation begins with syncd:join/; `syncd invite` on another device prints it")
    }
    guard uri.hasPrefix(Self.prefix) else {
      throw SyncError(.invalidSettings, "this invitation is from a newer version of syncd; update syncd on this device")
    }
    let letters = String(uri.dropFirst(Self.prefix.count)).replacing("-", with: "+").replacing("_", with: "/")
    let padded = letters + String(repeating: "=", count: (4 - letters.count % 4) % 4)
    let bytes = Array(Data(base64Encoded: String(padded)) ?? Data())
    let content = Array(bytes.dropLast(Self.checkSize))
    guard bytes.count > Self.checkSize, Digest(of: content).bytes.prefix(Self.checkSize) == bytes.suffix(Self.checkSize)
    else { throw SyncError(.invalidSettings, "the invitation is incomplete; copy all of it") }
    do { self = try JSONDecoder().decode(Invitation.self, from: Data(content)) } catch {
      throw SyncError(.invalidSettings, "the invitation is damaged", cause: "\(error)")
    }
  }
}
