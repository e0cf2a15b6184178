import Crypto
import EncryptionTesting
import Foundation
import SyncKit
import Testing

@testable import CipherAge

/// Everything that the format requires to be refused is refused, and nothing else.
@Suite struct AgeFormatTests {
  private let keys = Pairs(1)

  private func opened(_ bytes: [UInt8], by piece: Int = .max) throws -> [UInt8] {
    var opening = Opening(with: keys.identities)
    var plain: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: min(piece, max(bytes.count, 1))) {
      plain += try opening.update(Array(bytes[start..<min(bytes.count, start + min(piece, bytes.count))]))
    }
    return try plain + opening.finish()
  }

  private func isRefused(_ bytes: [UInt8]) -> Bool {
    do { _ = try opened(bytes) } catch { return true }
    return false
  }

  private func sealed(_ content: [UInt8], armored: Bool = false) throws -> [UInt8] {
    var sealing = try Sealing(random: Runtime.real.random, armored: armored) { fileKey in
      [
        try keys.identities[0].recipient.wrap(fileKey, random: Runtime.real.random),
        Stanza(["note", "x"], body: [1, 2]),
      ]
    }
    return try sealing.update(content) + sealing.finish()
  }

  @Test(arguments: [0, 1, 40], [false, true])
  func `every flipped bit and every truncation is detected`(size: Int, armored: Bool) throws {
    let bytes = try sealed(noise(size), armored: armored)
    #expect(try opened(bytes) == noise(size))
    for index in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << bit
        // White space outside of the armor is not a part of the file.
        let isSpace = armored && index == bytes.count - 1 && Armor.isSpace(other[index])
        #expect(isRefused(other) != isSpace, "bit \(bit) of byte \(index) of \(bytes.count)")
      }
      let isWhole = armored && index == bytes.count - 1
      #expect(isRefused(Array(bytes[..<index])) != isWhole, "cut after \(index) of \(bytes.count)")
    }
    #expect(isRefused(bytes + [0]))
  }

  @Test(arguments: [65_536, 65_537, 131_072])
  func `missing, swapped and repeated chunks are detected`(size: Int) throws {
    let bytes = try sealed(noise(size))
    #expect(try opened(bytes) == noise(size))
    #expect(try opened(bytes, by: 1_000) == noise(size))
    let start = bytes.count - size - 16 * ((size + 65_535) / 65_536)
    let first = start + 65_552
    #expect(isRefused(Array(bytes[..<min(first, bytes.count - 1)])))
    #expect(isRefused(Array(bytes.dropLast(17))))
    #expect(isRefused(Array(bytes[..<start] + bytes[first...])))
    #expect(isRefused(bytes + bytes[start...]))
    #expect(isRefused(Array(bytes[..<start] + bytes[start...].reversed())))
  }

  /// A file with the header of a case, correctly authenticated, and one with the correct payload.
  private func file(
    _ fileKey: SymmetricKey = SymmetricKey(data: noise(16)),
    chunks: [(bytes: [UInt8], number: UInt64, isLast: Bool)]? = nil,
    _ stanzas: (SymmetricKey) throws -> [Stanza]
  ) throws -> [UInt8] {
    let nonce = noise(16, seed: 3)
    let key = Payload.key(fileKey, nonce: nonce)
    var bytes = Header(try stanzas(fileKey), fileKey: fileKey).text + nonce
    for chunk in chunks ?? [(Array("age".utf8), 0, true)] {
      bytes += try ChaChaPoly.seal(
        chunk.bytes, using: key, nonce: Payload.nonce(chunk.number, isLast: chunk.isLast)
      ).combined.dropFirst(12)
    }
    return bytes
  }

  private func own(_ fileKey: SymmetricKey) throws -> Stanza {
    try keys.identities[0].recipient.wrap(fileKey, random: Runtime.real.random)
  }

  @Test func `stanzas of unknown kinds are ignored`() throws {
    let bytes = try file { fileKey in
      [
        Stanza(["grease", "!#$%", "~"], body: noise(100)), Stanza(["x"], body: []), Stanza(["y"], body: noise(48)),
        try own(fileKey), try Pairs(1).identities[0].recipient.wrap(fileKey, random: Runtime.real.random),
      ]
    }
    #expect(try opened(bytes) == Array("age".utf8))
  }

  @Test func `malformed X25519 stanzas are refused`() throws {
    let spoilings: [(inout Stanza) -> Void] = [
      { $0.arguments.append("more") }, { $0.arguments.removeLast() }, { $0.arguments[1].removeLast() },
      { $0.arguments[1] += "A" }, { $0.arguments[1] += "=" }, { $0.body.removeLast() }, { $0.body.append(0) },
      { $0.arguments[1] = String(decoding: Base64.text(of: [UInt8](repeating: 0, count: 32)), as: UTF8.self) },
      { $0.arguments[0] = "x25519" },
    ]
    for (number, spoil) in spoilings.enumerated() {
      let bytes = try file { fileKey in
        var stanza = try own(fileKey)
        spoil(&stanza)
        return [stanza]
      }
      #expect(isRefused(bytes), "\(number)")
    }
  }

  @Test func `a share that yields an all-zero secret is refused in an otherwise valid file`() throws {
    for share in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
      let bytes = try file { fileKey in
        let wrapping = HKDF<SHA256>.deriveKey(
          inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0, count: 32)),
          salt: share + keys.identities[0].recipient.bytes, info: Array("age-encryption.org/v1/X25519".utf8),
          outputByteCount: 32)
        let arguments = ["X25519", String(decoding: Base64.text(of: share), as: UTF8.self)]
        return [Stanza(arguments, body: try WrappedKey.seal(fileKey, wrapping))]
      }
      #expect(isRefused(bytes))
    }
  }

  @Test func `a file key of another length, or without a recipient, is refused`() throws {
    #expect(isRefused(try file(SymmetricKey(data: noise(24))) { [try own($0)] }))
    #expect(isRefused(try file { _ in [] }))
    #expect(isRefused(try file { _ in [Stanza(["other"], body: [])] }))
  }

  @Test func `malformed header lines are refused`() throws {
    let right = try file { [try own($0)] }
    let text = String(decoding: right.prefix { $0 < 0x80 }, as: UTF8.self)
    let head = String(text.prefix(upTo: try #require(text.range(of: "\n--- ")).lowerBound)) + "\n"
    func refuses(_ change: (String) -> String) -> Bool {
      // The code is recomputed, so that only the form is wrong.
      let changed = Array(change(head).utf8)
      let key = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: noise(16)), info: Array("header".utf8), outputByteCount: 32)
      let code = HMAC<SHA256>.authenticationCode(for: changed + Array("---".utf8), using: key)
      let end = Array("--- ".utf8) + Base64.text(of: Array(code)) + [10]
      return isRefused(changed + end + right.dropFirst(head.utf8.count + 48))
    }
    #expect(!refuses { $0 })
    #expect(refuses { $0.replacing("age-encryption.org/v1", with: "age-encryption.org/v2") })
    #expect(refuses { $0.replacing("\n", with: "\r\n") })
    #expect(refuses { $0.replacing("-> X", with: "->  X") })
    #expect(refuses { $0.replacing("-> X", with: "-> x -> X") })
    #expect(refuses { $0 + "-> \n\n" })
    #expect(refuses { $0 + "-> é\n\n" })
    #expect(refuses { $0 + "-> a b \n\n" })
    #expect(refuses { $0 + "-> a\n" + String(repeating: "A", count: 64) + "\n" })
    #expect(refuses { $0 + "-> a\n" + String(repeating: "A", count: 68) + "\n" })
    #expect(refuses { $0 + "-> a\nAA==\n" })
    #expect(refuses { $0 + "-> a\nAB\n" })
    #expect(refuses { $0 + "-> a\n A\n" })
    #expect(!refuses { $0 + "-> a\n" + String(repeating: "A", count: 64) + "\n\n" })
    #expect(!refuses { $0 + "-> a\nAA\n" })
    let end = head.utf8.count
    #expect(isRefused(Array(right[..<(end + 3)] + right[(end + 4)...])))
    #expect(isRefused(Array(right[..<(end + 3)] + [0x20] + right[(end + 3)...])))
    #expect(isRefused(Array(right[..<end] + right[(end + 1)...])))
    #expect(isRefused(Array(right[..<(end + 47)] + Array("=\n".utf8) + right[(end + 48)...])))
  }

  @Test func `a passphrase stanza must be the only one, with a limited work factor`() throws {
    let passphrase = ScryptKey(passphrase: Array("password".utf8))
    func refuses(_ change: (inout [Stanza]) throws -> Void) throws -> Bool {
      let bytes = try file { fileKey in
        var stanzas = [try passphrase.wrap(fileKey, work: 4, random: Runtime.real.random)]
        try change(&stanzas)
        return stanzas
      }
      var opening = Opening(with: [passphrase])
      do { return try opening.update(bytes) + opening.finish() != Array("age".utf8) } catch { return true }
    }
    #expect(try !refuses { _ in })
    #expect(try refuses { $0.append(Stanza(["other"], body: [])) })
    #expect(try refuses { $0.insert(Stanza(["other"], body: []), at: 0) })
    #expect(try refuses { $0.append($0[0]) })
    for work in ["", "0", "04", "+4", "-4", "4 ", "0x4", "4.0", "21", "99999999999999999999", "5"] {
      #expect(try refuses { $0[0].arguments[2] = work }, "\(work)")
    }
    #expect(try refuses { $0[0].arguments[1].removeLast(2) })
    #expect(try refuses { $0[0].arguments[1] += "AA" })
    #expect(try refuses { $0[0].arguments.append("1") })
    #expect(try refuses { $0[0].body.removeLast() })
  }

  @Test func `chunks in another order or of a wrong length are refused`() throws {
    let full = noise(65_536)
    func refuses(_ chunks: [(bytes: [UInt8], number: UInt64, isLast: Bool)]) throws -> Bool {
      isRefused(try file(chunks: chunks) { [try own($0)] })
    }
    #expect(try !refuses([([], 0, true)]))
    #expect(try !refuses([(full, 0, true)]))
    #expect(try !refuses([(full, 0, false), ([1], 1, true)]))
    #expect(try refuses([]))
    #expect(try refuses([([1], 0, false)]))
    #expect(try refuses([(full, 0, false)]))
    #expect(try refuses([(full, 0, false), ([], 1, true)]))
    #expect(try refuses([(full, 0, false), (full, 2, true)]))
    #expect(try refuses([(full, 0, true), ([1], 1, true)]))
    #expect(try refuses([([1, 2], 0, false), ([3], 1, true)]))
  }

  @Test func `armor is strict except for white space around it`() throws {
    let text = String(decoding: try sealed(noise(20), armored: true), as: UTF8.self)
    func opens(_ text: String) -> Bool { !isRefused(Array(text.utf8)) }
    #expect(
      opens(text) && opens("\n \t\r\n" + text) && opens(text + "\n\n  ") && opens(text.replacing("\n", with: "\r\n")))
    #expect(opens(String(text.dropLast())))
    let lines = text.split(separator: "\n").map(String.init)
    func changed(_ change: (inout [String]) -> Void) -> String {
      var lines = lines
      change(&lines)
      return lines.joined(separator: "\n") + "\n"
    }
    #expect(opens(changed { _ in }))
    for (number, text) in [
      "x" + text, text + "x", text.replacing("AGE ENCRYPTED", with: "age encrypted"), changed { $0.insert("", at: 1) },
      changed { $0.insert("Key: value", at: 1) }, changed { $0[1] += " " }, changed { $0[1] = " " + $0[1] },
      changed { $0[1] += $0.remove(at: 2) }, changed { $0.insert(String($0[1].removeFirst()), at: 1) },
      changed { $0.insert("", at: $0.count - 1) }, changed { $0.removeLast() }, changed { $0.remove(at: 2) },
      changed { $0.insert("=abc", at: $0.count - 1) }, lines[0] + "\n" + lines[lines.count - 1] + "\n",
      text + text, changed { $0[$0.count - 2] = $0[$0.count - 2].replacing("=", with: "") + "A" },
    ].enumerated() {
      #expect(!opens(text), "\(number): \(text)")
    }
  }

  @Test func `base64 has exactly one encoding of any bytes`() {
    for count in 0..<50 {
      let bytes = noise(count)
      #expect(Base64.bytes(of: Base64.text(of: bytes)) == bytes)
      #expect(Base64.bytes(of: Base64.text(of: bytes, padded: true), padded: true) == bytes)
      #expect(Base64.text(of: bytes, padded: true) == Array(Data(bytes).base64EncodedString().utf8))
    }
    for text in ["A", "AB", "AA=", "A===", "AAAA=", "A-", "A A", "AA=A"] {
      #expect(Base64.bytes(of: Array(text.utf8)) == nil && Base64.bytes(of: Array(text.utf8), padded: true) == nil)
    }
  }

  /// The examples of BIP 173 and of the format's specification.
  @Test func `malformed keys are refused`() {
    let identity = Identity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
    #expect(identity?.recipient.text == "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj")
    #expect(identity?.text == "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX")
    #expect(Bech32.read("A12UEL5L") != nil && Bech32.read("?1ezyfcl") != nil)
    for text in [
      "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", "a12UEL5L", "pzry9x0s0muk", "1pzry9x0s0muk",
    ] {
      #expect(Bech32.read(text) == nil, "\(text)")
    }
    let key = Pairs(1).identities[0]
    #expect(Identity(key.text.lowercased()) == nil && Recipient(key.recipient.text.uppercased()) == nil)
    #expect(Recipient(key.text) == nil && Identity(key.recipient.text) == nil)
  }
}
