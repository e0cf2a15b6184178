import EncryptionTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge
@testable import SealedStorage

/// Attacks on an encrypted remote, by a person with a public key, by a former member and by the server. Each one is seen to
/// succeed where the check against it is missing.
@Suite(.serialized) struct ForgeryTests {
  private let a = SyncPath("a.org")!
  private let b = SyncPath("folder/b.org")!

  /// The ways in which a remote can be encrypted.
  enum Scheme: String, CaseIterable {
    case ageRecipients, ageHiddenNames, agePassphrase, agePassphraseHiddenNames, gpg, unprovenCipher
  }

  /// A remote with two files, and what a person needs who knows its public keys.
  private struct Target {
    var world: SealedWorld
    /// Encrypts for the remote's readers, without its key; nil where no key is public.
    var outsider: (any Cipher)?
    var home: GPGHome?
  }

  private func target(_ scheme: Scheme) async throws -> Target? {
    var target: Target
    switch scheme {
    case .ageRecipients, .ageHiddenNames:
      let cipher = SealedWorld.cipher(hidesNames: scheme == .ageHiddenNames)
      target = Target(world: SealedWorld(cipher), outsider: cipher)
    case .agePassphrase, .agePassphraseHiddenNames:
      var cipher = AgeCipher(
        keys: .passphrase(ScryptKey(passphrase: Array("correct horse".utf8))), random: World.real.random)
      cipher.hidesNames = scheme == .agePassphraseHiddenNames
      cipher.work = 4
      target = Target(world: SealedWorld(cipher))
    case .gpg:
      guard let home = try GPGHome() else { return nil }
      try await home.makeKey("Ann <ann@example.org>")
      let cipher = try await home.cipher(["ann@example.org"])
      target = Target(world: SealedWorld(cipher), outsider: cipher, home: home)
    case .unprovenCipher:
      let cipher = ToyCipher(flaw: .provesNothing)
      target = Target(world: SealedWorld(cipher), outsider: cipher)
    }
    try await target.world.settle(["a.org": "genuine\n", "folder/b.org": "two\n"])
    return target
  }

  /// Puts a file in the place of `a.org`, and requires that both devices hold it and keep what they have.
  private func expectRefusal(
    of file: [UInt8], in world: SealedWorld, _ what: String, genuine: String = "genuine\n"
  ) async throws {
    let place = try await world.place(a)
    let original = try #require(await world.remote.contents[place])
    await world.remote.put(Content(file), at: place)
    for device in [world.first, world.second] {
      let report = await device.sync()
      #expect(report.result == .held && !report.didSomething, "\(what): \(report)")
      #expect(try await device.texts()["a.org"] == genuine, "\(what)")
    }
    // An edit of the victim does not publish the forgery in its own name.
    let key = await world.remote.contents[place]?.digest
    #expect(key == Digest(of: file), "\(what)")
    await world.remote.put(original, at: place)
    #expect(await world.first.sync().result == .synced, "\(what)")
  }

  /// A device that never saw a version of the file remembers nothing of it: only the proof of the content refuses it there.
  private func expectRefusalByNewcomer(of file: [UInt8], in world: SealedWorld, _ what: String) async throws {
    let place = try await world.place(a)
    let original = try #require(await world.remote.contents[place])
    await world.remote.put(Content(file), at: place)
    let newcomer = world.device("newcomer")
    #expect(await newcomer.sync().result == .held, "\(what)")
    #expect(try await newcomer.texts()["a.org"] == nil, "\(what)")
    await world.remote.put(original, at: place)
  }

  private func file(_ path: SyncPath, in world: SealedWorld) async throws -> [UInt8] {
    try await (try #require(await world.remote.contents[try await world.place(path)])).bytes()
  }

  private func label(of file: [UInt8], _ reader: WeakReader) async throws -> [UInt8] {
    var stream = try reader.cipher.decryptor()
    _ = try await stream.run(file)
    return try #require(stream.label)
  }

  // MARK: With public knowledge

  @Test("a public key and a copied label are not enough to forge a file's content", arguments: [false, true])
  func copiedLabel(hidesNames: Bool) async throws {
    let world = try await SealedWorld(hidesNames: hidesNames)
    try await world.settle(["a.org": "genuine\n", "folder/b.org": "two\n"])
    let original = try await file(a, in: world)
    let forger = AgeForger(recipient: SealedWorld.identity.recipient)
    let reader = try await WeakReader(world, without: [.content])
    // The label of the current format cannot even be copied: it is encrypted with the file's own key.
    let copied = try forger.forged(Array("forged\n".utf8), withLabelOf: original)
    #expect(try await WeakReader(world, without: [.label]).accepts(copied, at: a))
    try await expectRefusal(of: copied, in: world, "copied stanza")
    // One who knows the label all the same, such as a reader without the remote's key, cannot give it another content.
    let known = try forger.forged(Array("forged\n".utf8), withKnownLabel: await label(of: original, reader))
    #expect(await reader.accepts(known, at: a))
    try await expectRefusal(of: known, in: world, "copied label")
  }

  @Test("a label with another content is refused, whatever the cipher proves", arguments: Scheme.allCases)
  func knownLabel(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let reader = try await WeakReader(target.world, without: [.content])
    let label = try await label(of: file(a, in: target.world), reader)
    let forged = try await reader.cipher.encrypt(Array("forged\n".utf8), as: a, label: label)
    #expect(await reader.accepts(forged, at: a))
    try await expectRefusalByNewcomer(of: forged, in: target.world, "\(scheme)")
    try await expectRefusal(of: forged, in: target.world, "\(scheme)")
    withExtendedLifetime(target.home) {}
  }

  @Test("a file without the remote's key is refused", arguments: Scheme.allCases)
  func outsider(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    guard let outsider = target.outsider else { return try await stranger(target) }
    let reader = try await WeakReader(target.world, without: [.label])
    let content = Content(Array("forged\n".utf8))
    let own = try Label(a, number: 1 << 40, content: content, withPath: true)
      .sealed(RemoteKey(bytes: World.real.random(32), hidesNames: outsider.hidesNames))
    for label in [[], own, World.real.random(108)] {
      let forged = try await outsider.encrypt(content.bytes(), as: a, label: label)
      #expect(await reader.accepts(forged, at: a))
      try await expectRefusalByNewcomer(of: forged, in: target.world, "\(scheme), label of \(label.count) bytes")
      try await expectRefusal(of: forged, in: target.world, "\(scheme), label of \(label.count) bytes")
    }
    withExtendedLifetime(target.home) {}
  }

  /// Where no key is public, a file for another key is all that an attacker can make.
  private func stranger(_ target: Target) async throws {
    let forged = try await AgeCipher.forTests().encrypt(Array("forged\n".utf8), as: a)
    try await expectRefusal(of: forged, in: target.world, "another key")
  }

  // MARK: By a former member

  @Test("the old key of a remote proves nothing after the key was changed", arguments: Scheme.allCases)
  func formerMember(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let world = target.world
    let former = try await WeakReader(world, without: [])
    let old = await world.remote.contents
    let outcome = try await world.first.rekeying(from: world.cipher, to: world.cipher).run()
    let fingerprint = try #require(outcome.fingerprint)
    // The other device knows the old key, and accepts the new one only from a person.
    #expect(await world.second.sync().result == .held)
    try await KeyTrust(world.remote, world.second.parts, world.cipher).accept(fingerprint)
    for device in [world.first, world.second] { #expect(await device.sync().result == .synced) }
    let content = Content(Array("forged\n".utf8))
    let label = try Label(a, number: 1 << 40, content: content, withPath: true).sealed(former.key)
    let outsider = target.outsider ?? former.cipher
    let forged = try await outsider.encrypt(content.bytes(), as: a, label: label)
    #expect(await former.accepts(forged, at: a) || target.outsider == nil)
    try await expectRefusal(of: forged, in: world, "\(scheme)")
    // The whole former remote with its marker is not a way back either.
    let new = await world.remote.contents
    for path in new.keys { await world.remote.take(path) }
    for (path, content) in old { await world.remote.put(content, at: path) }
    for device in [world.first, world.second] {
      let report = await device.sync()
      #expect(
        report.result == .held && report.failure?.message.contains("another key than before") == true, "\(report)")
      #expect(try await device.texts()["a.org"] == "genuine\n")
    }
    withExtendedLifetime(target.home) {}
  }

  @Test("only a person with the right fingerprint accepts another key")
  func trust() async throws {
    let world = try await SealedWorld()
    try await world.settle(["a.org": "genuine\n"])
    let evil = try await SealedWorld()
    try await evil.settle(["a.org": "forged\n"])
    let known = try #require(try await SealRecord(in: world.first.journal)).fingerprint
    for (path, content) in await evil.remote.contents { await world.remote.put(content, at: path) }
    let report = await world.first.sync()
    #expect(report.result == .held && report.failure?.message.contains(known) == true, "\(report)")
    // Re-encrypting does not adopt it.
    await #expect(throws: SyncError.self) {
      try await world.first.rekeying(from: world.cipher, to: world.cipher).run()
    }
    let trust = KeyTrust(world.remote, world.first.parts, world.cipher)
    for wrong in [known, "", "aaaa", String(known.dropLast())] {
      await #expect(throws: SyncError.self) { try await trust.accept(wrong) }
    }
    #expect(try await world.first.texts() == ["a.org": "genuine\n"])
    #expect(try await SealRecord(in: world.first.journal)?.fingerprint == known)
    let other = try #require(try await SealRecord(in: evil.first.journal)).fingerprint
    try await trust.accept(other.uppercased().replacing("-", with: " "))
    #expect(try await SealRecord(in: world.first.journal)?.fingerprint == other)
  }

  // MARK: By the server

  @Test("exchanged, replayed, cut and mixed files are refused", arguments: Scheme.allCases)
  func server(scheme: Scheme) async throws {
    guard let target = try await target(scheme) else { return }
    let world = target.world
    let (first, second) = (try await file(a, in: world), try await file(b, in: world))
    #expect(try await WeakReader(world, without: [.place]).accepts(second, at: a))
    try await expectRefusal(of: second, in: world, "\(scheme): exchanged")
    try await world.first.write("genuine, edited\n", to: "a.org")
    for device in [world.first, world.second] { #expect(await device.sync().result == .synced) }
    let mark = try await SealedVersions(journal: world.first.journal).mark(of: a)
    #expect(try await WeakReader(world, without: [.number]).accepts(first, at: a, after: mark))
    #expect(try await !WeakReader(world, without: []).accepts(first, at: a, after: mark))
    try await expectRefusal(of: first, in: world, "\(scheme): replayed", genuine: "genuine, edited\n")
    let current = try await file(a, in: world)
    for (what, file) in [
      ("cut", Array(current.dropLast(3))), ("longer", current + [0]),
      ("mixed", Array(current.prefix(current.count - 8)) + first.suffix(8)),
      ("mixed in the middle", Array(first.prefix(first.count / 2)) + current.suffix(current.count / 2)),
    ] { try await expectRefusal(of: file, in: world, "\(scheme): \(what)", genuine: "genuine, edited\n") }
    withExtendedLifetime(target.home) {}
  }

  @Test("a version that was refused when it was written does not count later, although it has the same number")
  func refusedVersion() async throws {
    let world = try await SealedWorld()
    try await world.settle(["a.org": "genuine\n"])
    let reader = try await WeakReader(world, without: [.number])
    let mark = try await SealedVersions(journal: world.first.journal).mark(of: a)
    // What another device of the remote sent at the same time, and the server kept.
    let other = Content(Array("never published\n".utf8))
    let label = try Label(a, number: mark.number, content: other, withPath: false).sealed(reader.key)
    let kept = try await reader.cipher.encrypt(other.bytes(), as: a, label: label)
    #expect(await reader.accepts(kept, at: a, after: mark))
    try await expectRefusal(of: kept, in: world, "same number")
  }

  @Test("a file of another remote with the same keys is refused")
  func otherRemote() async throws {
    let (world, other) = (try await SealedWorld(), try await SealedWorld())
    for world in [world, other] { try await world.settle(["a.org": "genuine\n"]) }
    let foreign = try await file(a, in: other)
    #expect(try await WeakReader(world, without: [.label]).accepts(foreign, at: a))
    try await expectRefusal(of: foreign, in: world, "another remote")
  }

  @Test("a remote that has lost its marker gets no new key")
  func lostMarker() async throws {
    let world = try await SealedWorld()
    try await world.settle(["a.org": "genuine\n"])
    let before = await world.remote.contents.mapValues(\.digest)
    await world.remote.take(RootMarker.path)
    #expect(await world.first.sync().result == .held)
    await #expect(throws: SyncError.self) {
      // As a later process meets the remote.
      _ = try await world.remote.encrypted(with: world.cipher, world.first.parts).write(
        Content([1]), to: SyncPath("new")!, if: .absent)
    }
    #expect(await world.remote.contents.mapValues(\.digest) == before.filter { $0.key != RootMarker.path })
  }
}
