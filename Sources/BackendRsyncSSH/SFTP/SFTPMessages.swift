/// Requests to an sftp server: the part of version 3 that moves files (draft-ietf-secsh-filexfer-02, section 6), and two
/// extensions of OpenSSH (its `PROTOCOL` file, section 4). Plain SSH_FXP_RENAME is not used: OpenSSH implements it as link(2)
/// and unlink(2) (`process_rename` in `sftp-server.c`), which loses a file that is renamed into place in between.
enum SFTPRequest: Hashable {
  /// The attributes of a path; does not follow links.
  case stat([UInt8])
  /// Atomically moves a file or folder; replaces a file at the destination (rename(2)).
  case move([UInt8], to: [UInt8])
  /// Adds a second name to a file; refused if the name exists (link(2)).
  case link([UInt8], to: [UInt8])
  case remove([UInt8])
  case makeFolder([UInt8])
  /// Removes a folder; refused unless it is empty.
  case removeFolder([UInt8])

  static let mover = "posix-rename@openssh.com"
  static let linker = "hardlink@openssh.com"

  /// The type, and the payload after the request id.
  fileprivate var parts: (type: UInt8, payload: [UInt8]) {
    switch self {
    case .stat(let path): (7, Self.string(path))
    case .move(let path, let target):
      (200, Self.string(Array(Self.mover.utf8)) + Self.string(path) + Self.string(target))
    case .link(let path, let target):
      (200, Self.string(Array(Self.linker.utf8)) + Self.string(path) + Self.string(target))
    case .remove(let path): (13, Self.string(path))
    // No attributes: the account's defaults apply.
    case .makeFolder(let path): (14, Self.string(path) + Self.number(0))
    case .removeFolder(let path): (15, Self.string(path))
    }
  }

  func packet(_ id: UInt32) -> [UInt8] {
    let (type, payload) = parts
    return Self.packet(type, Self.number(id) + payload)
  }

  /// The first packet, with our protocol version.
  static var greeting: [UInt8] { packet(1, number(3)) }

  private static func packet(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    number(UInt32(payload.count + 1)) + [type] + payload
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count)) + bytes }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

/// The answer of an sftp server.
enum SFTPReply: Hashable {
  case done
  case found(Kind)
  /// The request failed, with this status code and message.
  case refused(code: UInt32, message: String)

  enum Kind: Hashable {
    case file, folder, other
  }

  private static let noSuchFile: UInt32 = 2

  var isDone: Bool { self == .done }

  var isMissing: Bool {
    if case .refused(Self.noSuchFile, _) = self { true } else { false }
  }

  /// The reason why the request failed; nil if it succeeded.
  var refusal: String? {
    if case .refused(_, let message) = self { message } else { nil }
  }
}
