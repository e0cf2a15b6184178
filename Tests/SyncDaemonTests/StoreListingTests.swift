import Foundation
import ProgramTesting
import Testing

@testable import SyncDaemon

@Suite("The list of the store's Org files")
struct StoreListingTests {
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
}
