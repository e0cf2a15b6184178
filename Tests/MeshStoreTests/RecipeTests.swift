import Foundation
import MeshState
import MeshStore
import SyncKit
import Testing

@Suite("Recipes of segments")
struct RecipeTests {
  /// A file on two devices, and its edit on the first one.
  private struct Edited {
    let places = [MeshPlace(), MeshPlace()]
    let a: MeshReplica
    let b: MeshReplica
    let name: SegmentName

    init(_ former: String, _ edited: String) async throws {
      a = places[0].handle(device: "a", retention: .seconds(600))
      b = places[1].handle(device: "b", retention: .seconds(600))
      for handle in [a, b] { _ = try await handle.claim() }
      try await a.put(former, at: "a.org")
      try await a.put("other\n", at: "b.org")
      _ = try await b.join(a.offer())
      try await a.put(edited, at: "a.org")
      name = try #require(try await a.head(program: "", port: 0).tables.last?.segment)
    }
  }

  private static let text = (0..<4_000).map { "line \($0)\n" }.joined()

  @Test(
    "a device with the former version rebuilds the segment of an edit, which is the same, and gets the edit by it",
    arguments: [
      (text, text + "the end\n"), (text, "the beginning\n" + text),
      (text, text.replacing("line 2000\n", with: "")),
      (text, text.replacing("line 2000\n", with: "line 2000\nline 2000\n")),
      (text, String(text.prefix(20_000))), ("aaaa", "aaaaaa"), ("aaaaaa", "aa"), ("", "a"), ("a", ""), ("a", "b"),
    ])
  func edit(former: String, edited: String) async throws {
    let case1 = try await Edited(former, edited)
    let recipe = try #require(try await case1.a.recipe(of: case1.name))
    #expect(recipe.bytes.count < 600, "\(recipe.bytes.count) bytes")
    let segment = try #require(try await case1.b.segment(rebuiltBy: SegmentRecipe(recipe.bytes)))
    #expect(try await case1.a.segment(case1.name) == segment)
    var offer = try await case1.a.offer()
    let root = MerkleRoot(of: segment)
    offer.arrived = [root: segment]
    offer.segment = { name throws(SyncError) in name.root == root ? segment : nil }
    #expect(try await case1.b.join(offer).isComplete)
    #expect(try await case1.b.texts() == ["a.org": edited, "b.org": "other\n"])
    // The receiver gives it to others in the same way.
    #expect(try await case1.b.recipe(of: case1.name)?.bytes.count == recipe.bytes.count)
  }

  @Test("several edits are rebuilt before any of them is joined")
  func chain() async throws {
    let case1 = try await Edited("line 1\n", "line 1\nline 2\n")
    try await case1.a.put("line 1\nline 2\nline 3\n", at: "a.org")
    let last = try #require(try await case1.a.head(program: "", port: 0).tables.last?.segment)
    for name in [case1.name, last] {
      let recipe = try #require(try await case1.a.recipe(of: name))
      #expect(try await case1.b.segment(rebuiltBy: recipe) == case1.a.segment(name))
    }
  }

  @Test("a damaged segment has no recipe, and does not stop the others")
  func damaged() async throws {
    let case1 = try await Edited(Self.text, Self.text + "the end\n")
    let path = case1.places[0].segmentFolder + "/\(case1.name.root)"
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[30] ^= 1
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try bytes.write(to: URL(filePath: path))
    #expect(try await case1.a.recipe(of: case1.name) == nil)
  }

  @Test("a device without the former version rebuilds nothing, and a new file has no recipe")
  func without() async throws {
    let case1 = try await Edited(Self.text, Self.text + "the end\n")
    let recipe = try #require(try await case1.a.recipe(of: case1.name))
    let place = MeshPlace()
    let empty = place.handle(device: "c")
    _ = try await empty.claim()
    #expect(try await empty.segment(rebuiltBy: recipe) == nil)
    try await case1.a.put(Self.text + "new\n", at: "new.org")
    let name = try #require(try await case1.a.head(program: "", port: 0).tables.last?.segment)
    #expect(try await case1.a.recipe(of: name) == nil)
  }

  @Test("a recipe that is cut, changed or made up is refused, or makes nothing that a head names")
  func hostile() async throws {
    let case1 = try await Edited(Self.text, Self.text + "the end\n")
    let recipe = try #require(try await case1.a.recipe(of: case1.name))
    for count in recipe.bytes.indices {
      #expect(throws: FormatError.self) { try SegmentRecipe(Array(recipe.bytes.prefix(count))) }
    }
    #expect(throws: FormatError.self) { try SegmentRecipe(recipe.bytes + [0]) }
    var changed: [SegmentRecipe] = []
    for (before, after) in [(1 << 19, 0), (0, 1 << 19), (Self.text.utf8.count, 1), (0, 0)] {
      changed.append(recipe)
      (changed[changed.count - 1].parts[0].before, changed[changed.count - 1].parts[0].after) = (before, after)
    }
    changed += [recipe, recipe, recipe]
    changed[4].parts[0].middle += [1]
    changed[5].parts = []
    changed[6].table = [1, 2, 3]
    for recipe in changed {
      await #expect(throws: SyncError.self) { try await case1.b.segment(rebuiltBy: recipe) }
    }
    var salted = recipe
    salted.salt[0] ^= 1
    let other = try #require(try await case1.b.segment(rebuiltBy: salted))
    #expect(MerkleRoot(of: other) != case1.name.root)
  }
}
