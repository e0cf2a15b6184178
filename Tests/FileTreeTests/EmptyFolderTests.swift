import Foundation
import SyncKit
import Testing

@testable import FileTree

@Suite struct EmptyFolderTests {
  private let folder = TestFolder()

  private func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
  }

  @Test(arguments: ["a.org", "a.org/b/c"])
  func `a file replaces folders without files`(name: String) async throws {
    try makeFolder(name)
    try makeFolder("a.org/d")
    #expect(try await folder.tree().create(a, "text").isDone)
    #expect(folder.names == ["a.org"] && folder.text("a.org") == "text")
  }

  @Test(arguments: ["a.org/x.txt", "a.org/b/c/.hidden", "a.org/b/x.tmp"])
  func `a folder with a file at any depth stays as it is`(file: String) async throws {
    try makeFolder("a.org/empty")
    folder.write("theirs", to: file)
    let names = folder.names
    #expect(try await folder.tree().create(a, "text").failure?.code == .pathFailed)
    #expect(folder.names == names)
  }

  @Test func `a folder that holds a link stays as it is`() async throws {
    try makeFolder("a.org")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a.org/link", withDestinationPath: folder.outer)
    #expect(try await folder.tree().create(a, "text").failure?.code == .pathFailed)
    #expect(folder.names == ["a.org/", "a.org/link/"])
  }

  @Test func `a file that appears in the folder meanwhile is kept`() async throws {
    try makeFolder("a.org/b")
    let folder = folder
    let tree = folder.tree { if $0 == .folderRemoving { folder.write("theirs", to: "a.org/b/x.org") } }
    #expect(try await tree.create(a, "text").failure?.code == .pathFailed)
    #expect(folder.text("a.org/b/x.org") == "theirs")
  }

  @Test func `a removal never removes an empty folder`() async throws {
    try makeFolder("a.org")
    _ = try await folder.tree().replace(a, "old", by: nil)
    #expect(folder.names == ["a.org/"])
  }
}
