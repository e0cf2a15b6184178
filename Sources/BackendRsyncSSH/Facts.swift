internal import RsyncWire
internal import SyncKit

/// What a file's size and times say of its version.
extension ListedFile {
  /// Size and time of the last change; what rsync itself goes by.
  var revision: Revision { Revision("\(size) \(seconds).\(nanoseconds)") }

  var modified: Timestamp {
    let (whole, overflow) = Timestamp(seconds: seconds).nanoseconds.addingReportingOverflow(Int64(nanoseconds))
    return Timestamp(nanoseconds: overflow ? .max : whole)
  }

  /// What it is if it is not a regular file; else nil.
  var specialKind: String? {
    switch kind {
    case .file: nil
    case .folder: "a folder"
    case .link: "a symbolic link"
    case .special: "a pipe, a socket or a device"
    }
  }
}

extension RsyncLimits {
  /// Returns true if a file is one that is taken.
  func allow(_ listed: ListedFile) -> Bool { listed.size <= Int64(file) }

  /// Why a file is not, as the rest of a sentence.
  var sizeLimitMessage: String { "the file is larger than the limit of \(file >> 20) MiB" }
}

extension RsyncStorage {
  /// A file can be written twice within one tick of the other side's clock and look the same afterwards, and its clock may
  /// not be ours by some seconds.
  static let racyNanoseconds: Int64 = 3_000_000_000

  /// The entry of a file that was observed no earlier than `time`.
  func entry(_ file: ListedFile, at path: SyncPath, seen time: Timestamp) -> Entry {
    let isAtRest = file.modified.nanoseconds < time.nanoseconds - Self.racyNanoseconds
    return Entry(
      path: path, revision: file.revision, isFirm: isAtRest || state.isFirm(file.revision, of: path),
      size: Int(file.size), modified: file.modified)
  }
}
