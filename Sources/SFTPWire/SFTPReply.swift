/// The answer of an sftp server.
public enum SFTPReply: Hashable, Sendable {
  case done
  /// The request failed, or there is nothing more to read.
  case refused(SFTPStatus)
  /// The handle of an opened file or folder.
  case handle([UInt8])
  case data([UInt8])
  case names([SFTPName])
  case attributes(SFTPAttributes)
  /// The answer to a request of an extension.
  case extended([UInt8])

  /// True if the request was carried out and has no result.
  public var isDone: Bool { self == .done }

  /// True if the path does not exist.
  public var isMissing: Bool { refusal?.code == SFTPStatus.noSuchFile }

  /// True at the end of a file or folder.
  public var isEnd: Bool { refusal?.code == SFTPStatus.endOfFile }

  /// The reason why the request failed; nil if it succeeded.
  public var refusal: SFTPStatus? {
    if case .refused(let status) = self { status } else { nil }
  }

  /// The attributes; nil for any other answer.
  public var attributes: SFTPAttributes? {
    if case .attributes(let attributes) = self { attributes } else { nil }
  }
}

/// The status of a request that failed (section 7).
public struct SFTPStatus: Hashable, Sendable {
  /// The code. Most servers answer nearly everything with 4, "failure".
  public var code: UInt32
  /// The reason in the server's words, without control characters.
  public var message: String

  public init(code: UInt32, message: String) {
    self.code = code
    self.message = message
  }

  static let endOfFile: UInt32 = 1
  static let noSuchFile: UInt32 = 2
  /// The code of a request that the account may not make.
  public static let permissionDenied: UInt32 = 3
}

/// A name in a folder, with the attributes of a listing.
public struct SFTPName: Hashable, Sendable {
  public var name: [UInt8]
  public var attributes: SFTPAttributes

  public init(name: [UInt8], attributes: SFTPAttributes) {
    self.name = name
    self.attributes = attributes
  }
}

/// The attributes of a file (section 5), as far as the server sent them.
public struct SFTPAttributes: Hashable, Sendable {
  public var size: UInt64?
  /// The permission bits, with those of the file's type.
  public var permissions: UInt32?
  /// The modification time in seconds since 1970.
  public var seconds: UInt32?

  public init(size: UInt64? = nil, permissions: UInt32? = nil, seconds: UInt32? = nil) {
    self.size = size
    self.permissions = permissions
    self.seconds = seconds
  }

  /// The type of a file.
  public enum Kind: Hashable, Sendable {
    case file, folder, link, other
  }

  /// The type; nil if the server did not send it.
  public var kind: Kind? {
    permissions.map { permissions in
      switch permissions & 0o170000 {
      case 0o100000: .file
      case 0o040000: .folder
      case 0o120000: .link
      default: .other
      }
    }
  }
}
