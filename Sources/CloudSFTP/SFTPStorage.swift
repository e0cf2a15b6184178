internal import SFTPWire
internal import SyncKit

/// A folder on a host with sftp. A file's revision is its size and its modification time.
///
/// Nothing is ever overwritten: a new version is uploaded beside the file, the old one is moved away and compared with the
/// expected one, and the new one is linked to the free name (`Replacement`).
struct SFTPStorage: StorageDefaults {
  let server: Server
  let parts: RemoteParts
  let settings: SFTP.Settings
  let state: SFTPState
  /// Called at each failpoint of a move.
  var reach: Reach = { failpoint throws(SyncError) in try failpoint.reach() }

  typealias Reach = @Sendable (SFTPFailpoint) async throws(SyncError) -> Void

  /// The maximum number of files that are read or changed at a time, which is also that of open handles.
  static let parallelism = 48

  init(_ server: Server, parts: RemoteParts, settings: SFTP.Settings) {
    self.server = server
    self.parts = parts
    self.settings = settings
    state = SFTPState(journal: parts.journal)
  }

  var folder: RemoteFolder { server.folder }

  var address: String { folder.address }

  func capabilities() async throws(SyncError) -> Capabilities {
    (try await state.record()?.traits ?? Traits()).capabilities
  }

  func createRoot() async throws(SyncError) {
    let root = folder.bytes(of: nil)
    let replies = try await server.perform([.makeFolder(root), .statTarget(root)])
    guard replies[1].attributes?.kind != .folder else { return }
    let reason = (replies[1].isMissing ? replies[0].refusal : nil)?.message ?? "it is not a folder"
    throw SyncError(
      .unavailable, "cannot create the folder \(address): \(reason); create it, or the folder above it, on the host")
  }

  /// Reads the server's clock. The next listing clears up what an interrupted change of this device has left.
  func recover() async throws(SyncError) {
    state.mayRepair = true
    _ = try await serverTime()
  }

  /// Reads the server's clock, in seconds since 1970, from the time of a new file; nil if none can be written.
  func serverTime() async throws(SyncError) -> UInt32? {
    let suffix = beginChange()
    defer { state.end(suffix) }
    guard let path = SyncPath("clock" + PreviousVersionName.linked(suffix)) else { return nil }
    let name = folder.bytes(of: path)
    switch try await server.perform(.create(name)) {
    case .handle(let handle):
      let reply = try await server.perform([.statHandle(handle), .close(handle: handle), .remove(name)])[0]
      guard let seconds = reply.attributes?.seconds else { return nil }
      state.record(time: seconds)
      return seconds
    case let reply:
      if !reply.isMissing { state.clock.assume(parts.runtime.now()) }
      return nil
    }
  }

  // MARK: Looking up

  /// The result of a lookup by name.
  enum Lookup: Sendable {
    case file(SFTPAttributes, FileFacts)
    /// A folder, a link or a special file; a description.
    case other(String)
    case absent
    /// The server did not answer the question; the reason.
    case unknown(String)
  }

  func lookUp(_ path: SyncPath) async throws(SyncError) -> Lookup {
    let name = folder.bytes(of: path)
    let replies = try await server.perform([.stat(name), .readLink(name)])
    // Some servers follow a link although they should not.
    if case .names = replies[1] { return .other("a symbolic link") }
    switch replies[0] {
    case .attributes(let attributes): return Self.lookup(attributes)
    case let reply where reply.isMissing: return .absent
    case let reply:
      // Some servers report a name below a file, or in a missing folder, as a failure.
      if try await isCertainlyAbsent(path) { return .absent }
      return .unknown(reply.refusal?.message ?? "no reason given")
    }
  }

  private static func lookup(_ attributes: SFTPAttributes) -> Lookup {
    switch attributes.kind {
    case .file: FileFacts(attributes).map { .file(attributes, $0) } ?? .unknown("the server sent no size or no time")
    case .folder: .other("a folder")
    case .link: .other("a symbolic link")
    case .other: .other("a pipe, a socket or a device")
    case nil: .unknown("the server sent no type")
    }
  }

  /// Returns true if the nearest folder that exists lacks the next part of the path.
  private func isCertainlyAbsent(_ path: SyncPath) async throws(SyncError) -> Bool {
    var below = path
    for folder in path.ancestors.map(Optional.some) + [nil] {
      defer { if let folder { below = folder } }
      let reply = try await server.perform(.statTarget(self.folder.bytes(of: folder)))
      guard let kind = reply.attributes?.kind else { continue }
      guard kind == .folder else { return folder != nil }
      guard case .names(let names) = try await names(in: folder) else { return false }
      return !names.contains { $0.name.elementsEqual(below.name) }
    }
    return false
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let found = try await mapConcurrently(paths, atMost: Self.parallelism) { path throws(SyncError) -> Presence in
      switch try await lookUp(path) {
      case .file(_, let facts): .present(facts.entry(at: path, isFirm: state.isFirm(facts, at: path)))
      case .absent, .other("a folder"): .absent
      case .other(let kind): .unknown("\(path) is \(kind) there")
      case .unknown(let reason): .unknown("cannot look up \(path): \(reason)")
      }
    }
    guard found.contains(where: \.isAbsent) else { return found }
    // A root that has vanished, such as an unmounted disk, lacks every file.
    let root = try await server.perform(.statTarget(folder.bytes(of: nil)))
    guard root.attributes?.kind != .folder else { return found }
    return found.map { $0.isAbsent ? .unknown("the folder \(address) is not there") : $0 }
  }

  // MARK: Names of changes in progress

  /// Returns the suffix for a new change of this device, whose files no repair touches meanwhile.
  func beginChange() -> String {
    let suffix = PreviousVersionName.suffix(device: deviceTag, parts.runtime, isMoved: true)
    state.begin(suffix)
    return suffix
  }

  var deviceTag: String { Digest(of: Array(parts.device.id.utf8)).short }
}

extension Presence {
  fileprivate var isAbsent: Bool { if case .absent = self { true } else { false } }
}

extension PreviousVersionName {
  /// The suffix of a file that is uploaded by the change with this suffix.
  static func linked(_ suffix: String) -> String { linkedSuffix(for: suffix) ?? suffix }
}
