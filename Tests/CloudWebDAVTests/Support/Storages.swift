import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudWebDAV

extension TestServer {
  /// A storage in a folder of this server.
  func storage(
    at url: String, password: String? = nil, journal: any Journal = TestJournal(), contents: MemoryContents? = nil,
    allowsUnsafeWrites: Bool = false, isReceiveOnly: Bool = false, device: String = "device", runtime: Runtime = .real,
    change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) throws -> WebDAVStorage {
    var access = HTTPClient.Configuration(userAgent: "syncd tests")
    access.credentials = .basic(user: user, password: password ?? self.password)
    access.proxy = .none
    access.stallTimeout = .seconds(60)
    change(&access)
    let address = try Address(url).orThrow("\(url) is not an address")
    var parts = RemoteParts(
      name: "test", device: Device(id: device, name: "test"), runtime: runtime, contents: contents ?? MemoryContents(),
      journal: journal)
    parts.isReceiveOnly = isReceiveOnly
    return WebDAVStorage(
      Server(address, access, runtime: runtime), parts: parts, allowsUnsafeWrites: allowsUnsafeWrites)
  }

  /// A storage in a new empty folder.
  func freshStorage(journal: any Journal) throws -> WebDAVStorage {
    try storage(at: folder().url, journal: journal)
  }

  /// Two devices' storages in a new empty folder. Each device stores its probe results, like the passes of a remote.
  func freshHandles(journals: (any Journal, any Journal)) throws -> StorageCheck.Handles {
    let url = try folder().url
    return (
      try storage(at: url, journal: journals.0, device: "one"),
      try storage(at: url, journal: journals.1, device: "other")
    )
  }
}

extension TestServer {
  /// A device whose remote is the folder at `url`.
  func device(_ name: String, at url: String) throws -> TestDevice {
    try TestDevice(name) { archive in
      try storage(at: url, journal: archive.journal(of: "test"), contents: archive.library, device: name)
    }
  }
}

extension Optional {
  func orThrow(_ message: String) throws -> Wrapped {
    guard let self else { throw TestFailure(message) }
    return self
  }
}
