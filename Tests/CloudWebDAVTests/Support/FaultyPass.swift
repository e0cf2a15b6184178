import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudWebDAV

/// The folder behind a server, as seen by other programs on its machine.
private struct ServedFolder: RemoteEditor {
  let path: String

  func put(_ text: String, at name: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

  func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      guard name != ReservedName.marker, !name.hasPrefix(".DAV"), !name.contains("/.DAV"),
        let data = FileManager.default.contents(atPath: path + "/" + name),
        (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + name)) == nil
      else { continue }
      texts[name] = String(decoding: data, as: UTF8.self)
    }
    return texts
  }
}

extension TestServer {
  /// A pass in a separate folder.
  ///
  /// - Parameters:
  ///   - traits: The known traits of the server, so that it is not probed each time.
  ///   - url: Returns the address through which the device reaches the server's folder.
  func troubledPass(knowing traits: [UInt8], by url: (String) throws -> String) async throws -> FaultyPass {
    let place = try folder()
    let reached = try url(place.url)
    let archive = MemoryArchive()
    let journal = archive.journal(of: "test")
    try await journal.write(["webdav.traits": traits])
    let patient = try storage(at: reached, journal: journal, contents: archive.library)
    let impatient = try storage(at: reached, journal: journal, contents: archive.library) {
      $0.stallTimeout = .seconds(3)
    }
    return try await FaultyPass(
      TestDevice("one", archive: archive, storage: patient), impatient: impatient, ServedFolder(path: place.path))
  }

  /// The stored result of probing this server. A busy server may have failures of its own, and two versions may fall into one
  /// second, which gives no result for tags; then it is probed again.
  func probed() async throws -> [UInt8] {
    for _ in 0..<50 {
      let journal = TestJournal()
      let storage = try freshStorage(journal: journal)
      do throws(SyncError) { try await storage.createRoot() } catch {
        guard error.code == .unavailable else { throw error }
        continue
      }
      let record = try journal.records()["webdav.traits"].orThrow("the probe stored no traits")
      if Traits(record: record)?.tagsAreFine == hasFineTags { return record }
    }
    throw TestFailure("this machine is too busy to probe how \(kind) distinguishes versions")
  }
}
