internal import SyncKit

/// A name reserved for syncd: `.syncd-OWNER-UNIQUE.tmp`.
///
/// Only files with such a name are ever unlinked. The owner distinguishes the leftovers of this store or remote on this device
/// from the temporaries of another program that uses the same folder.
struct Temporary: Hashable, Sendable {
  let name: FileName

  /// The temporary called `name`; nil if the name may be a user's.
  init?(_ name: some Collection<UInt8>) {
    let bytes = Array(name)
    guard ReservedName.isTemporary(bytes[...]) else { return nil }
    self.name = FileName(bytes)
  }

  /// A new name that no other process chooses.
  init(of owner: Owner, _ runtime: Runtime) { self.init(of: owner, called: runtime.uniqueName()) }

  /// The name with this unique part.
  init(of owner: Owner, called unique: String) { name = FileName("\(owner.prefix)\(unique).tmp") }

  func belongs(to owner: Owner) -> Bool { name.bytes.starts(with: owner.prefix.utf8) }

  /// The owner of temporaries: one store or remote on one device.
  struct Owner: Sendable {
    fileprivate let prefix: String

    init(_ parts: RemoteParts) {
      prefix = ".syncd-\(Digest(of: "\(parts.device.id)/\(parts.name)".utf8).short)-"
    }
  }
}

/// The location of a file: its parent folder, open, and its path.
struct FileLocation {
  let folder: Folder
  let path: SyncPath

  var name: FileName { path.fileName }

  /// Returns the facts of the file; nil if it does not exist.
  func facts() throws(SyncError) -> FileFacts? {
    do throws(Errno) { return try folder.facts(of: name) } catch .notFound { return nil } catch {
      throw SyncError(error, at: path)
    }
  }
}
