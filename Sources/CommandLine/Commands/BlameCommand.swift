import ArchiveSQLite
import ArgumentParser
import OrgKit
import OrgMerging
import SyncDaemon
import SyncKit

/// `syncd blame`: shows the last change of each entry of a file.
struct BlameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show when each entry of an Org file was last changed, and by which device or remote.",
    discussion: """
      An edit in the store is this device's. Of a change that came from a remote, the history records the remote and the pass, \
      but not the device; the devices that have written to the remote are listed below.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(
    help: ArgumentHelp("File in the store, or a heading with everything below it: FILE::*TITLE.", valueName: "path"),
    completion: .storeFiles)
  var subject: LogSubject

  func run() async throws {
    let configuration = try common.configuration(of: [subject.path])
    let path = try subject.path.path(in: configuration)
    guard OrgMerger.isOrg(path.name) else {
      throw ValidationError("\(path) is not an Org file; `syncd log -p \(path)` shows its changes")
    }
    try await Workspace.with(configuration, .readOnly) { workspace in
      let entries = try await entries(of: path, in: workspace)
      let devices = try await devices(of: entries, in: workspace)
      if common.json { return Console.print(json: json(entries, devices, path, workspace.device)) }
      for entry in entries { Console.print(entry.line(workspace.device)) }
      for item in devices where !common.quiet { Console.print(line(item.remote, item.devices)) }
      if entries.isEmpty, !common.quiet { Console.print("\(path) is empty") }
    }
  }

  private func entries(of path: SyncPath, in workspace: Workspace) async throws(SyncError) -> [EntryBlame] {
    let former = FormerVersions(workspace: workspace)
    guard let digest = try await former.present(path) else {
      throw SyncError(.notFound, "\(path) is not in the store; `syncd log \(path)` shows its history")
    }
    let bytes = try await former.content(digest, of: path).bytes()
    let places = try places(in: OrgDocument(bytes), of: path)
    let search = try await BlameSearch(
      bytes, FileVersion.all(of: path, in: workspace),
      content: { version throws(SyncError) in try await former.keptBytes(version.digest, of: path) },
      sides: { version throws(SyncError) in
        let remote = try await workspace.history.versions(of: version.formerPath ?? path).first {
          $0.pass == version.pass && $0.side == .remote && $0.remote == version.action?.remote
        }
        return BlameSearch.Sides(
          store: try await former.keptBytes(version.action?.action.before, of: path),
          remote: try await former.keptBytes(remote?.digest, of: path))
      })
    return search.entries.filter { places?.contains($0.place) ?? true }
  }

  /// Returns the positions of the chosen heading and everything below it; nil for the whole file.
  private func places(in document: OrgDocument, of path: SyncPath) throws(SyncError) -> Range<Int>? {
    guard let heading = subject.heading else { return nil }
    guard let first = heading.place(in: document) else {
      throw SyncError(.notFound, "\(path) has no such heading; `syncd log` finds former ones")
    }
    let level = document.entries[first].level
    return first..<(document.entries[(first + 1)...].firstIndex { $0.level <= level } ?? document.entries.count)
  }

  /// Returns the other devices that have written to the remotes that changed these entries.
  private func devices(
    of entries: [EntryBlame], in workspace: Workspace
  ) async throws(SyncError) -> [(remote: String, devices: [String])] {
    var devices: [(remote: String, devices: [String])] = []
    for remote in Set(entries.compactMap(\.remote)).sorted() {
      let names = try await SeenDevices(in: workspace.archive.journal(of: remote)).names()
      devices.append((remote, RemoteDevice.all(names, workspace.device).filter { !$0.isThisOne }.map(\.name)))
    }
    return devices
  }

  private func line(_ remote: String, _ devices: [String]) -> String {
    devices.isEmpty
      ? "\(remote): the remote has recorded no other device"
      : "\(remote): written by \(devices.joined(separator: ", ")); the history does not record which device made a change"
  }

  private func json(
    _ entries: [EntryBlame], _ devices: [(remote: String, devices: [String])], _ path: SyncPath, _ device: Device
  ) -> JSON {
    [
      "version": 1, "path": .string(path.description), "device": .string(device.name),
      "entries": .array(entries.map(\.json)),
      "remotes": .array(
        devices.map { ["name": .string($0.remote), "devices": .array($0.devices.map(JSON.string))] }),
    ]
  }
}

extension EntryBlame {
  /// The remote that the change came from; nil for a change of this device.
  fileprivate var remote: String? {
    switch author {
    case .store, .unknown: nil
    case .remote(let name), .both(let name): name
    }
  }

  /// The entry as a line for people.
  fileprivate func line(_ device: Device) -> String {
    let author =
      switch author {
      case .store: device.name
      case .remote(let name): name
      case .both(let name): "\(device.name) and \(name)"
      case .unknown: "unknown"
      }
    let place =
      path.isEmpty ? "(above the first heading)" : path.map { $0.replacing("/", with: "\\/") }.joined(separator: "/")
    guard let version else { return isOldest ? "no recorded change  \(place)" : "not synced yet  \(author)  \(place)" }
    return "pass \(version.pass)\(isOldest ? " or earlier" : "")  \(LocalTime(version.time))  \(author)  \(place)"
  }

  fileprivate var json: JSON {
    let author: JSON =
      switch author {
      case .store: "store"
      case .remote: "remote"
      case .both: "both"
      case .unknown: "unknown"
      }
    return [
      "path": .array(path.map(JSON.string)), "pass": version.map { .integer($0.pass) } ?? .null,
      "time": version.map { .string("\(CivilTime($0.time))") } ?? .null, "or-earlier": .boolean(isOldest),
      "author": author, "remote": remote.map(JSON.string) ?? .null,
    ]
  }
}
