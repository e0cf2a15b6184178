internal import Crypto

/// Decrypts an age file, armored or not, as a stream.
struct Opening: Sendable {
  /// The first line shows if the file is armored.
  private enum Form {
    case unknown([UInt8])
    case binary
    case armored(ArmorReader)
  }

  /// The part of the file that is being read.
  private enum Part {
    case header(HeaderReader)
    case nonce(SymmetricKey, [UInt8])
    case payload(PayloadOpener)
  }

  private let keys: [any FileKeyUnwrapping]
  private var form = Form.unknown([])
  private var part = Part.header(HeaderReader())
  /// The stanzas of the header, once it is authenticated.
  private(set) var stanzas: [Stanza] = []
  /// The file key, once the header is authenticated.
  private(set) var fileKey: SymmetricKey?

  init(with keys: [any FileKeyUnwrapping]) { self.keys = keys }

  var isArmored: Bool { if case .armored = form { true } else { false } }

  mutating func update(_ chunk: [UInt8]) throws(AgeError) -> [UInt8] {
    switch form {
    case .binary: return try read(chunk)
    case .armored(var reader):
      let bytes = try reader.update(chunk)
      form = .armored(reader)
      return try read(bytes)
    case .unknown(let start):
      let bytes = start + chunk
      guard let first = bytes.first(where: { !Armor.isSpace($0) }) else {
        // Only white space may precede the armor.
        guard bytes.count <= Header.largest else { throw .notAge }
        form = .unknown(bytes)
        return []
      }
      form = first == Armor.begin[0] ? .armored(ArmorReader()) : .binary
      return try update(bytes)
    }
  }

  mutating func finish() throws(AgeError) -> [UInt8] {
    if case .armored(var reader) = form { _ = try reader.finish() }
    guard case .payload(let opener) = part else {
      if case .unknown = form { throw .notAge }
      throw .damaged
    }
    return try opener.finish()
  }

  private mutating func read(_ bytes: [UInt8]) throws(AgeError) -> [UInt8] {
    switch part {
    case .header(var reader):
      guard let (header, rest) = try reader.read(bytes) else {
        part = .header(reader)
        return []
      }
      let fileKey = try unwrap(header)
      try header.verify(fileKey)
      stanzas = header.stanzas
      self.fileKey = fileKey
      part = .nonce(fileKey, [])
      return try read(Array(rest))
    case .nonce(let fileKey, let start):
      let missing = Payload.nonceSize - start.count
      let nonce = start + bytes.prefix(missing)
      guard nonce.count == Payload.nonceSize else {
        part = .nonce(fileKey, nonce)
        return []
      }
      part = .payload(PayloadOpener(key: Payload.key(fileKey, nonce: nonce)))
      return try read(Array(bytes.dropFirst(missing)))
    case .payload(var opener):
      let plain = try opener.update(bytes)
      part = .payload(opener)
      return plain
    }
  }

  private func unwrap(_ header: Header) throws(AgeError) -> SymmetricKey {
    // A passphrase authenticates the sender only if no other key decrypts the file.
    guard header.stanzas.count == 1 || !header.stanzas.contains(where: { $0.arguments[0] == ScryptKey.kind }) else {
      throw .malformed("a passphrase is combined with other keys")
    }
    for key in keys {
      if let fileKey = try key.unwrap(header.stanzas) { return fileKey }
    }
    throw .noKey
  }
}

/// Encrypts a file as a stream.
struct Sealing: Sendable {
  private var start: [UInt8]
  private var sealer: PayloadSealer
  private var armor: ArmorWriter?

  /// - Parameters:
  ///   - random: returns N unpredictable bytes.
  ///   - wrap: returns the stanzas that wrap a file key for all recipients.
  init(
    random: (Int) -> [UInt8], armored: Bool = false, _ wrap: (SymmetricKey) throws -> [Stanza]
  ) throws {
    let fileKey = SymmetricKey(data: random(16))
    let nonce = random(Payload.nonceSize)
    start = Header(try wrap(fileKey), fileKey: fileKey).text + nonce
    sealer = PayloadSealer(key: Payload.key(fileKey, nonce: nonce))
    armor = armored ? ArmorWriter() : nil
  }

  mutating func update(_ chunk: [UInt8]) throws -> [UInt8] {
    let bytes = started() + (try sealer.update(chunk))
    return armor?.update(bytes) ?? bytes
  }

  mutating func finish() throws -> [UInt8] {
    let bytes = started() + (try sealer.finish())
    guard var armor else { return bytes }
    return armor.update(bytes) + armor.finish()
  }

  private mutating func started() -> [UInt8] {
    defer { start = [] }
    return start
  }
}
