import BoxEmulator
import CurlHTTP
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudBox

/// A folder in a Box, as seen by other programs.
private struct OtherProgram: RemoteEditor {
  let box: TestBox
  let folder: String

  func put(_ text: String, at name: String) async throws {
    try await box.emulator.put(text, at: "\(folder)/\(name)")
  }
  func remove(_ name: String) async throws { try await box.emulator.remove("\(folder)/\(name)") }

  func texts() async -> [String: String] {
    await box.emulator.texts(below: folder).filter { $0.key != ReservedName.marker }
  }
}

extension TestBox {
  /// A pass in a separate folder.
  ///
  /// - Parameters:
  ///   - url: The address through which the device reaches the Box.
  ///   - timeout: The timeout of the pass that has the failure.
  func troubledPass(by url: String? = nil, timeout: Duration = .seconds(20)) async throws -> FaultyPass {
    let folder = "/\(UUID().uuidString)"
    let device = try await device("one", at: folder, by: url)
    let impatient = try await storage(folder, by: url, journal: device.archive.journal(of: "test")) {
      $0.http.timeout = timeout
    }
    return try await FaultyPass(device, impatient: impatient, OtherProgram(box: self, folder: folder), batch: 2)
  }
}
