internal import RsyncWire
internal import SyncKit

/// The content of the folder.
struct Listing: Sendable {
  var files: [ListedFile]
  /// True if the listing is complete.
  var isWhole: Bool
  /// The marker as it was listed, with its content.
  var marker: (file: ListedFile, bytes: [UInt8])?
  /// The error output of rsync, for example about folders that it could not read.
  var errorLines: [String]
}

extension RemoteHost {
  /// Lists the folder, and reads the marker with the same command. Throws `.notFound` if the folder does not exist.
  func list() async throws(SyncError) -> Listing {
    let limits = limits
    let (found, exit) = try await exchange(.list) { program throws(ExchangeFailure) in
      try wire { () throws(RsyncError) in try Self.list(program, limits) }
    }
    record(found.files)
    let errorLines = exit.errorLines + found.remarks
    guard found.files.contains(where: { $0.name == [0x2E] }) else {
      throw missing(errorLines)
    }
    guard [0, 23, 24].contains(exit.status) else {
      throw ErrorTranslator(folder, exit).error(.wire(.brokenOff))
    }
    return Listing(
      files: found.files, isWhole: !found.hasErrors && exit.status == 0, marker: found.marker, errorLines: errorLines)
  }

  private struct Found {
    var files: [ListedFile]
    var hasErrors = false
    var marker: (file: ListedFile, bytes: [UInt8])?
    var remarks: [String] = []
  }

  private static let marker = Array(ReservedName.marker.utf8)
  private static let largestMarker = 1 << 16

  private static func list(_ program: RemoteProgram, _ limits: RsyncLimits) throws(RsyncError) -> Found {
    let reading = try Reading(program, .everything, limits: limits)
    var found = Found(files: reading.list.files)
    let index = found.files.firstIndex { $0.name == marker && $0.kind == .file && $0.size <= largestMarker }
    if let index { try reading.request(index) }
    try reading.endRequests()
    while let answer = try reading.answer() {
      guard case .file(let index) = answer, let bytes = try content(reading) else { continue }
      found.marker = (found.files[index], bytes)
    }
    try reading.finish()
    found.hasErrors = reading.hasErrors
    found.remarks = lines(reading.remarks)
    return found
  }

  /// Receives a small file; returns nil if it arrives damaged.
  private static func content(_ reading: Reading) throws(RsyncError) -> [UInt8]? {
    var assembly = Assembly()
    var content: [UInt8] = []
    while true {
      let piece = try reading.piece()
      content += try assembly.bytes(piece).prefix(max(0, largestMarker + 1 - content.count))
      if case .end(let hash) = piece {
        return hash == assembly.digest && content.count <= largestMarker ? content : nil
      }
    }
  }

  static func lines(_ text: [UInt8]) -> [String] {
    text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }
  }

  /// The error for a folder that was not listed. The errno shows if it is missing, in any language.
  private func missing(_ errorLines: [String]) -> SyncError {
    let said = errorLines.isEmpty ? "" : ": \(errorLines.prefix(3).joined(separator: " / "))"
    let isMissing = errorLines.compactMap(Complaint.init).contains {
      $0.action.hasPrefix("change_dir") && $0.errno == 2
    }
    guard isMissing else {
      return SyncError(.unavailable, "cannot list the folder \(folder.address)\(said)")
    }
    return SyncError(.notFound, "the folder \(folder.address) does not exist")
  }
}
