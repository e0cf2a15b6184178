internal import SyncKit

/// A name that belongs to the program: `.syncd-OWNER-UNIQUE.tmp`.
///
/// Only what has such a name is ever unlinked. The owner tells the leftovers of this store or remote on this device from
/// the work in progress of another program on the same folder.
struct Temporary: Hashable, Sendable {
  let name: FileName

  /// The temporary called `name`; nil if the name may be a user's.
  init?(_ name: some Collection<UInt8>) {
    let bytes = Array(name)
    guard ReservedName.isTemporary(bytes[...]) else { return nil }
    self.name = FileName(bytes)
  }

  /// A new name that no other process chooses.
  init(of owner: Owner, _ runtime: Runtime) {
    name = FileName("\(owner.prefix)\(runtime.uniqueName()).tmp")
  }

  func belongs(to owner: Owner) -> Bool { name.bytes.starts(with: owner.prefix.utf8) }

  /// Who leaves temporaries: one store or remote on one device.
  struct Owner: Sendable {
    fileprivate let prefix: String

    init(_ parts: RemoteParts) {
      prefix = ".syncd-\(Digest(of: "\(parts.device.id)/\(parts.name)".utf8).short)-"
    }
  }
}

/// Where a file is: the folder that holds it, open, and its path.
struct FileLocation {
  let folder: Folder
  let path: SyncPath

  var name: FileName { path.fileName }

  /// What is there; nil if nothing is.
  func facts() throws(SyncError) -> FileFacts? {
    do throws(Errno) { return try folder.facts(of: name) } catch .notFound { return nil } catch {
      throw SyncError(error, at: path)
    }
  }
}
