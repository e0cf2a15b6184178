import Crypto
import MeshStore

/// One side of a connection to another device: the messages that it may send and accept. Pure.
///
/// Both sides send a random number, then prove with both numbers that they have the secret. Nothing else is sent before a valid
/// proof; and what follows is bound to both numbers, so that nothing of another connection is accepted.
struct MeshLink: Sendable {
  /// A message that was received.
  enum Event: Sendable, Equatable {
    /// The other side's number; answered with a proof.
    case hello(answer: [UInt8])
    /// The other side has the secret.
    case proof
    case head([UInt8])
    case segment([UInt8])
    /// How to rebuild a segment.
    case recipe([UInt8])
  }

  /// The host of the other side, without the port.
  let host: String
  let isOutgoing: Bool
  let nonce: [UInt8]
  private(set) var theirs: [UInt8]?
  private(set) var isProved = false
  private let linking: SymmetricKey
  private let sealing: SymmetricKey

  static let nonceSize = 32
  /// The largest segment that is sent as a message.
  static let segmentLimit = 49_152

  /// - Parameter nonce: 32 random bytes.
  init(host: String, isOutgoing: Bool, nonce: [UInt8], _ secret: MeshSecret) {
    self.host = host
    self.isOutgoing = isOutgoing
    self.nonce = nonce
    linking = secret.key(.link)
    sealing = secret.key(.head)
  }

  private static let version: UInt8 = 2

  /// The first message.
  var hello: [UInt8] { [0, Self.version] + nonce }

  /// Returns the message with a head.
  /// - Parameter random: 12 random bytes.
  func message(head: [UInt8], random: [UInt8]) throws(FormatError) -> [UInt8] { try message(2, head, random) }

  /// Returns the message with a recipe for a segment.
  /// - Parameter random: 12 random bytes.
  func message(recipe: [UInt8], random: [UInt8]) throws(FormatError) -> [UInt8] { try message(4, recipe, random) }

  private func message(_ kind: UInt8, _ body: [UInt8], _ random: [UInt8]) throws(FormatError) -> [UInt8] {
    guard let theirs,
      let box = try? ChaChaPoly.seal(
        body, using: sealing, nonce: ChaChaPoly.Nonce(data: random), authenticating: Self.context(kind, nonce, theirs))
    else { throw FormatError("there was no hello") }
    return [kind] + random + box.ciphertext + box.tag
  }

  static func message(segment: [UInt8]) -> [UInt8] { [3] + segment }

  /// Returns what a message says. Throws if it is not one that the other side may send now: the link is then closed.
  mutating func receive(_ message: [UInt8]) throws(FormatError) -> Event {
    guard let kind = message.first else { throw FormatError("a message is empty") }
    let body = Array(message.dropFirst())
    switch kind {
    case 0: return try receive(hello: body)
    case 1: return try receive(proof: body)
    case 2 where isProved: return .head(try opened(kind, body))
    case 3 where isProved && body.count <= Self.segmentLimit: return .segment(body)
    case 4 where isProved: return .recipe(try opened(kind, body))
    default: throw FormatError("a message is of an unknown kind, or comes too early")
    }
  }

  private mutating func receive(hello: [UInt8]) throws(FormatError) -> Event {
    guard theirs == nil, let version = hello.first else { throw FormatError("a hello has another format") }
    guard version == Self.version else { throw FormatError("it has another version of syncd; update the older one") }
    guard hello.count == 1 + Self.nonceSize else { throw FormatError("a hello has another format") }
    let number = Array(hello.dropFirst())
    theirs = number
    return .hello(
      answer: [1] + HMAC<SHA256>.authenticationCode(for: Self.proof(isOutgoing, nonce, number), using: linking))
  }

  private mutating func receive(proof: [UInt8]) throws(FormatError) -> Event {
    guard let theirs, !isProved else { throw FormatError("a proof comes too early or twice") }
    let isValid = HMAC<SHA256>.isValidAuthenticationCode(
      proof, authenticating: Self.proof(!isOutgoing, theirs, nonce), using: linking)
    guard isValid else { throw FormatError("the other side has another secret") }
    isProved = true
    return .proof
  }

  private func opened(_ kind: UInt8, _ body: [UInt8]) throws(FormatError) -> [UInt8] {
    guard let theirs, body.count >= 28, let random = try? ChaChaPoly.Nonce(data: body[..<12]),
      let box = try? ChaChaPoly.SealedBox(
        nonce: random, ciphertext: body[12..<body.count - 16], tag: body[(body.count - 16)...]),
      let plain = try? ChaChaPoly.open(box, using: sealing, authenticating: Self.context(kind, theirs, nonce))
    else { throw FormatError("a message was not encrypted for this link") }
    return Array(plain)
  }

  private static func proof(_ isOutgoing: Bool, _ own: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
    Array("proof".utf8) + [UInt8(ascii: isOutgoing ? "o" : "i")] + own + theirs
  }

  private static func context(_ kind: UInt8, _ sender: [UInt8], _ receiver: [UInt8]) -> [UInt8] {
    Array((kind == 2 ? "head" : "recipe").utf8) + sender + receiver
  }
}
