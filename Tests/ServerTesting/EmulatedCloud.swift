import Foundation
import ProgramTesting
public import SyncKit
import SyncKitTesting

/// A cloud whose emulator a test runs. Its places for storages are folders or repositories. What the tests of these clouds have in
/// common is written against this protocol.
public protocol EmulatedCloud: Sendable {
  /// The emulator's address.
  var url: String { get }
  /// The number of additional files that a pass with a failure changes, for clouds that change files in batches.
  var batch: Int { get }

  /// Creates an empty place; returns its name.
  func newPlace() async throws -> String
  /// A storage as the program opens it.
  ///
  /// - Parameters:
  ///   - place: The folder or repository.
  ///   - url: The address through which the storage reaches the emulator; nil for the emulator's own.
  ///   - device: The name of the device.
  ///   - timeout: The timeout of a request.
  func storage(
    at place: String, by url: String?, journal: any Journal, device: String, timeout: Duration
  ) async throws -> any Storage

  // The changes and the view of another client. Texts are those of all user files, by name.
  func put(_ text: String, at name: String, in place: String) async throws
  func remove(_ name: String, in place: String) async throws
  func texts(in place: String) async throws -> [String: String]

  /// Gives the emulator an order, such as `{"op": "fail", …}`.
  func control(_ order: String) async throws
  /// The number of calls by route, since the last order to recount.
  func calls() async -> [String: Int]
}

extension EmulatedCloud {
  public var batch: Int { 0 }

  public func newPlace() async throws -> String { "/\(UUID().uuidString)" }

  /// A device whose remote is a place of this cloud.
  public func device(_ name: String, at place: String, by url: String? = nil) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(
      at: place, by: url, journal: archive.journal(of: "test"), device: name, timeout: .seconds(20))
    return TestDevice(name, archive: archive, storage: storage)
  }

  /// The changes and the view of another client in a place.
  public func editor(of place: String) -> any RemoteEditor { OtherClient(cloud: self, place: place) }

  /// A pass in a separate place, with a failure.
  ///
  /// - Parameters:
  ///   - url: The address through which the device reaches the cloud.
  ///   - timeout: The timeout of a request in the pass that has the failure.
  public func troubledPass(by url: String? = nil, timeout: Duration = .seconds(20)) async throws -> FaultyPass {
    let place = try await newPlace()
    let device = try await device("one", at: place, by: url)
    let impatient = try await storage(
      at: place, by: url, journal: device.archive.journal(of: "test"), device: "one", timeout: timeout)
    return try await FaultyPass(
      device, impatient: impatient, editor(of: place), batch: batch)
  }

  /// Breaks the connection at each `stride`th request of a pass in turn, and requires that nothing is lost and all is repaired;
  /// returns the number of breaks.
  ///
  /// - Parameters:
  ///   - kind: An index of `FaultyProxy.breaks`.
  ///   - pattern: The beginning of the requests.
  public func sweepBreaks(kind: Int, at pattern: String, by stride: Int) async throws -> Int {
    let proxy = try await FaultyProxy(to: url)
    return try await proxy.sweep(FaultyProxy.breaks[kind], at: pattern, from: 1 + kind % stride, by: stride) {
      try await troubledPass(by: "http://127.0.0.1:\(proxy.port)", timeout: .seconds(2))
    }
  }

  /// Gives a false answer to each of the routes, in a pass of its own, and requires that nothing is lost and all is repaired.
  ///
  /// - Parameter answer: Members of the order `fail`.
  public func requireRecovery(from answer: String, of routes: [String]) async throws {
    for route in routes {
      let comment = "\(answer) from \(route)"
      let pass = try await troubledPass()
      try await control(#"{"op": "recount"}"#)
      try await control(#"{"op": "fail", "route": "\#(route)", \#(answer)}"#)
      _ = await pass.run()
      guard await calls()[route] ?? 0 > 0 else { throw TestFailure("\(comment): \(route) was not called") }
      try await control(#"{"op": "calm"}"#)
      try await pass.expectNothingLost(comment)
      try await pass.expectHealing(comment)
    }
  }
}

/// A place, as another client sees it.
private struct OtherClient<Cloud: EmulatedCloud>: RemoteEditor {
  let cloud: Cloud
  let place: String

  func put(_ text: String, at name: String) async throws { try await cloud.put(text, at: name, in: place) }
  func remove(_ name: String) async throws { try await cloud.remove(name, in: place) }
  func texts() async throws -> [String: String] { try await cloud.texts(in: place) }
}
