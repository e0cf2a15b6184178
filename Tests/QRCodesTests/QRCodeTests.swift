import Foundation
import ProgramTesting
import Testing

@testable import QRCodes

@Suite("QR codes") struct QRCodeTests {
  /// Reads the codes in a list of texts, each in the form of the terminal, with ZBar.
  private static let decoder = #"""
    import json, sys, zbar
    scanner = zbar.ImageScanner()
    def decode(lines):
        rows = []
        for line in lines:
            rows.append([c in "\u2588\u2580" for c in line])
            rows.append([c in "\u2588\u2584" for c in line])
        width = 4 * (len(rows[0]) + 8)
        blank = b"\xff" * width
        image = blank * 16
        for row in rows:
            line = b"\xff" * 16 + b"".join((b"\x00" if dark else b"\xff") * 4 for dark in row) + b"\xff" * 16
            image += line * 4
        image += blank * 16
        picture = zbar.Image(width, len(image) // width, "Y800", image)
        scanner.scan(picture)
        return [symbol.data for symbol in picture]
    json.dump([decode(code) for code in json.load(sys.stdin)], sys.stdout)
    """#

  /// The Python that has Debian's packages.
  private static let python = "/usr/bin/python3"

  @Test("an independent decoder reads codes of every form") func decoding() async throws {
    guard try await Command([Self.python, "-c", "import zbar"]).finish().status == 0 else {
      return print("*** SKIPPED: python3-zbar is not installed ***")
    }
    // The largest content of versions with each kind of pattern and of blocks, and one byte.
    let versions = Array(1...10) + [14, 21, 28]
    let texts =
      ["a"]
      + versions.map { version in
        let layout = QRLayout(version)
        let count = (layout.dataBytes * 8 - 4 - layout.lengthBits) / 8
        return String((0..<count).map { Character(Unicode.Scalar(UInt8(33 + ($0 * $0 + version) % 94))) })
      }
    let codes = try texts.map { text in
      // The colours of a terminal: the text between the control sequences has dark modules.
      try #require(QRCode(Array(text.utf8))).lines(isColored: true).map {
        $0.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "")
      }
    }
    let widths = codes.map { $0[0].count }
    let expected = [25] + versions.map { version in version * 4 + 21 }
    #expect(widths == expected)
    let folder = ScratchFolder()
    let file = folder.path + "/codes.json"
    try JSONEncoder().encode(codes).write(to: URL(filePath: file))
    let outcome = try await Command(["sh", "-c", "exec \"$0\" -c \"$1\" <\"$2\"", Self.python, Self.decoder, file])
      .finish()
    let decoded = try JSONDecoder().decode([[String]].self, from: outcome.out)
    for (text, found) in zip(texts, decoded) { #expect(found == [text], "\(text.count) bytes") }
    #expect(decoded.count == texts.count)
  }

  @Test("content that is too long has no code, and without colours light and dark are exchanged") func limits() throws {
    #expect(QRCode(Array(repeating: 0, count: 2_953)) != nil)
    #expect(QRCode(Array(repeating: 0, count: 2_954)) == nil)
    let code = try #require(QRCode(Array("syncd".utf8)))
    #expect(code.lines(isColored: false)[0].first == "\u{2588}")
    // The finder at the top left, with the light modules around it.
    #expect(code.rows.count == 21 && code.rows.allSatisfy { $0.count == 21 })
    #expect(code.rows.prefix(3).map { $0.prefix(8) } == ["11111110", "10000010", "10111010"])
  }
}
