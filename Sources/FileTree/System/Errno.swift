internal import CPOSIX
internal import SyncKit

/// The errno of a failed system call.
struct Errno: Error, Hashable {
  let number: CInt

  /// The errno of this thread's last failure; read it right after the call.
  static var current: Errno { Errno(number: unsafe posix_errno().pointee) }

  static let notFound = Errno(number: ENOENT)
  static let notAFolder = Errno(number: ENOTDIR)
  static let isAFolder = Errno(number: EISDIR)
  static let isALink = Errno(number: ELOOP)
  static let exists = Errno(number: EEXIST)
  static let notEmpty = Errno(number: ENOTEMPTY)
  static let interrupted = Errno(number: EINTR)
  static let notSupported = Errno(number: EINVAL)
  static let noSuchCall = Errno(number: ENOSYS)
  static let again = Errno(number: EAGAIN)
  static let noSpace = Errno(number: ENOSPC)
  static let overQuota = Errno(number: EDQUOT)
  static let noPermission = Errno(number: EACCES)
  static let inputOutput = Errno(number: EIO)
  /// What reading yields if the content is in a cloud and may not be fetched (getiopolicy_np(3)).
  static let elsewhere = Errno(number: EDEADLK)

  /// The system's message.
  var text: String { unsafe String(cString: strerror(number)) }
}

extension SyncError {
  /// The error for a failed system call on the file or folder at `location`.
  init(_ errno: Errno, at location: String) {
    let code: Code =
      switch errno {
      case .noSpace, .overQuota: .noSpace
      case .notFound: .notFound
      case .elsewhere: .unavailable
      default: .pathFailed
      }
    let text =
      switch errno {
      case .isALink: "it is a symbolic link"
      case .elsewhere: "its content is in a cloud and not on this machine"
      default: errno.text
      }
    self.init(code, "\(location): \(text)", cause: "errno \(errno.number)")
  }

  init(_ errno: Errno, at path: SyncPath) { self.init(errno, at: path.description) }
}

/// Runs `body`, whose system calls concern `path`.
func at<Value: ~Copyable>(
  _ path: SyncPath, _ body: () throws(Errno) -> Value
) throws(SyncError) -> Value {
  do throws(Errno) { return try body() } catch { throw SyncError(error, at: path) }
}

/// Repeats a system call while signals interrupt it; throws its error.
@discardableResult
func retrying<Value: SignedInteger>(_ call: () -> Value) throws(Errno) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    let failure = Errno.current
    if failure != .interrupted { throw failure }
  }
}

/// Calls the system once; throws its error.
func once(_ call: () -> CInt) throws(Errno) {
  if call() < 0 { throw .current }
}
