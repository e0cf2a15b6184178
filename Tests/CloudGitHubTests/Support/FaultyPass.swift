import CurlHTTP
import GitHubEmulator
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudGitHub

/// A repository, as seen by other writers.
private struct OtherWriter: RemoteEditor {
  let github: TestGitHub
  let repository: String

  func put(_ text: String, at name: String) async throws {
    try await github.emulator.push([name: text], to: repository)
  }
  func remove(_ name: String) async throws { try await github.emulator.push([name: nil], to: repository) }

  func texts() async throws -> [String: String] {
    try await github.emulator.texts(of: repository).filter { $0.key != ReservedName.marker }
  }
}

extension TestGitHub {
  /// A pass in a separate repository.
  ///
  /// - Parameters:
  ///   - url: The address through which the device reaches GitHub.
  ///   - timeout: The timeout of the pass that has the failure.
  func troubledPass(by url: String? = nil, timeout: Duration = .seconds(20)) async throws -> FaultyPass {
    let repository = try await repository()
    let device = try await device("one", at: repository, by: url)
    let impatient = try await storage(
      repository, by: url, journal: device.archive.journal(of: "test"), device: "one"
    ) { $0.http.timeout = timeout }
    return try await FaultyPass(device, impatient: impatient, OtherWriter(github: self, repository: repository))
  }
}
