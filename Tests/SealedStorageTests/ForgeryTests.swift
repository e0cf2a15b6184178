import EncryptionTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge
@testable import SealedStorage

/// Attacks on an encrypted remote by a person with a public key, by a former member and by the server. Each attack is shown to
/// succeed if the check against it is missing.
@Suite(.serialized) struct ForgeryTests {
  private let a = SyncPath("a.org")!
  private let b = SyncPath("folder/b.org")!

  /// The ways in which a remote can be encrypted.
  enum Scheme: String, CaseIterable {
    case ageRecipients, ageHiddenNames, agePassphrase, agePassphraseHiddenNames, gpg, unprovenCipher
  }

  /// A remote with two files, and the tools of a person who knows its public keys.
  private struct Target {
    var setup: EncryptedSetup
    /// Encrypts for the remote's readers, without its key; nil if no key is public.
    var outsider: (any Cipher)?
    var home: GPGHome?
  }

  private func target(_ scheme: Scheme) async throws -> Target? {
    var target: Target
    switch scheme {
    case .ageRecipients, .ageHiddenNames:
      let cipher = EncryptedSetup.cipher(hidesNames: scheme == .ageHiddenNames)
      target = Target(setup: EncryptedSetup(cipher), outsider: cipher)
    case .agePassphrase, .agePassphraseHiddenNames:
      var cipher = AgeCipher(
        keys: .passphrase(ScryptKey(passphrase: Array("correct horse".utf8))), random: Runtime.real.random)
      cipher.hidesNames = scheme == .agePassphraseHiddenNames
      cipher.work = 4
      target = Target(setup: EncryptedSetup(cipher))
    case .gpg:
      guard let home = try GPGHome() else { return nil }
      try await home.makeKey("Ann <ann@example.org>")
      let cipher = try await home.cipher(["ann@example.org"])
      target = Target(setup: EncryptedSetup(cipher), outsider: cipher, home: home)
    case .unprovenCipher:
      let cipher = ToyCipher(flaw: .provesNothing)
      target = Target(setup: EncryptedSetup(cipher), outsider: cipher)
    }
    try await target.setup.settle(["a.org": "genuine\n", "folder/b.org": "two\n"])
    return target
  }

  /// Replaces `a.org` by a file, and requires that both devices hold it and keep their versions.
  private func expectRefusal(
    of file: [UInt8], in setup: EncryptedSetup, _ what: String, genuine: String = "genuine\n"
  ) async throws {
    let place = try await setup.place(a)
    let original = try #require(await setup.remote.contents[place])
    await setup.remote.put(Content(file), at: place)
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(report.result == .held && !report.didSomething, "\(what): \(report)")
      #expect(try await device.texts()["a.org"] == genuine, "\(what)")
    }
    // An edit of the victim does not publish the forgery as its own.
    let key = await setup.remote.contents[place]?.digest
    #expect(key == Digest(of: file), "\(what)")
    await setup.remote.put(original, at: place)
    #expect(await setup.first.sync().result == .synced, "\(what)")
  }

  /// A device that never saw a version of the file has no record of it: only the proof of the content protects it.
  private func expectRefusalByNewcomer(of file: [UInt8], in setup: EncryptedSetup, _ what: String) async throws {
    let place = try await setup.place(a)
    let original = try #require(await setup.remote.contents[place])
    await setup.remote.put(Content(file), at: place)
    let newcomer = setup.device("newcomer")
    #expect(await newcomer.sync().result == .held, "\(what)")
    #expect(try await newcomer.texts()["a.org"] == nil, "\(what)")
    await setup.remote.put(original, at: place)
  }

  private func file(_ path: SyncPath, in setup: EncryptedSetup) async throws -> [UInt8] {
    try await (try #require(await setup.remote.contents[try await setup.place(path)])).bytes()
  }

  private func label(of file: [UInt8], _ reader: WeakReader) async throws -> [UInt8] {
    var stream = try reader.cipher.decryptor()
    _ = try await stream.run(file)
    return try #require(stream.label)
  }

  // MARK: With the public keys

  @Test("a public key and a copied label do not suffice to forge a file's content", arguments: [false, true])
  func copiedLabel(hidesNames: Bool) async throws {
    let setup = try await EncryptedSetup(hidesNames: hidesNames)
    try await setup.settle(["a.org": "genuine\n", "folder/b.org": "two\n"])
    let original = try await file(a, in: setup)
    let forger = AgeForger(recipient: EncryptedSetup.identity.recipient)
    let reader = try await WeakReader(setup, without: [.content])
    // The label of the current format cannot be copied: it is encrypted with the file's own key.
    let copied = try forger.forged(Array("forged\n".utf8), withLabelOf: original)
    #expect(try await WeakReader(setup, without: [.label]).accepts(copied, at: a))
    try await expectRefusal(of: copied, in: setup, "copied stanza")
    // An attacker who knows the label anyway, such as a reader without the remote's key, cannot use it for another content.
    let known = try forger.forged(Array("forged\n".utf8), withKnownLabel: await label(of: original, reader))
    #expect(await reader.accepts(known, at: a))
    try await expectRefusal(of: known, in: setup, "copied label")
  }

  @Test("a label of other content is refused, whatever the cipher proves", arguments: Scheme.allCases)
  func knownLabel(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let reader = try await WeakReader(target.setup, without: [.content])
    let label = try await label(of: file(a, in: target.setup), reader)
    let forged = try await reader.cipher.encrypt(Array("forged\n".utf8), as: a, label: label)
    #expect(await reader.accepts(forged, at: a))
    try await expectRefusalByNewcomer(of: forged, in: target.setup, "\(scheme)")
    try await expectRefusal(of: forged, in: target.setup, "\(scheme)")
    withExtendedLifetime(target.home) {}
  }

  @Test("a file without the remote's key is refused", arguments: Scheme.allCases)
  func outsider(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    guard let outsider = target.outsider else { return try await stranger(target) }
    let reader = try await WeakReader(target.setup, without: [.label])
    let content = Content(Array("forged\n".utf8))
    let own = try Label(a, number: 1 << 40, content: content, withPath: true)
      .sealed(RemoteKey(bytes: Runtime.real.random(32), hidesNames: outsider.hidesNames))
    for label in [[], own, Runtime.real.random(108)] {
      let forged = try await outsider.encrypt(content.bytes(), as: a, label: label)
      #expect(await reader.accepts(forged, at: a))
      try await expectRefusalByNewcomer(of: forged, in: target.setup, "\(scheme), label length \(label.count)")
      try await expectRefusal(of: forged, in: target.setup, "\(scheme), label length \(label.count)")
    }
    withExtendedLifetime(target.home) {}
  }

  /// If no key is public, an attacker can only encrypt for another key.
  private func stranger(_ target: Target) async throws {
    let forged = try await AgeCipher.forTests().encrypt(Array("forged\n".utf8), as: a)
    try await expectRefusal(of: forged, in: target.setup, "another key")
  }

  // MARK: By a former member

  @Test("the old key of a remote proves nothing after a key change", arguments: Scheme.allCases)
  func formerMember(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let setup = target.setup
    let former = try await WeakReader(setup, without: [])
    let old = await setup.remote.contents
    let outcome = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
    let fingerprint = try #require(outcome.fingerprint)
    // The other device knows the old key, and accepts the new one only with a user's approval.
    #expect(await setup.second.sync().result == .held)
    try await KeyTrust(setup.remote, setup.second.parts, setup.cipher).accept(fingerprint)
    for device in [setup.first, setup.second] { #expect(await device.sync().result == .synced) }
    let content = Content(Array("forged\n".utf8))
    let label = try Label(a, number: 1 << 40, content: content, withPath: true).sealed(former.key)
    let outsider = target.outsider ?? former.cipher
    let forged = try await outsider.encrypt(content.bytes(), as: a, label: label)
    #expect(await former.accepts(forged, at: a) || target.outsider == nil)
    try await expectRefusal(of: forged, in: setup, "\(scheme)")
    // Restoring the whole former remote with its marker is detected, too.
    let new = await setup.remote.contents
    for path in new.keys { await setup.remote.take(path) }
    for (path, content) in old { await setup.remote.put(content, at: path) }
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(
        report.result == .held && report.failure?.message.contains("another key than before") == true, "\(report)")
      #expect(try await device.texts()["a.org"] == "genuine\n")
    }
    withExtendedLifetime(target.home) {}
  }

  @Test("only the right fingerprint, given by a person, accepts another key")
  func trust() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "genuine\n"])
    let evil = try await EncryptedSetup()
    try await evil.settle(["a.org": "forged\n"])
    let known = try #require(try await SealRecord(in: setup.first.journal)).fingerprint
    for (path, content) in await evil.remote.contents { await setup.remote.put(content, at: path) }
    let report = await setup.first.sync()
    #expect(report.result == .held && report.failure?.message.contains(known) == true, "\(report)")
    // Re-encrypting does not adopt it.
    await #expect(throws: SyncError.self) {
      try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
    }
    let trust = KeyTrust(setup.remote, setup.first.parts, setup.cipher)
    for wrong in [known, "", "aaaa", String(known.dropLast())] {
      await #expect(throws: SyncError.self) { try await trust.accept(wrong) }
    }
    #expect(try await setup.first.texts() == ["a.org": "genuine\n"])
    #expect(try await SealRecord(in: setup.first.journal)?.fingerprint == known)
    let other = try #require(try await SealRecord(in: evil.first.journal)).fingerprint
    try await trust.accept(other.uppercased().replacing("-", with: " "))
    #expect(try await SealRecord(in: setup.first.journal)?.fingerprint == other)
  }

  @Test("a device that expects a fingerprint accepts no other first key, and makes none")
  func expected() async throws {
    let setup = try await EncryptedSetup()
    let evil = try await EncryptedSetup()
    try await evil.settle(["a.org": "forged\n"])
    let genuine = try await EncryptedSetup()
    try await genuine.settle(["a.org": "genuine\n"])
    let fingerprint = try #require(try await SealRecord(in: genuine.first.journal)).fingerprint
    try await SealRecord.expect(fingerprint, in: setup.first.journal)
    try await setup.first.write("mine\n", to: "mine.org")
    // The remote has no marker: with a key of its own, the device would encrypt files that no other device can read.
    #expect(await setup.first.sync().result == .held)
    for (path, content) in await evil.remote.contents { await setup.remote.put(content, at: path) }
    for _ in 0..<2 {
      let report = await setup.first.sync()
      #expect(report.result == .held && report.failure?.message.contains(fingerprint) == true, "\(report)")
      #expect(report.failure?.remedy == .trust(remote: "test"))
    }
    #expect(try await setup.first.texts() == ["mine.org": "mine\n"])
    for path in await setup.remote.contents.keys { await setup.remote.take(path) }
    for (path, content) in await genuine.remote.contents { await setup.remote.put(content, at: path) }
    #expect(await setup.first.sync().result == .synced)
    #expect(try await setup.first.texts() == ["a.org": "genuine\n", "mine.org": "mine\n"])
    // From now on the device knows the key, and another expectation is refused.
    try await SealRecord.expect(fingerprint.uppercased(), in: setup.first.journal)
    let other = try #require(try await SealRecord(in: evil.first.journal)).fingerprint
    await #expect(throws: SyncError.self) { try await SealRecord.expect(other, in: setup.first.journal) }
  }

  // MARK: By the server

  @Test("swapped, replayed, truncated and mixed files are refused", arguments: Scheme.allCases)
  func server(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let setup = target.setup
    let (first, second) = (try await file(a, in: setup), try await file(b, in: setup))
    #expect(try await WeakReader(setup, without: [.place]).accepts(second, at: a))
    try await expectRefusal(of: second, in: setup, "\(scheme): exchanged")
    try await setup.first.write("genuine, edited\n", to: "a.org")
    for device in [setup.first, setup.second] { #expect(await device.sync().result == .synced) }
    let mark = try await SealedVersions(journal: setup.first.journal).mark(of: a)
    #expect(try await WeakReader(setup, without: [.number]).accepts(first, at: a, after: mark))
    #expect(try await !WeakReader(setup, without: []).accepts(first, at: a, after: mark))
    try await expectRefusal(of: first, in: setup, "\(scheme): replayed", genuine: "genuine, edited\n")
    let current = try await file(a, in: setup)
    for (what, file) in [
      ("cut", Array(current.dropLast(3))), ("longer", current + [0]),
      ("mixed", Array(current.prefix(current.count - 8)) + first.suffix(8)),
      ("mixed in the middle", Array(first.prefix(first.count / 2)) + current.suffix(current.count / 2)),
    ] { try await expectRefusal(of: file, in: setup, "\(scheme): \(what)", genuine: "genuine, edited\n") }
    withExtendedLifetime(target.home) {}
  }

  @Test("a version that was refused when it was written is not accepted later, although its number is the same")
  func refusedVersion() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "genuine\n"])
    let reader = try await WeakReader(setup, without: [.number])
    let mark = try await SealedVersions(journal: setup.first.journal).mark(of: a)
    // A version that another device of the remote sent at the same time, and that the server kept back.
    let other = Content(Array("never published\n".utf8))
    let label = try Label(a, number: mark.number, content: other, withPath: false).sealed(reader.key)
    let kept = try await reader.cipher.encrypt(other.bytes(), as: a, label: label)
    #expect(await reader.accepts(kept, at: a, after: mark))
    try await expectRefusal(of: kept, in: setup, "same number")
  }

  @Test("a file of another remote with the same keys is refused")
  func otherRemote() async throws {
    let (setup, other) = (try await EncryptedSetup(), try await EncryptedSetup())
    for setup in [setup, other] { try await setup.settle(["a.org": "genuine\n"]) }
    let foreign = try await file(a, in: other)
    #expect(try await WeakReader(setup, without: [.label]).accepts(foreign, at: a))
    try await expectRefusal(of: foreign, in: setup, "another remote")
  }

  @Test("a remote that lost its marker gets no new key")
  func lostMarker() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "genuine\n"])
    let before = await setup.remote.contents.mapValues(\.digest)
    await setup.remote.take(RootMarker.path)
    #expect(await setup.first.sync().result == .held)
    await #expect(throws: SyncError.self) {
      // The remote as seen by a later process.
      _ = try await setup.remote.encrypted(with: setup.cipher, setup.first.parts).write(
        Content([1]), to: SyncPath("new")!, if: .absent)
    }
    #expect(await setup.remote.contents.mapValues(\.digest) == before.filter { $0.key != RootMarker.path })
  }
}
