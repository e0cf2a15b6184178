import Testing

@testable import SyncKit

@Suite("The root marker")
struct RootMarkerTests {
  @Test("a marker is decoded from its text")
  func roundTrip() throws {
    var marker = RootMarker(id: "abc234")
    #expect(RootMarker(marker.bytes) == marker)
    marker.generations = ["laptop1": 7, "phone2": 0, "desk3": 1 << 40]
    #expect(RootMarker(marker.bytes) == marker)
  }

  @Test("a marker survives other line ends and unknown lines")
  func lenient() throws {
    let marker = try #require(RootMarker(Array("# hello\r\nid abc\r\ncolour blue\r\ngeneration dev 3\r\n".utf8)))
    #expect(marker.id == "abc")
    #expect(marker.generations == ["dev": 3])
  }

  @Test(
    "other texts are not markers",
    arguments: [
      "", "\n", "id", "id ", "# id abc", "identity abc", "<html><body>Please sign in</body></html>", "\0\0\0\0",
      "id = 5", "id \"abc\"", "id ../../etc", "  ", "id <b>",
    ])
  func garbage(text: String) {
    #expect(RootMarker(Array(text.utf8)) == nil)
  }

  @Test("generations that are not numbers are ignored")
  func generations() throws {
    let marker = try #require(RootMarker(Array("id a\ngeneration d x\ngeneration e\ngeneration f 1 2\n".utf8)))
    #expect(marker.generations.isEmpty)
  }

  @Test("a marker stays small, however many devices use it")
  func size() throws {
    var marker = RootMarker(id: "abc")
    for number in 0..<500 { marker.generations["device\(number)abcdefghijklmnopqrstuvwxyz"] = .max }
    #expect(marker.bytes.count < RootMarker.maximumSize)
  }
}
