internal import HTTPStorage
internal import SyncKit

extension DropboxStorage {
  private static let intentPrefix = "dropbox.aside/"

  /// Removes the folder at `path` if it contains no file at any depth; returns true if it did.
  ///
  /// Removing a folder removes everything in it, including what another client has just added. So the folder is first moved to
  /// a path where no client writes, then checked again, and moved back if it contains something.
  func removeEmptyFolder(at path: SyncPath) async throws(SyncError) -> Bool {
    let folder = self.folder.path(of: path)
    guard try await isEmptyFolder(folder) == true else { return false }
    let aside = self.folder.path + "/.syncd-\(service.runtime.uniqueName(length: 12)).tmp"
    try await journal.write([Self.intentPrefix + aside: Array(folder.utf8)])
    do throws(CallError) { try await move(folder, to: aside) } catch {
      if error.error.reach == .pass { throw error.error }
    }
    return try await resolveFolder(aside, from: folder)
  }

  /// Moves folders back that a crash has left aside, or removes them if they are empty.
  func recoverFolders() async throws(SyncError) {
    for (key, folder) in try await journal.records().sorted(by: { $0.key < $1.key })
    where key.hasPrefix(Self.intentPrefix) {
      let aside = String(key.dropFirst(Self.intentPrefix.count))
      _ = try await resolveFolder(aside, from: String(decoding: folder, as: UTF8.self))
    }
  }

  /// Finishes the removal of a folder that may have been moved aside; returns true if it is gone.
  private func resolveFolder(_ aside: String, from folder: String) async throws(SyncError) -> Bool {
    let isEmpty = try await isEmptyFolder(aside)
    do throws(CallError) {
      switch isEmpty {
      case true?:
        let _: Changed = try await service.inTurn { () async throws(CallError) in
          try await service.change("files/delete_v2", ["path": .string(aside)])
        }
      case false?: try await move(aside, to: folder, mayBeRenamed: true)
      case nil: break
      }
    } catch {
      // The intent stays, and the next run tries again.
      throw error.error
    }
    try await journal.write([Self.intentPrefix + aside: nil])
    return isEmpty == true
  }

  private func move(_ folder: String, to target: String, mayBeRenamed: Bool = false) async throws(CallError) {
    let argument: JSON = [
      "from_path": .string(folder), "to_path": .string(target), "autorename": .boolean(mayBeRenamed),
    ]
    let _: Changed = try await service.inTurn { () async throws(CallError) in
      try await service.change("files/move_v2", argument)
    }
  }

  /// Returns true if a folder contains no file at any depth; nil if it does not exist.
  private func isEmptyFolder(_ folder: String) async throws(SyncError) -> Bool? {
    do throws(CallError) {
      var page: ListingPage = try await service.ask(
        "files/list_folder", ["path": .string(folder), "recursive": true, "include_deleted": false])
      var limit = PageLimit(maxFiles, address: address)
      while true {
        if page.entries.contains(where: { $0.kind != .folder }) { return false }
        guard page.hasMore else { return true }
        try page.count(in: &limit)
        page = try await service.ask("files/list_folder/continue", ["cursor": .string(page.cursor)])
      }
    } catch {
      if error.refusal?.isNotFound == true || error.refusal?.has("not_folder") == true { return nil }
      throw error.error
    }
  }
}
