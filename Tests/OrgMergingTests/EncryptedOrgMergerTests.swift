import SyncKit
import Testing

@testable import OrgMerging

@Suite struct EncryptedOrgMergerTests {
  private let path = SyncPath("notes.org.box")!
  private let merger = EncryptedOrgMerger(org: OrgMerger(), sealers: [(".box", Box())])
  private static let base = "* A\none\n* B\ntwo\n"
  private static let ours = "* A\nONE\n* B\ntwo\n"
  private static let theirs = "* A\none\n* B\nTWO\n"

  /// The result of merging three texts, each encrypted for its recipients.
  private func merge(_ base: Box.Sealed?, _ local: Box.Sealed, _ remote: Box.Sealed) async -> MergeResult? {
    await merger.merge([MergeInput(path: path, base: base?.bytes, local: local.bytes, remote: remote.bytes)])[path]
  }

  @Test func `two edits become one text, encrypted for the same recipients`() async throws {
    let result = await merge(
      Box.Sealed(Self.base, 1), Box.Sealed(Self.ours, 2), Box.Sealed(Self.theirs, 3))
    guard case .clean(let bytes) = try #require(result) else {
      Issue.record("\(String(describing: result))")
      return
    }
    #expect(try Box.Sealed(bytes) == Box.Sealed("* A\nONE\n* B\nTWO\n", Box.newest))
  }

  @Test func `a conflict is marked inside the encrypted file, and is open until the mark is removed`() async throws {
    let result = await merge(
      Box.Sealed("* A\none\n", 1), Box.Sealed("* A\nONE\n", 2), Box.Sealed("* A\neins\n", 3))
    guard case .marked(let bytes) = try #require(result) else {
      Issue.record("\(String(describing: result))")
      return
    }
    let text = try Box.Sealed(bytes).text
    #expect(text.contains("ONE") && text.contains("eins"))
    #expect(await merger.isMarked(bytes, at: path) == true)
    #expect(await merger.isMarked(Box.Sealed("* A\nONE\n", 4).bytes, at: path) == false)
    #expect(await merger.isMarked(Box.Sealed("* A\nONE\n", 4, isLocked: true).bytes, at: path) == nil)
  }

  /// Base, store, remote, and the version that is kept. A version is a text, the number of its encryption, and its recipients.
  private static let standing: [(Box.Sealed?, Box.Sealed, Box.Sealed, Side?)] = [
    // Encrypted twice: the smaller digest wins, whichever side it is on.
    (Box.Sealed(base, 1), Box.Sealed(ours, 2), Box.Sealed(ours, 3), nil),
    (nil, Box.Sealed(ours, 2), Box.Sealed(ours, 3), nil),
    // Re-encrypted on one side only, and edited on the other.
    (Box.Sealed(base, 1), Box.Sealed(base, 2), Box.Sealed(theirs, 3), .remote),
    (Box.Sealed(base, 1), Box.Sealed(ours, 2), Box.Sealed(base, 3), .local),
    // Re-encrypted for another reader, which counts as an edit.
    (Box.Sealed(base, 1), Box.Sealed(base, 2), Box.Sealed(base, 3, ["ann", "bob"]), .remote),
    (Box.Sealed(base, 1), Box.Sealed(ours, 2, ["ann", "bob"]), Box.Sealed(base, 3), .local),
  ]

  @Test(arguments: standing.indices)
  func `encrypting again is not an edit`(index: Int) async throws {
    let (base, local, remote, side) = Self.standing[index]
    let smaller = Digest(of: local.bytes) < Digest(of: remote.bytes) ? local : remote
    let expected = side.map { $0 == .local ? local : remote } ?? smaller
    #expect(await merge(base, local, remote) == .clean(expected.bytes))
    #expect(await merge(base, remote, local) == .clean(expected.bytes))
  }

  @Test func `a merge that another device has already made is used unchanged`() async throws {
    let merged = Box.Sealed("* A\nONE\n* B\nTWO\n", 7)
    #expect(await merge(Box.Sealed(Self.base, 1), Box.Sealed(Self.ours, 2), merged) == .clean(merged.bytes))
  }

  /// Versions that are not encrypted again, and a part of the reason.
  private static let whole: [(Box.Sealed?, Box.Sealed, Box.Sealed, String)] = [
    (Box.Sealed(base, 1), Box.Sealed(ours, 2, ["ann", "bob"]), Box.Sealed(theirs, 3), "different recipients"),
    (nil, Box.Sealed(ours, 2, ["ann", "bob"]), Box.Sealed(ours, 3), "different recipients"),
    (Box.Sealed(base, 1), Box.Sealed(ours, 2), Box.Sealed(theirs, 3, isLocked: true), "notes.org.box has no key"),
    (Box.Sealed(base, 1, isLocked: true), Box.Sealed(ours, 2), Box.Sealed(theirs, 3), "notes.org.box has no key"),
    (Box.Sealed(base, 1), Box.Sealed(ours, 2, ["eve"]), Box.Sealed(theirs, 3, ["eve"]), "cannot be encrypted"),
  ]

  @Test(arguments: whole.indices)
  func `a file that cannot be re-encrypted for the same recipients is kept whole on both sides`(index: Int) async throws
  {
    let (base, local, remote, reason) = Self.whole[index]
    guard case .sideBySide(let because?)? = await merge(base, local, remote) else {
      Issue.record("it was merged")
      return
    }
    #expect(because.contains(reason), "\(because)")
  }

  @Test func `no entry moves from an encrypted file to another file`() async throws {
    let plain = try #require(SyncPath("plain.org"))
    let entry = "* Secret\n:PROPERTIES:\n:ID: 1\n:END:\n"
    let files = [
      MergeInput(
        path: path, base: Box.Sealed("* A\n" + entry, 1).bytes, local: Box.Sealed("* A\n" + entry + "more\n", 2).bytes,
        remote: Box.Sealed("* A\n", 3).bytes),
      MergeInput(
        path: plain, base: Array("* B\n".utf8), local: Array("* B\n".utf8), remote: Array(("* B\n" + entry).utf8)),
    ]
    let results = await merger.merge(files)
    if case .clean(let bytes)? = results[plain] { #expect(!String(decoding: bytes, as: UTF8.self).contains("more")) }
    switch results[path] {
    case .clean(let bytes), .marked(let bytes): #expect(try Box.Sealed(bytes).text.contains("more"))
    default: Issue.record("\(String(describing: results[path]))")
    }
  }

  @Test func `only encrypted Org files are decrypted`() {
    for (name, merges) in [
      ("notes.org.box", true), ("sub/notes.org_archive.box", true), ("notes.org", true), ("photo.jpg.box", false),
      ("todo.txt.box", false), ("pass.box", false), ("notes.box", false),
    ] {
      #expect(merger.merges(SyncPath(name)!, size: 1) == merges, "\(name)")
    }
  }
}

/// A format with all relevant features: readers, a different number for each encryption, and a key that may be missing.
private struct Box: FileSealer {
  static let newest = 9

  struct Sealed: Hashable {
    var text: String
    var number: Int
    var readers: Set<String>
    var isLocked: Bool

    init(_ text: String, _ number: Int, _ readers: Set<String> = ["ann"], isLocked: Bool = false) {
      (self.text, self.number, self.readers, self.isLocked) = (text, number, readers, isLocked)
    }

    init(_ bytes: [UInt8]) throws {
      let parts = String(decoding: bytes.map { $0 ^ 0x80 }, as: UTF8.self).split(
        separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
      self.init(
        String(parts[3]), try #require(Int(parts[0])), Set(parts[1].split(separator: ",").map(String.init)),
        isLocked: parts[2] == "locked")
    }

    var bytes: [UInt8] {
      "\(number)|\(readers.sorted().joined(separator: ","))|\(isLocked ? "locked" : "")|\(text)".utf8.map { $0 ^ 0x80 }
    }
  }

  func open(_ sealed: [UInt8], atMost limit: Int) throws(SyncError) -> OpenedFile {
    guard let file = try? Sealed(sealed), !file.isLocked else { throw SyncError(.unauthorized, "has no key") }
    return OpenedFile(text: Array(file.text.utf8), readers: file.readers, isArmored: false)
  }

  func seal(_ text: [UInt8], like file: OpenedFile) throws(SyncError) -> [UInt8] {
    guard !file.readers.contains("eve") else { throw SyncError(.suspect, "cannot be encrypted for eve") }
    return Sealed(String(decoding: text, as: UTF8.self), Self.newest, file.readers).bytes
  }
}
