import CPOSIX
import FileTree
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Synchronization

@testable import CloudICloud

/// A folder of iCloud Drive whose files can be evicted and fetched, as macOS does.
final class TestICloud: Sendable {
  /// The form of a file without its content.
  enum Form: CaseIterable { case stub, dataless }

  /// Bytes that may be nowhere but in the placeholders.
  static let poison = "bplist00 POISON "

  let scratch = ScratchFolder()
  let conflicts = TestConflicts()
  private let state = Mutex(State())

  private struct State {
    var isSignedIn = true
    var requests: [String] = []
    var elsewhere: [UInt64: String] = [:]
    var contents: [String: Data] = [:]
  }

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  var path: String { scratch.path + "/drive/org" }
  var requests: [String] { state.withLock { $0.requests } }
  var isSignedIn: Bool {
    get { state.withLock { $0.isSignedIn } }
    set { state.withLock { $0.isSignedIn = newValue } }
  }

  var service: ICloudService {
    ICloudService(
      drive: scratch.path + "/drive", isSignedIn: { self.isSignedIn },
      request: { file in
        self.state.withLock { $0.requests.append(String(file.dropFirst(self.path.count + 1))) }
        return true
      }, isElsewhere: { inode in self.state.withLock { $0.elsewhere[inode] != nil } }, conflicts: conflicts)
  }

  func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Opens the folder, as a program that was just started does.
  func storage(
    _ archive: MemoryArchive = MemoryArchive(), _ fetching: ICloudDrive.Fetching = .fetch, creates: Bool = false
  ) async throws(SyncError) -> any Storage {
    var settings = ICloudDrive.Settings()
    (settings.path, settings.placeholders, settings.create) = ("org", fetching, creates)
    return try await ICloudDrive(settings, service).open(parts(archive))
  }

  func parts(_ archive: MemoryArchive, _ name: String = "test") -> RemoteParts {
    RemoteParts(
      name: name, device: Device(id: "device", name: "laptop"), runtime: .real, contents: archive,
      journal: archive.journal(of: name))
  }

  // MARK: Files

  func write(_ text: String, to name: String) throws {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file))
  }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

  /// The names below the root, without the marker.
  var names: [String] {
    (FileManager.default.subpaths(atPath: path) ?? []).filter { $0 != ReservedName.marker }.sorted()
  }

  // MARK: What iCloud does

  /// Removes the content of a file from this machine. The size and the modification time of a dataless file stay.
  func evict(_ name: String, as form: Form, with content: String? = nil) throws {
    let file = path + "/" + name
    let bytes = try content.map { Data($0.utf8) } ?? Data(contentsOf: URL(filePath: file))
    state.withLock { $0.contents[name] = bytes }
    switch form {
    case .stub:
      try FileManager.default.removeItem(atPath: file)
      try write(Self.poison + "stub", to: Self.stub(of: name))
    case .dataless:
      let poison = Data(String(repeating: Self.poison, count: bytes.count / Self.poison.utf8.count + 1).utf8)
      let time = try FileTime(of: file)
      try overwrite(file, with: poison.prefix(bytes.count), at: content == nil ? time : nil)
      let inode = try FileTime.inode(of: file)
      state.withLock { $0.elsewhere[inode] = name }
    }
  }

  /// Brings the content of a file back.
  func fetch(_ name: String, as form: Form) throws {
    guard let bytes = state.withLock({ $0.contents.removeValue(forKey: name) }) else { return }
    let file = path + "/" + name
    switch form {
    case .stub:
      try remove(Self.stub(of: name))
      try bytes.write(to: URL(filePath: file))
    case .dataless:
      try overwrite(file, with: bytes, at: FileTime(of: file))
      let inode = try FileTime.inode(of: file)
      _ = state.withLock { $0.elsewhere.removeValue(forKey: inode) }
    }
  }

  /// Removes the names in a folder from this machine, as far as a program can tell without reading it.
  func evictFolder(_ name: String) throws {
    let inode = try FileTime.inode(of: path + "/" + name)
    state.withLock { $0.elsewhere[inode] = name }
  }

  func fetchFolders() { state.withLock { $0.elsewhere = [:] } }

  /// Brings every content back that was asked for.
  func fetchRequested(as form: Form) throws {
    let names = state.withLock { state in
      state.contents.keys.filter { state.requests.contains($0) || state.requests.contains(Self.stub(of: $0)) }
    }
    for name in names { try fetch(name, as: form) }
  }

  static func stub(of name: String) -> String {
    let folder = (name as NSString).deletingLastPathComponent
    return (folder.isEmpty ? "" : folder + "/") + ".\((name as NSString).lastPathComponent).icloud"
  }

  /// The names of all files below the folders of this test, and in the archive, that have the bytes of a placeholder and are
  /// none.
  func leaks(_ archive: MemoryArchive) async throws -> [String] {
    let evicted = state.withLock { Set($0.contents.keys) }
    let allowed = Set(evicted.map { "drive/org/" + $0 } + evicted.map { "drive/org/" + Self.stub(of: $0) })
    let files = scratch.files.filter { !allowed.contains($0.key) && $0.value.hasPoison }.map(\.key)
    var digests: [String] = []
    for (digest, content) in await archive.library.all where Data(try await content.bytes()).hasPoison {
      digests.append("\(digest)")
    }
    return files + digests
  }

  private func overwrite(_ file: String, with bytes: Data, at time: FileTime?) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
    try time?.set(on: file)
  }
}

/// A modification time with nanoseconds, which Foundation rounds.
private struct FileTime {
  private let time: timespec

  init(of file: String) throws {
    var facts = stat()
    guard unsafe stat(file, &facts) == 0 else { throw TestFailure("cannot stat \(file)") }
    #if canImport(Darwin)
      time = facts.st_mtimespec
    #else
      time = facts.st_mtim
    #endif
  }

  static func inode(of file: String) throws -> UInt64 {
    var facts = stat()
    guard unsafe stat(file, &facts) == 0 else { throw TestFailure("cannot stat \(file)") }
    return UInt64(facts.st_ino)
  }

  func set(on file: String) throws {
    guard unsafe utimensat(AT_FDCWD, file, [time, time], 0) == 0 else { throw TestFailure("cannot touch \(file)") }
  }
}

extension Data {
  fileprivate var hasPoison: Bool { range(of: Data(TestICloud.poison.utf8)) != nil }
}

/// Conflict versions in memory.
final class TestConflicts: ConflictVersions {
  private struct Stored {
    var text: String?
    var isResolved = false
  }

  private let state = Mutex<(versions: [SyncPath: [Stored]], isBroken: Bool)>(([:], false))

  /// Adds a version; nil for one whose content is not on this machine.
  func add(_ text: String?, to path: SyncPath) {
    state.withLock { $0.versions[path, default: []].append(Stored(text: text)) }
  }

  func fetch(_ text: String, of path: SyncPath) { state.withLock { $0.versions[path]?[0].text = text } }

  /// Sets whether marking a version as resolved fails, as if the program had ended before it.
  func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

  func unresolved(_ path: SyncPath) -> Int { state.withLock { $0.versions[path]?.count { !$0.isResolved } ?? 0 } }

  func paths(below root: String) -> [SyncPath] {
    state.withLock { state in
      state.versions.filter { $0.value.contains { !$0.isResolved } }.map(\.key).sorted()
    }
  }

  func versions(of file: String) -> [ConflictVersion] {
    state.withLock { state in
      guard let path = state.versions.keys.first(where: { file.hasSuffix("/\($0)") }) else { return [] }
      return (state.versions[path] ?? []).enumerated().filter { !$0.element.isResolved }.map { index, version in
        ConflictVersion(
          computer: "phone", modified: Timestamp(nanoseconds: Int64(index)),
          content: { self.state.withLock { $0.versions[path]?[index].text.map { Array($0.utf8) } } },
          resolve: { () throws(SyncError) in try self.resolve(index, of: path) })
      }
    }
  }

  private func resolve(_ index: Int, of path: SyncPath) throws(SyncError) {
    let isBroken = state.withLock { state in
      if !state.isBroken { state.versions[path]?[index].isResolved = true }
      return state.isBroken
    }
    if isBroken { throw SyncError(.cancelled, "the program has ended") }
  }
}
