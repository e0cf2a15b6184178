public import SyncKit

/// Merges encrypted Org files such as `notes.org.gpg`: decrypts the versions, merges their text and encrypts the result for the
/// same recipients, all in memory. Passes every other file to `OrgMerger`.
///
/// Each encrypted file is merged separately, so that no entry moves from it to a file that others can read. If a version cannot
/// be decrypted, or the recipients differ, both versions are kept as whole files.
public struct EncryptedOrgMerger: ContentMerger {
  let org: OrgMerger
  /// The sealers by file name suffix.
  let sealers: [(ending: String, sealer: any FileSealer)]

  /// - Parameters:
  ///   - org: merges the text of the files.
  ///   - sealers: decrypt and encrypt the files with these name suffixes, such as `.gpg`.
  public init(org: OrgMerger, sealers: [(ending: String, sealer: any FileSealer)]) {
    self.org = org
    self.sealers = sealers
  }

  public func merges(_ path: SyncPath, size: Int) -> Bool {
    guard let seal = seal(of: path) else { return org.merges(path, size: size) }
    return org.merges(seal.inner, size: size)
  }

  public func merge(_ files: [MergeInput], preferring side: Side? = nil) async -> [SyncPath: MergeResult] {
    var results = org.merge(files.filter { seal(of: $0.path) == nil }, preferring: side)
    for file in files {
      guard let seal = seal(of: file.path) else { continue }
      results[file.path] = await merge(file, preferring: side, seal)
    }
    return results
  }

  public func isMarked(_ content: [UInt8], at path: SyncPath) async -> Bool? {
    guard let seal = seal(of: path) else { return org.isMarked(content, at: path) }
    do throws(SyncError) {
      return org.isMarked(try await seal.open(content).file.text, at: seal.inner)
    } catch { return nil }
  }

  /// Returns the name of an encrypted Org file without its suffix, and its sealer; nil for every other file.
  private func seal(of path: SyncPath) -> Seal? {
    for (ending, sealer) in sealers where path.name.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
      let inner = path.name.dropLast(ending.utf8.count)
      guard OrgMerger.isOrg(inner), let inner = path.sibling(inner) else { continue }
      return Seal(inner: inner, sealer: sealer)
    }
    return nil
  }

  /// Returns nil if only one side has changed the file, which needs no merge.
  private func merge(_ file: MergeInput, preferring side: Side?, _ seal: Seal) async -> MergeResult? {
    guard let local = file.local, let remote = file.remote, file.base != local, file.base != remote else { return nil }
    do throws(SyncError) {
      var base: DecryptedVersion?
      if let bytes = file.base { base = try await seal.open(bytes) }
      return try await merge(
        base, try await seal.open(local), try await seal.open(remote), preferring: side, seal)
    } catch { return .sideBySide(because: "\(file.path) \(error.message)") }
  }

  private func merge(
    _ base: DecryptedVersion?, _ local: DecryptedVersion, _ remote: DecryptedVersion, preferring side: Side?,
    _ seal: Seal
  ) async throws(SyncError) -> MergeResult {
    if let standing = DecryptedVersion.standing(base, local, remote) { return .clean(standing.bytes) }
    guard local.file.readers == remote.file.readers else {
      return .sideBySide(because: "the two versions are encrypted for different recipients")
    }
    let input = MergeInput(
      path: seal.inner, base: base?.file.text, local: local.file.text, remote: remote.file.text)
    switch org.merge([input], preferring: side)[seal.inner] {
    case .clean(let text): return .clean(try await sealed(text, local, remote, seal))
    case .marked(let text): return .marked(try await sealed(text, local, remote, seal))
    case .decided(let text): return .decided(try await sealed(text, local, remote, seal))
    case .sideBySide, nil: return .sideBySide()
    }
  }

  /// Returns a merged text in the encrypted form of one of the sides if it has the same text, otherwise encrypts it.
  private func sealed(
    _ text: [UInt8], _ local: DecryptedVersion, _ remote: DecryptedVersion, _ seal: Seal
  ) async throws(SyncError) -> [UInt8] {
    if let version = [local, remote].first(where: { $0.file.text == text }) { return version.bytes }
    return try await seal.sealer.seal(text, like: local.file.isArmored ? local.file : remote.file)
  }

  /// The plain name and the sealer of an encrypted file.
  private struct Seal {
    let inner: SyncPath
    let sealer: any FileSealer

    func open(_ bytes: [UInt8]) async throws(SyncError) -> DecryptedVersion {
      DecryptedVersion(bytes: bytes, file: try await sealer.open(bytes, atMost: OrgMerger.largestText))
    }
  }
}

/// One version of an encrypted file, with its decrypted text.
struct DecryptedVersion: Hashable {
  var bytes: [UInt8]
  var file: OpenedFile

  /// Returns the version that wins without a merge; nil if both sides have edited the file. The same text for the same
  /// recipients is one version, however often it was encrypted. Of two equal ones, every device chooses the same.
  static func standing(_ base: DecryptedVersion?, _ local: DecryptedVersion, _ remote: DecryptedVersion)
    -> DecryptedVersion?
  {
    if local.isSealedAnew(from: remote) {
      return Digest(of: local.bytes) < Digest(of: remote.bytes) ? local : remote
    }
    guard let base else { return nil }
    if local.isSealedAnew(from: base) { return remote }
    return remote.isSealedAnew(from: base) ? local : nil
  }

  private func isSealedAnew(from other: DecryptedVersion) -> Bool {
    file.text == other.file.text && file.readers == other.file.readers
  }
}
