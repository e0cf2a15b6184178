import Foundation
import ItemIndex
import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import SyncDaemon

@Suite("The list of the store's Org files")
struct StoreListingTests {
  /// Returns true if a listing of the folder would give the same.
  private func agrees(_ known: KnownListing, _ root: String) -> Bool {
    FolderFiles(root: root).look { known.agrees($0) } ?? false
  }

  @Test(
    "a file is listed whatever its time is",
    arguments: [0, -1, 9_223_372_036, 9_223_372_037, 13_569_465_600] as [TimeInterval])
  func farTimes(seconds: TimeInterval) throws {
    let folder = ScratchFolder()
    let path = folder.path + "/a.org"
    try Data("* A\n".utf8).write(to: URL(filePath: path))
    // 64 bits of nanoseconds end in the year 2262.
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path)
    #expect(Array(StoreListing(root: folder.path).stamps.keys) == ["a.org"])
  }

  @Test("a listing covers every folder that a file can appear in")
  func folders() throws {
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/a/b", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.path + "/.git", withIntermediateDirectories: true)
    let before = StoreListing(root: folder.path)
    #expect(before.folders.keys.sorted() == ["", "a", "a/b"])
    for (path, parent) in [("x.org", ""), ("a/x.org", "a"), ("a/b/x.org", "a/b"), ("a/c", "a")] {
      let stamp = StoreListing(root: folder.path).folders[parent]
      // A stamp has steps of some milliseconds.
      Thread.sleep(forTimeInterval: 0.05)
      try Data("* A\n".utf8).write(to: URL(filePath: folder.path + "/" + path))
      #expect(StoreListing(root: folder.path).folders[parent] != stamp, "\(path)")
    }
  }

  @Test("an index that was made once notices every later change of the store's files")
  func changes() throws {
    let (folder, state) = (ScratchFolder(), ScratchFolder())
    let index = try ItemIndex(at: state.path + "/items.sqlite", IndexOptions(OrgSettings()), boot: "1")
    let write = { (path: String, text: String) in
      try FileManager.default.createDirectory(
        atPath: (folder.path + "/" + path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + path))
    }
    // The index takes a listing for certain if the files are older than the step of their times.
    let hour: Int64 = 3_600_000_000_000
    let makeKnown = {
      let listing = StoreListing(root: folder.path).files
      try index.refresh(
        FileListing(listing.stamps, folders: listing.folders, at: listing.time + hour),
        now: { StoreListing.now + hour },
        read: { path in
          listing.stamps[path].map {
            ($0, [UInt8](FileManager.default.contents(atPath: folder.path + "/" + path) ?? Data()))
          }
        })
      return try #require(try index.known())
    }
    try write("a/b/c.org", "* One\n")
    #expect(agrees(try makeKnown(), folder.path))
    let changes: [(String, () throws -> Void)] = [
      ("edit", { try write("a/b/c.org", "* Two\n") }),
      ("new file", { try write("a/d.org", "* Two\n") }),
      ("new folder", { try write("e/f.org", "* Two\n") }),
      ("move", { try FileManager.default.moveItem(atPath: folder.path + "/e", toPath: folder.path + "/g") }),
      ("removal", { try FileManager.default.removeItem(atPath: folder.path + "/a/d.org") }),
      (
        "attributes",
        { try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path + "/a/b") }
      ),
    ]
    for (name, change) in changes {
      let known = try makeKnown()
      // A stamp has steps of some milliseconds.
      Thread.sleep(forTimeInterval: 0.05)
      try change()
      #expect(!agrees(known, folder.path), "\(name)")
      #expect(agrees(try makeKnown(), folder.path), "\(name)")
    }
    #expect(!agrees(try makeKnown(), folder.path + "/none"))
  }
}
