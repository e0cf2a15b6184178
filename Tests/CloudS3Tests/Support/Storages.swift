import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudS3

extension S3Server {
  /// The settings for a part of the bucket.
  func settings(prefix: String, at endpoint: String? = nil) throws -> S3.Settings {
    var settings = S3.Settings()
    (settings.bucket, settings.prefix) = (bucket, prefix)
    settings.endpoint = URLText(endpoint ?? self.endpoint)
    settings.region = "us-east-1"
    (settings.accessKey, settings.secretKey) = (Secret(accessKey), Secret(secretKey))
    settings.http.proxy = "none"
    return settings
  }

  /// A storage in a part of the bucket.
  func storage(
    prefix: String, at endpoint: String? = nil, journal: any Journal = TestJournal(),
    contents: any ContentLibrary = MemoryContents(), device: String = "device", runtime: Runtime = .real,
    change: (inout S3.Settings) -> Void = { _ in }
  ) async throws -> S3Storage {
    var settings = try settings(prefix: prefix, at: endpoint)
    change(&settings)
    let context = PluginContext(table: "remotes.test.s3", environment: SettingsEnvironment(folder: "/"))
    let parts = RemoteParts(
      name: "test", device: Device(id: device, name: device), runtime: runtime, contents: contents, journal: journal)
    guard let storage = try await S3(settings, context).open(parts) as? S3Storage else {
      throw TestFailure("the plugin opened another storage")
    }
    return storage
  }

  /// A device whose remote is a part of the bucket.
  func device(
    _ name: String, prefix: String, at endpoint: String? = nil, traits: [UInt8]? = nil,
    change: (inout S3.Settings) -> Void = { _ in }
  ) async throws -> TestDevice {
    let archive = MemoryArchive()
    let journal = archive.journal(of: "test")
    if let traits { try await journal.write(["s3.traits": traits]) }
    let storage = try await storage(
      prefix: prefix, at: endpoint, journal: journal, contents: archive.library, device: name, change: change)
    return TestDevice(name, archive: archive, storage: storage)
  }

  /// The stored result of probing this server.
  func probed() async throws -> [UInt8] {
    let journal = TestJournal()
    let storage = try await storage(prefix: "probe-\(UUID().uuidString)", journal: journal)
    _ = try await storage.write(Content(Array("x".utf8)), to: path("x"), if: .absent)
    guard let record = journal.records()["s3.traits"] else { throw TestFailure("the probe stored no traits") }
    return record
  }
}

func path(_ text: String) throws -> SyncPath {
  guard let path = SyncPath(text) else { throw TestFailure("\(text) is not a path") }
  return path
}

func content(_ text: String) -> Content { Content(Array(text.utf8)) }

extension Storage {
  /// The text of a file; nil if there is none.
  func text(of name: String) async throws -> String? {
    let sink = MemorySink(limit: 1 << 20)
    switch try await read(file: path(name), into: sink) {
    case .read: return String(decoding: sink.bytes, as: UTF8.self)
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }
}

extension WriteResult {
  /// The entry of a change that was made.
  func done() throws -> Entry {
    guard case .done(let entry?) = self else { throw TestFailure("not done: \(self)") }
    return entry
  }
}

extension TestDevice {
  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String) async throws {
    let report = await sync()
    guard [.synced, .conflicts].contains(report.result) else {
      throw TestFailure(
        "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })"
      )
    }
  }
}
