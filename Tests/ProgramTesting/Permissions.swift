import CPOSIX
import Foundation

/// The permission checks of the kernel, which root bypasses.
public enum Permissions {
  /// True if they apply to this program.
  public static let bind: Bool = {
    let path = NSTemporaryDirectory() + "syncd-tests-\(UUID().uuidString)"
    let file = unsafe posix_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0)
    guard file >= 0 else { return true }
    close(file)
    defer { unsafe unlink(path) }
    return unsafe access(path, R_OK) != 0
  }()

  /// Arguments before a command that make permission checks apply to it: with them, root gives up the capabilities to read and
  /// write everything.
  public static let binding = bind ? [] : ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
}

extension Command {
  /// The same program, subject to permission checks.
  public var boundByPermissions: Command {
    var command = self
    command.words = Permissions.binding.map { Array($0.utf8) } + words
    return command
  }
}
