internal import RsyncWire
internal import SyncKit

/// The version of a file, derived from its size and times.
extension ListedFile {
  /// The size and modification time, which rsync itself compares.
  var revision: Revision { Revision("\(size) \(seconds).\(nanoseconds)") }

  var modified: Timestamp {
    let (whole, overflow) = Timestamp(seconds: seconds).nanoseconds.addingReportingOverflow(Int64(nanoseconds))
    return Timestamp(nanoseconds: overflow ? .max : whole)
  }

  /// A description of the file if it is not a regular one; otherwise nil.
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
  /// Returns true if the file is within the limit.
  func allow(_ listed: ListedFile) -> Bool { listed.size <= Int64(file) }

  /// The reason for rejecting a file, as the rest of a sentence.
  var sizeLimitMessage: String { "the file is larger than the limit of \(file >> 20) MiB" }
}

extension RsyncStorage {
  /// A file can be written twice within one tick of the remote clock and keep its time, and the clocks may differ by some
  /// seconds.
  static let racyNanoseconds: Int64 = 3_000_000_000

  /// The entry of a file that was observed no earlier than `time`.
  func entry(_ file: ListedFile, at path: SyncPath, seen time: Timestamp) -> Entry {
    let isAtRest = file.modified.nanoseconds < time.nanoseconds - Self.racyNanoseconds
    return Entry(
      path: path, revision: file.revision, isFirm: isAtRest || state.isFirm(file.revision, of: path),
      size: Int(file.size), modified: file.modified)
  }
}
