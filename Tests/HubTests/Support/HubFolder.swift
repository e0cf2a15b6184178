import Foundation
import ProgramTesting
import SettingsRegistry
import StoreOrgFiles
import SyncDaemon
import SyncKit

@testable import Hub

/// A store in a temporary folder, and a hub for it in this process, without sockets and without a service.
final class HubFolder: Sendable {
  let scratch: ScratchFolder
  let configuration: DaemonConfiguration
  let database: HubDatabase
  let hub: HubAPI

  /// The host that requests name.
  static let host = "127.0.0.1:8484"

  /// - Parameters:
  ///   - push: `hosts` of `[hub.push]`.
  ///   - isTimeless: true if the clock for the rates of requests stands still, so that the results do not depend on the speed of the test.
  init(
    _ files: [String: String] = [:], org: String? = nil, network: HubNetwork = HubNetwork(),
    push: [String] = [], isTimeless: Bool = false
  ) throws {
    let start = ContinuousClock.now
    scratch = ScratchFolder()
    let root = scratch.path
    try FileManager.default.createDirectory(atPath: root + "/org", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: root + "/state", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let settings = "[syncd]\nstate = \"state\"\n[store]\nbackend = \"org-files\"\npath = \"org\"\n"
    try settings.write(toFile: root + "/s.toml", atomically: true, encoding: .utf8)
    if let org { try org.write(toFile: root + "/org.json", atomically: true, encoding: .utf8) }
    for (name, text) in files { try text.write(toFile: root + "/org/" + name, atomically: true, encoding: .utf8) }
    let registry = try Registry(StoreOrgFiles.plugins)
    configuration = try SettingsLocation.read(root + "/s.toml", registry: registry)[0]
    database = try HubDatabase(in: root + "/state")
    var pushSettings = HubPushSettings()
    pushSettings.hosts = push
    hub = try HubAPI(
      configuration, database, network: network, push: pushSettings,
      reports: HubReports(
        status: { ["version": 1] }, conflicts: { ["version": 1] }, holds: { ["version": 1] },
        settings: { ["version": 1] }, undo: { ["version": 1, "pass": .integer($0)] },
        changes: { ["version": 1, "path": .string($0.path)] },
        resolve: { ["version": 1, "path": .string($0.path), "side": .string("\($1)")] },
        passes: { ["version": 1, "limit": .integer($0)] },
        history: { [EntryVersion(text: Array("* WAIT Older\n\($0.path) \($0.place)".utf8), facts: ["pass": 1])] }),
      sync: {},
      shell: { path in
        path == "/index.html" ? ShellFile(bytes: Array("<!doctype html>".utf8), type: "text/html", etag: "\"1\"") : nil
      }, now: { isTimeless ? start : .now })
  }

  /// The content of a file of the store; nil if it does not exist.
  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: scratch.path + "/org/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: scratch.path + "/org/" + name, atomically: true, encoding: .utf8)
  }

  /// A paired device.
  func device(_ name: String = "phone", _ scope: Scope = .all) throws -> TestDevice {
    let (device, token) = try database.add(name, scope, from: "127.0.0.1")
    return TestDevice(self, device, token)
  }

  /// Sends a request without a session.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, fields: [String: String] = [:],
    from address: String = "127.0.0.1"
  ) async -> (status: Int, json: JSON, response: HubResponse) {
    let target = path.split(separator: "?", maxSplits: 1)
    var all = ["host": Self.host]
    if body != nil { all["content-type"] = "application/json" }
    if method != "GET" { all["origin"] = "http://\(Self.host)" }
    all.merge(fields) { $1 }
    let request = HubRequest(
      method, String(target[0]), query: target.count > 1 ? String(target[1]) : "",
      fields: all.filter { !$0.value.isEmpty }, body: Array((body ?? "").utf8), address: address)
    let response = await hub.answer(request)
    guard case .bytes(let bytes) = response.body else { return (response.status, .null, response) }
    return (response.status, (try? ParsedJSON.read(bytes)) ?? .null, response)
  }
}

/// A paired device of a test.
struct TestDevice: Sendable {
  let folder: HubFolder
  let device: HubDevice
  let token: String

  init(_ folder: HubFolder, _ device: HubDevice, _ token: String) {
    (self.folder, self.device, self.token) = (folder, device, token)
  }

  func send(
    _ method: String, _ path: String, _ body: String? = nil, fields: [String: String] = [:]
  ) async -> (status: Int, json: JSON, response: HubResponse) {
    await folder.send(
      method, HubRoute.prefix + path, body, fields: ["cookie": "syncd=\(token)"].merging(fields) { $1 })
  }

  /// Returns the entry with a title.
  func item(_ title: String) async throws -> JSON {
    let list = await send("GET", "/items?limit=500").json
    guard case .array(let items)? = list["items"], let found = items.first(where: { $0["title"] == .string(title) })
    else { throw TestFailure("no entry \(title) in \(list.line)") }
    return found
  }

  /// Returns the identifier of the entry with a title.
  func id(_ title: String) async throws -> String { try await item(title)["id"].string }

  /// Sends a batch; returns its results.
  func batch(_ number: Int, client: String = "client-1", _ patches: String) async throws -> [JSON] {
    let answer = await send(
      "POST", "/batches", #"{"client": "\#(client)", "number": \#(number), "patches": [\#(patches)]}"#)
    guard answer.status == 200, case .array(let results)? = answer.json["results"] else {
      throw TestFailure("\(answer.status) \(answer.json.line)")
    }
    return results
  }
}

extension JSON? {
  /// The text of a string.
  var string: String {
    get throws {
      guard case .string(let text)? = self else {
        throw TestFailure("expected a string, not \(self?.line ?? "nothing")")
      }
      return text
    }
  }
}
