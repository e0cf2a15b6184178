import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The intent to change several files, which is on disk before the first one is changed.
///
/// A crash between two files leaves the entry in both of them. The next command completes the change: if the first file has its
/// new content and the others still have their old ones, they get their new contents too.
struct ItemIntent: Codable {
  /// The change of one file.
  struct Change: Codable {
    let path: [UInt8]
    /// The digest before the change, in hexadecimal; nil for a new file.
    let before: String?
    /// The content after the change.
    let after: Data
  }

  let changes: [Change]
  let reason: String

  private static let name = "item-intent.json"

  init(_ changes: [StoreChange], reason: String) {
    self.reason = reason
    self.changes = changes.map {
      Change(path: $0.path.bytes, before: $0.before.map(\.description), after: Data($0.after))
    }
  }

  func write(in state: StateFolder) throws(SyncError) {
    let bytes: [UInt8]
    do { bytes = Array(try JSONEncoder().encode(self)) } catch {
      throw SyncError(.unexpected, "cannot write the intent of an edit: \(error)")
    }
    try LocalFile.writePrivately(bytes, to: state.file(Self.name))
    try ItemFailpoint.intentWritten.reach()
  }

  static func remove(in state: StateFolder) throws(SyncError) {
    guard LocalFile.exists(state.file(name)) else { return }
    try LocalFile.remove(state.file(name))
    try ItemFailpoint.intentRemoved.reach()
  }

  /// Completes the change of a command that was interrupted.
  static func complete(_ workspace: Workspace) async throws(SyncError) {
    let file = workspace.state.file(name)
    guard LocalFile.exists(file) else { return }
    guard let intent = try? JSONDecoder().decode(ItemIntent.self, from: Data(try LocalFile.read(file))) else {
      return try remove(in: workspace.state)
    }
    let edit = try await StoreEdit(workspace, as: intent.reason)
    try await intent.complete(edit)
    try remove(in: workspace.state)
  }

  private func complete(_ edit: StoreEdit) async throws(SyncError) {
    guard let first = changes.first, let path = SyncPath(bytes: first.path),
      try await edit.current(path)?.digest == Digest(of: Array(first.after))
    else { return }
    var rest: [StoreChange] = []
    for change in changes.dropFirst() {
      guard let path = SyncPath(bytes: change.path) else { continue }
      let present = try await edit.current(path)?.digest
      // A file that was edited since keeps the entry: a copy is better than a loss.
      guard present?.description == change.before else { continue }
      rest.append(StoreChange(path: path, before: present, after: Array(change.after)))
    }
    if !rest.isEmpty { try await edit.put(rest) }
  }
}
