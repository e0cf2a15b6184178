import CurlHTTP
import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudDropbox

/// A folder of a Dropbox, as seen by other programs.
private struct OtherProgram: RemoteEditor {
  let dropbox: TestDropbox
  let folder: String

  func put(_ text: String, at name: String) async throws {
    try await dropbox.emulator.put(text, at: "\(folder)/\(name)")
  }
  func remove(_ name: String) async throws { try await dropbox.emulator.remove("\(folder)/\(name)") }

  func texts() async -> [String: String] {
    await dropbox.emulator.texts(below: folder).filter { $0.key != ReservedName.marker }
  }
}

extension TestDropbox {
  /// A pass in a separate folder.
  ///
  /// - Parameter url: The address through which the device reaches the Dropbox.
  func troubledPass(by url: String? = nil, timeout: Duration = .seconds(20)) async throws -> FaultyPass {
    let folder = "/\(UUID().uuidString)"
    let archive = MemoryArchive()
    let storage = try await storage(folder, by: url, journal: archive.journal(of: "test")) { $0.http.timeout = timeout }
    return try await FaultyPass(
      TestDevice("one", archive: archive, storage: storage), OtherProgram(dropbox: self, folder: folder), batch: 5)
  }
}
