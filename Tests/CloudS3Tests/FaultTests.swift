import CurlHTTP
import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

/// The bucket as other programs see it.
struct OtherProgram: RemoteEditor {
  let service: Service

  private func key(_ name: String) throws -> [UInt8] { service.bucket.key(of: try path(name)) }

  func put(_ text: String, at name: String) async throws {
    let outcome = try await service.change(.put(content(text), at: key(name), if: nil))
    guard outcome.isGood else { throw TestFailure("\(outcome)") }
  }

  func remove(_ name: String) async throws { _ = try await service.change(Call("DELETE", key: key(name))) }

  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for path in try await BucketListing.run(on: service, maxFiles: 1_000).objects.keys
    where !ReservedName.isReserved(path.name) {
      guard case .found(_, let body) = try await service.small(service.bucket.key(of: path), limit: 1 << 20) else {
        continue
      }
      texts[path.description] = String(decoding: body, as: UTF8.self)
    }
    return texts
  }
}

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("S3 over a bad network")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let stride = isSoak ? 1 : 13

  @Test("a pass survives lost connections", arguments: FaultyProxy.breaks.indices)
  func brokenConnections(kind: Int) async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let traits = try await server.probed()
    let proxy = try await FaultyProxy(to: server.endpoint)
    let count = try await proxy.sweep(
      FaultyProxy.breaks[kind], at: "^[A-Z]+ /", from: 1 + kind % Self.stride, by: Self.stride
    ) {
      let (prefix, url) = (UUID().uuidString, "http://127.0.0.1:\(proxy.port)")
      let device = try await server.device("one", prefix: prefix, at: url, traits: traits)
      let archive = device.archive
      let impatient = try await server.storage(
        prefix: prefix, at: url, journal: archive.journal(of: "test"), contents: archive.library, device: "one"
      ) { $0.http.timeout = .seconds(3) }
      return try await FaultyPass(
        device, impatient: impatient, OtherProgram(service: server.storage(prefix: prefix).service))
    }
    #expect(count > 0)
  }
}
