internal import SyncKit

/// The recipients that can decrypt an age file. Its stanzas do not contain the public keys (age-encryption.org/v1, X25519);
/// only a secret key shows if one is for it.
struct Readers {
  /// The readers of a file with a passphrase.
  static let ofPassphrase: Set<String> = ["passphrase"]

  /// The recipients whose secret keys are available.
  private var proved: Set<Recipient> = []
  /// The number of other recipients.
  private var others = 0
  /// Additional recipients from the settings.
  private let known: Set<Recipient>
  private let isByPassphrase: Bool

  init(of stanzas: [Stanza], identities: [Identity], known: Set<Recipient>) throws(AgeError) {
    // Random stanzas, which keep programs tolerant of unknown ones, have no recipient.
    let stanzas = stanzas.filter { !$0.arguments[0].hasSuffix("-grease") }
    isByPassphrase = stanzas.map { $0.arguments[0] } == [ScryptKey.kind]
    guard isByPassphrase || stanzas.allSatisfy({ $0.arguments[0] == X25519.kind }) else {
      throw .readers("is encrypted for a kind of key that syncd does not support")
    }
    for stanza in stanzas where !isByPassphrase {
      if let reader = try Self.reader(of: stanza, identities) { proved.insert(reader) } else { others += 1 }
    }
    self.known = known.subtracting(identities.map(\.recipient))
  }

  private static func reader(of stanza: Stanza, _ identities: [Identity]) throws(AgeError) -> Recipient? {
    for identity in identities where try identity.unwrap([stanza]) != nil { return identity.recipient }
    return nil
  }

  /// The recipients if they are certain: the unknown ones are those in the settings if the numbers match.
  var names: Set<String> {
    get throws(AgeError) {
      if isByPassphrase { return Self.ofPassphrase }
      guard others == 0 || others == known.count else {
        throw .readers(
          "is encrypted for \((proved.count + others).counted("recipient")), and `recipients` in [store.age] must name exactly these"
        )
      }
      return Set((others == 0 ? proved : proved.union(known)).map(\.text))
    }
  }
}
