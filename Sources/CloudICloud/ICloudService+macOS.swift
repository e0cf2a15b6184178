#if os(macOS)
  import Darwin
  import Foundation
  internal import SyncKit

  // Written from Apple's documentation, and not run yet.

  extension ICloudService {
    /// iCloud on this Mac. From now on, a read of a file without its content fails at once instead of fetching the content.
    static var ofThisMachine: ICloudService? {
      _ = setiopolicy_np(
        IOPOL_TYPE_VFS_MATERIALIZE_DATALESS_FILES, IOPOL_SCOPE_PROCESS, IOPOL_MATERIALIZE_DATALESS_FILES_OFF)
      let home = FileManager.default.homeDirectoryForCurrentUser
      return ICloudService(
        drive: home.appending(path: "Library/Mobile Documents/com~apple~CloudDocs").path(percentEncoded: false),
        isSignedIn: { FileManager.default.ubiquityIdentityToken != nil },
        request: { file in
          do {
            try FileManager.default.startDownloadingUbiquitousItem(at: URL(filePath: file))
            return true
          } catch { return false }
        },
        conflicts: FileVersions())
    }
  }

  /// The conflict versions that macOS keeps.
  private struct FileVersions: ConflictVersions {
    func paths(below root: String) -> [SyncPath] {
      let key = URLResourceKey.ubiquitousItemHasUnresolvedConflictsKey
      guard let files = FileManager.default.enumerator(at: URL(filePath: root), includingPropertiesForKeys: [key])
      else {
        return []
      }
      return files.compactMap { $0 as? URL }.compactMap { file in
        guard (try? file.resourceValues(forKeys: [key]))?.ubiquitousItemHasUnresolvedConflicts == true else {
          return nil
        }
        let path = file.path(percentEncoded: false)
        return path.hasPrefix(root + "/") ? SyncPath(String(path.dropFirst(root.count + 1))) : nil
      }
    }

    func versions(of file: String) -> [ConflictVersion] {
      let url = URL(filePath: file)
      return (NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [])
        .sorted { ($0.modificationDate ?? .distantPast) < ($1.modificationDate ?? .distantPast) }
        .map { version in Self.version(version, of: url) }
    }

    private static func version(_ version: NSFileVersion, of file: URL) -> ConflictVersion {
      let name = version.persistentIdentifier
      nonisolated(unsafe) let identifier = name
      return ConflictVersion(
        computer: version.localizedNameOfSavingComputer ?? "", modified: version.modificationDate.map(timestamp),
        content: { () throws(SyncError) in
          guard let version = unsafe NSFileVersion.version(of: file, forPersistentIdentifier: identifier),
            version.hasLocalContents
          else { return nil }
          do { return Array(try Data(contentsOf: version.url)) } catch {
            throw SyncError(.pathFailed, "cannot read a conflict version of \(file.lastPathComponent): \(error)")
          }
        },
        resolve: {
          unsafe NSFileVersion.version(of: file, forPersistentIdentifier: identifier)?.isResolved = true
        })
    }

    private static func timestamp(_ date: Date) -> Timestamp {
      Timestamp(nanoseconds: Int64(date.timeIntervalSince1970) * 1_000_000_000)
    }
  }
#else
  extension ICloudService {
    /// iCloud cannot be reached.
    static var ofThisMachine: ICloudService? { nil }
  }
#endif
