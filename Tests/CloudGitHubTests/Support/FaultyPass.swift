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
  /// - Parameter url: The address through which the device reaches GitHub.
  func troubledPass(by url: String? = nil, timeout: Duration = .seconds(20)) async throws -> FaultyPass {
    let repository = try await repository()
    let device = try await device("one", at: repository, by: url) { $0.http.timeout = timeout }
    return try await FaultyPass(device, OtherWriter(github: self, repository: repository))
  }
}
