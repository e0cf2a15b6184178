import HubClient
import Testing

/// The files of the web client in the program.
@Suite("Files of the web client") struct HubClientFilesTests {
  @Test("the shell, its manifest and the service worker are there, each with a type and a tag of its own")
  func shell() throws {
    for path in ["/", "/index.html", "/app.js", "/sw.js", "/manifest.webmanifest"] {
      let file = try #require(HubClientFiles.file(at: path), "\(path)")
      #expect(!file.contentType.isEmpty && file.etag.hasPrefix("\"") && file.etag.hasSuffix("\""))
    }
    #expect(HubClientFiles.file(at: "/../Package.swift") == nil && HubClientFiles.file(at: "app.js") == nil)
  }
}
