/// What an sftp server is asked to do: as much of version 3 as moving files takes (draft-ietf-secsh-filexfer-02, section 6),
/// and two extensions of OpenSSH (its `PROTOCOL` file, section 4). Plain SSH_FXP_RENAME is not among them: OpenSSH carries it
/// out as link(2) and unlink(2) (`process_rename` in `sftp-server.c`), and what is renamed into place in between goes.
enum SFTPRequest: Hashable {
  /// What is at a path; a link is not followed.
  case stat([UInt8])
  /// Moves whatever is at a path, in one step; what is at the other path is replaced (rename(2)).
  case move([UInt8], to: [UInt8])
  /// Adds a second name to a file; refused if the name is taken (link(2)).
  case link([UInt8], to: [UInt8])
  case remove([UInt8])
  case makeFolder([UInt8])
  /// Removes a folder; refused unless it is empty.
  case removeFolder([UInt8])

  static let mover = "posix-rename@openssh.com"
  static let linker = "hardlink@openssh.com"

  /// The type and what follows the number of the request.
  fileprivate var parts: (type: UInt8, payload: [UInt8]) {
    switch self {
    case .stat(let path): (7, Self.string(path))
    case .move(let path, let target):
      (200, Self.string(Array(Self.mover.utf8)) + Self.string(path) + Self.string(target))
    case .link(let path, let target):
      (200, Self.string(Array(Self.linker.utf8)) + Self.string(path) + Self.string(target))
    case .remove(let path): (13, Self.string(path))
    // No attributes: the account's usual ones.
    case .makeFolder(let path): (14, Self.string(path) + Self.number(0))
    case .removeFolder(let path): (15, Self.string(path))
    }
  }

  func packet(_ id: UInt32) -> [UInt8] {
    let (type, payload) = parts
    return Self.packet(type, Self.number(id) + payload)
  }

  /// What a conversation begins with: the version that we speak.
  static var greeting: [UInt8] { packet(1, number(3)) }

  private static func packet(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    number(UInt32(payload.count + 1)) + [type] + payload
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count)) + bytes }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

/// What an sftp server answered.
enum SFTPReply: Hashable {
  case done
  case found(Kind)
  /// It was not done; the number that says why, and the server's words.
  case refused(code: UInt32, message: String)

  enum Kind: Hashable {
    case file, folder, other
  }

  private static let noSuchFile: UInt32 = 2

  var isDone: Bool { self == .done }

  var isMissing: Bool {
    if case .refused(Self.noSuchFile, _) = self { true } else { false }
  }

  /// Why it was not done; nil if it was.
  var refusal: String? {
    if case .refused(_, let message) = self { message } else { nil }
  }
}
