import CPOSIX
import Foundation

/// What permissions forbid, which root does not notice.
public enum Permissions {
  /// True if they bind this program.
  public static let bind: Bool = {
    let path = NSTemporaryDirectory() + "syncd-tests-\(UUID().uuidString)"
    let file = unsafe posix_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0)
    guard file >= 0 else { return true }
    close(file)
    defer { unsafe unlink(path) }
    return unsafe access(path, R_OK) != 0
  }()

  /// The arguments before a command whose rights they limit: with them, root gives up what lets it read and write whatever it
  /// likes.
  public static let binding = bind ? [] : ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
}

extension Command {
  /// The same program, bound by permissions.
  public var boundByPermissions: Command {
    var command = self
    command.words = Permissions.binding.map { Array($0.utf8) } + words
    return command
  }
}
