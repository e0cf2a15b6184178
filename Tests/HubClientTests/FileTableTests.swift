import Foundation
import HubClient
import Testing

/// The table of embedded files is written by hand, so it is compared with the folder.
@Suite("Files of the web client")
struct FileTableTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Sources/HubClient/web")
    .standardizedFileURL

  private static let names: [String] = {
    let found = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return found.filter { !FileManager.default.isFolder(folder.appending(path: $0).path) }.sorted()
  }()

  /// The hub puts the version before them.
  private static let workers = ["sw.js", "worker.js"]

  private static func content(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private static func text(_ name: String) throws -> String { String(decoding: try content(name), as: UTF8.self) }

  @Test("the program has every file of the folder, with its bytes, and no other")
  func table() throws {
    #expect(HubClientFiles.all.map(\.path).sorted() == Self.names.map { "/" + $0 })
    for name in Self.names where !Self.workers.contains(name) {
      #expect(HubClientFiles.file(at: "/" + name)?.bytes == (try Self.content(name)), "\(name)")
    }
  }

  @Test("each file has the media type of its name, and a tag of its own")
  func types() {
    let types = [
      "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
      "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
    ]
    for file in HubClientFiles.all {
      #expect(file.contentType == types[file.path.split(separator: ".").last.map(String.init) ?? ""], "\(file.path)")
      #expect(file.etag.hasPrefix("\"") && file.etag.hasSuffix("\"") && file.etag.count == 18, "\(file.etag)")
    }
    #expect(Set(HubClientFiles.all.map(\.etag)).count == HubClientFiles.all.count)
  }

  @Test("/ is the shell; what is not in the table is nil, whatever the address")
  func addresses() {
    #expect(HubClientFiles.file(at: "/")?.path == "/index.html")
    for path in [
      "", "index.html", "/pair", "/../Package.swift", "/screens/", "/screens/../app.js", "//app.js", "/app.js\0",
    ] {
      #expect(HubClientFiles.file(at: path) == nil, "\(path)")
    }
  }

  @Test("the service worker names its version and every other file")
  func worker() throws {
    let worker = String(decoding: try #require(HubClientFiles.file(at: "/sw.js")).bytes, as: UTF8.self)
    #expect(worker.hasPrefix("const VERSION = \"\(HubClientFiles.version)\";\nconst FILES = [\"/\", "))
    #expect(worker.hasSuffix(try Self.text("sw.js")))
    let other = String(decoding: try #require(HubClientFiles.file(at: "/worker.js")).bytes, as: UTF8.self)
    #expect(other == "// Version \(HubClientFiles.version)\n" + (try Self.text("worker.js")))
    for name in Self.names where !(Self.workers + ["index.html"]).contains(name) {
      #expect(worker.contains("\"/\(name)\""), "\(name)")
    }
  }

  @Test("every module that is imported exists")
  func imports() throws {
    for name in Self.names where name.hasSuffix(".js") {
      for found in try Self.text(name).matches(of: /(?:from |import )"(\.[^"]+)"/) {
        let target = URL(filePath: "/" + name).deletingLastPathComponent().appending(path: String(found.1))
          .standardizedFileURL
        #expect(HubClientFiles.file(at: target.path) != nil, "\(name) imports \(found.1)")
      }
    }
  }

  @Test("no text becomes markup or code, and the page has neither inline")
  func markup() throws {
    let forbidden = [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc",
    ]
    for name in Self.names where name.hasSuffix(".js") || name.hasSuffix(".html") {
      let text = try Self.text(name)
      for word in forbidden { #expect(!text.contains(word), "\(name): \(word)") }
    }
    let page = try Self.text("index.html")
    #expect(!page.contains("style=") && !page.contains("<style") && page.firstMatch(of: /\son\w+=/) == nil)
    #expect(page.matches(of: /<script/).count == page.matches(of: /<script type="module" src="/).count)
  }
}

extension FileManager {
  func isFolder(_ path: String) -> Bool {
    (try? attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
  }
}
