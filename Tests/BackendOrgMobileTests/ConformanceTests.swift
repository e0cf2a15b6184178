import BackendOrgMobile
import Foundation
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

/// The desktop role is a replica like any other; the phone role is not, because it cannot be written to freely.
@Suite final class ConformanceTests: Sendable {
  private let places = Mutex<[Desktop]>([])

  @Test("a staging area in the desktop role passes the replica checks", arguments: ReplicaCheck.all)
  func desktop(check: ReplicaCheck) async throws {
    let oneIndex = ServerQuirk(
      check: .handlesAtOnce, "all files are named in one index, so of two pushes at once one waits for the next pass")
    try await check.run(
      on: {
        let place = try Desktop()
        self.places.withLock { $0.append(place) }
        return (
          try await Phone("desk", at: place.staging, role: .desktop).remote(),
          try await Phone("other", at: place.staging, role: .desktop).remote()
        )
      }, quirks: [oneIndex])
  }
}
